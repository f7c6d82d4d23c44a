"""One opened file of an inventory: its beginning, its whole text or its lines, all within bounds."""

from __future__ import annotations

import codecs
import io
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, TypeAlias

from probe.inventory.entries import InventoryError, Place
from probe.inventory.text import one_line
from probe.model.lazy_attribute import lazy

HEAD = 65_536
"""Bytes of the beginning by which a format is recognised."""
MIB = 1024 * 1024
WHOLE = 32 * MIB
"""Most bytes of a file that is read as a whole."""
LONGEST_LINE = MIB
"""Most bytes of a line of a file that is read by lines."""


@dataclass(frozen=True)
class Head:
    """The beginning of a file, by which its format is recognised."""

    name: str
    """Path below the walked folder with `/`, or the file's name; `-` for standard input."""
    data: bytes
    """At most HEAD bytes."""
    whole: bool
    """Whether `data` is known to be the whole file."""

    @lazy
    def text(self) -> str:
        """Return the same as text, without a byte order mark; what is not UTF-8 (or marked UTF-16) is replaced."""
        return _decode(self.data, "replace")

    @property
    def file(self) -> str:
        """Return the last part of the name."""
        return self.name.rpartition("/")[2]


def head_of(name: str, data: bytes) -> Head:
    """Return the head of a file from its first HEAD bytes."""
    return Head(name, data, len(data) < HEAD)


Spot: TypeAlias = int | str
"""Number of a line, from 1 on, or the name of an entry."""

Neighbour = Callable[[str], "Document | None"]
"""Opens a file of the walked folder by its path relative to the document; None if there is none, or it is outside."""


def nothing_beside(_: str) -> Document | None:
    """Open no neighbour: a file that is named gives no permission to look around it."""
    return None


@dataclass(frozen=True, slots=True)
class Document:
    """A file whose format is known. It is read once, by one of its methods."""

    place: str
    """Path as the user knows it."""
    head: Head
    stream: BinaryIO
    """Stands behind `head` and is closed by the opener."""
    neighbour: Neighbour = nothing_beside

    def at(self, spot: Spot = "") -> Place:
        """Return the place of a line, by its number from 1 on, or of an entry; by default of the whole file."""
        return Place(self.place, line=spot) if isinstance(spot, int) else Place(self.place, entry=one_line(spot))

    def whole(self, limit: int = WHOLE) -> bytes:
        """Return the whole file. InventoryError if it is larger than the limit in bytes."""
        data = self.head.data + (b"" if self.head.whole else self._rest(limit + 1 - len(self.head.data)))
        if len(data) > limit:
            raise InventoryError(f"it is larger than {limit // MIB} MiB; name a smaller file")
        return data

    def text(self, limit: int = WHOLE) -> str:
        """Return the whole file as text. InventoryError if it is too large, or no text."""
        return _decode(self.whole(limit), "strict")

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line with its number from 1 on, in bounded memory. InventoryError for an endless line."""
        with io.BufferedReader(_Joined(self.head.data, self._from_rest())) as joined:
            for number, line in enumerate(iter(lambda: joined.readline(LONGEST_LINE + 1), b""), 1):
                if len(line) > LONGEST_LINE:
                    raise InventoryError(f"line {number} is longer than {LONGEST_LINE // MIB} MiB; correct the file")
                yield number, line.decode("utf-8-sig" if number == 1 else "utf-8", "replace").rstrip("\r\n")

    def seekable(self, limit: int) -> BinaryIO:
        """Return the file for random access from its start; standard input is kept in a temporary file.

        InventoryError if standard input is larger than the limit in bytes.
        """
        if self.stream.seekable():
            self.stream.seek(0)
            return self.stream
        kept = tempfile.SpooledTemporaryFile(max_size=MIB)  # noqa: SIM115  # the caller closes it with the document
        kept.write(self.whole(limit))
        kept.seek(0)
        return kept  # type: ignore[return-value]  # a SpooledTemporaryFile is a BinaryIO in all but name

    @contextmanager
    def beside(self, relative: str) -> Iterator[Document | None]:
        """Open a neighbour and close it; None as for `neighbour`."""
        other = self.neighbour(relative)
        try:
            yield other
        finally:
            if other is not None:
                other.stream.close()

    def _from_rest(self) -> BinaryIO:
        if self.stream.seekable():
            self.stream.seek(len(self.head.data))
        return self.stream

    def _rest(self, most: int) -> bytes:
        return self._from_rest().read(max(0, most))


class _Joined(io.RawIOBase):
    """The first bytes of a stream, which were read already, and its rest."""

    def __init__(self, first: bytes, rest: BinaryIO) -> None:
        self._first, self._rest = io.BytesIO(first), rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # BufferedReader gives a memoryview
        data = self._first.read(len(buffer)) or self._rest.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _decode(data: bytes, errors: str) -> str:
    """Decode UTF-8, or UTF-16 by its byte order mark as PowerShell writes it. InventoryError if it is neither."""
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if marked else "utf-8-sig", errors)
    except UnicodeDecodeError as error:
        raise InventoryError(f"it is not text in UTF-8 (byte {error.start}); convert the file") from None
