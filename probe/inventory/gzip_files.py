"""Files that are packed with gzip, such as rotated logs: unpacked as they are read, within a bound."""

from __future__ import annotations

import gzip
import io
import zlib
from typing import BinaryIO

from probe.inventory.document import MIB
from probe.inventory.entries import InventoryError

MAGIC = b"\x1f\x8b\x08"
FREE = 64 * MIB
"""Bytes that any file may unpack to."""
TIMES = 200
"""The factor to which a larger file may unpack: logs shrink to a twentieth, what is made to hurt to a
thousandth."""


class _Packed(io.RawIOBase):
    """The packed bytes: those of the head, then the rest; counted."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first, self._rest, self.count = io.BytesIO(first), rest, 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1, /) -> bytes:
        data = self._first.read(size) or self._rest.read(size)
        self.count += len(data)
        return data


class _Unpacked(io.RawIOBase):
    """The plain bytes, which can be read once."""

    def __init__(self, packed: _Packed) -> None:
        self._packed, self._plain, self._count = packed, gzip.GzipFile(fileobj=packed, mode="rb"), 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # BufferedReader gives a memoryview
        try:
            data = self._plain.read(len(buffer))
        except zlib.error as error:
            raise InventoryError(f"{error}; correct the file") from None
        self._count += len(data)
        if self._count > FREE + TIMES * self._packed.count:
            raise InventoryError(f"it unpacks to more than {TIMES} times its size; unpack it and name the plain file")
        buffer[: len(data)] = data
        return len(data)


def unpacked(first: bytes, rest: BinaryIO) -> BinaryIO:
    """Return the plain bytes of a stream whose first bytes were read already. It is not seekable.

    Reading it raises InventoryError for broken data or too much of it, EOFError for a truncated file, OSError for a
    wrong check sum.
    """
    return io.BufferedReader(_Unpacked(_Packed(first, rest)))
