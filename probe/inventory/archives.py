"""Zip archives that nobody vetted: the list of entries is measured before it is read, and entries are bounded."""

from __future__ import annotations

import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from probe.inventory.document import MIB
from probe.inventory.entries import InventoryError

LONGEST_DIRECTORY = 16 * MIB
"""Bytes of an archive's list of entries, which takes a dozen times as much memory. 30,000 classes need 4 MiB."""
END = struct.Struct("<4s4H2LH")
"""The end of an archive; the size of its list of entries stands at 5."""
END_64 = struct.Struct("<4sQ2H2L4Q")
"""The same for large archives, before a locator; the size stands at 8."""
LOCATOR_64 = struct.Struct("<4sLQL")
UNSET = 0xFFFFFFFF
DAMAGED = (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, struct.error, EOFError, ValueError)
"""Errors of zipfile for an archive that it cannot read; its own texts hold bytes of the file."""
COMMENT = 65_535
"""Most bytes of the comment behind the end."""


@contextmanager
def opened(stream: BinaryIO) -> Iterator[zipfile.ZipFile]:
    """Open an archive. InventoryError if it is none, or if its list of entries is too long."""
    if _directory_size(stream) > LONGEST_DIRECTORY:
        raise InventoryError(
            f"its list of entries is longer than {LONGEST_DIRECTORY // MIB} MiB; name a smaller archive"
        )
    try:
        archive = zipfile.ZipFile(stream)
    except DAMAGED:
        raise InventoryError("it is damaged; copy it again") from None
    with archive:
        yield archive


def entry(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limit: int) -> bytes:
    """Return the plain bytes of an entry. InventoryError if they are more than the limit or cannot be unpacked.

    The size that the archive itself gives is not trusted.
    """
    if info.flag_bits & 1:
        raise InventoryError("it is encrypted; name a plain one")
    try:
        with archive.open(info) as stream:
            data = stream.read(limit + 1)
    except DAMAGED:
        raise InventoryError("it is damaged, or packed in an unknown way; copy it again") from None
    if len(data) > limit:
        raise InventoryError(f"it unpacks to more than {limit // 1024} KiB")
    return data


def _directory_size(stream: BinaryIO) -> int:
    """Return the size of the list of entries in bytes, from the places where zipfile looks. InventoryError if none."""
    behind = END_64.size + LOCATOR_64.size
    size = stream.seek(0, 2)
    stream.seek(max(0, size - behind - END.size - COMMENT))
    tail = stream.read(behind + END.size + COMMENT)
    stream.seek(0)
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or len(tail) < at + END.size:
        raise InventoryError("it is no whole zip archive; copy it again")
    length = int(END.unpack_from(tail, at)[5])
    if at < behind or not tail.startswith(b"PK\x06\x07", at - LOCATOR_64.size):
        return length
    return max(int(END_64.unpack_from(tail, at - behind)[8]), 0 if length == UNSET else length)
