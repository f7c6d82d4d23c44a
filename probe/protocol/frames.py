"""Split a byte stream into frames: a length of four bytes, then that number of bytes."""

from __future__ import annotations

from typing import NamedTuple

PREFIX = 4
MAX_FRAME = 100 << 20
"""Longer declared lengths are not of Kafka (`socket.request.max.bytes` is 100 MiB by default)."""
KEEP = 1 << 20
"""Number of bytes of a frame that are kept to be read. Further bytes are only counted."""
MOST_HOLES = 64
"""Places of lost bytes that a frame keeps."""


class Frame(NamedTuple):
    """The kept part of one frame: `data[start:end]` is the payload or its beginning."""

    data: bytes
    start: int
    end: int
    size: int
    """Bytes of the whole frame, including the length prefix."""
    holes: tuple[tuple[int, int], ...] = ()
    """Start and end in `data` of bytes that were lost on their way to this program. They are zero."""

    @property
    def whole(self) -> bool:
        """Return whether all bytes of the frame were kept."""
        return self.end - self.start + PREFIX == self.size and not self.holes

    def otherwise(self, tail: int) -> bytes:
        """Return `data` with other values in place of the lost bytes, but for the last `tail` bytes."""
        data, stop = bytearray(self.data), self.end - tail
        for low, high in self.holes:
            data[low : min(high, stop)] = b"\xff" * (min(high, stop) - low)
        return bytes(data)


class Splitter:
    """Splits a stream that arrives in parts. It never holds much more than `keep` bytes."""

    def __init__(self, smallest: int, *, max_frame: int = MAX_FRAME, keep: int = KEEP) -> None:
        self.fault = ""
        """Why the stream is not of Kafka. From then on nothing is split."""
        self._smallest, self._max, self._keep = smallest, max_frame, keep
        self._head = b""
        self._kept: bytearray | None = None
        self._size = 0
        self._missing = 0
        self._holes: tuple[tuple[int, int], ...] = ()

    def feed(self, data: bytes) -> list[Frame]:
        """Return the frames whose last byte is in `data`."""
        frames: list[Frame] = []
        if self.fault:
            return frames
        if self._kept is not None:
            data = self._resume(data, frames)
        if self._head:
            data, self._head = self._head + data, b""
        at, stop = 0, len(data)
        while stop - at >= PREFIX:
            size = int.from_bytes(data[at : at + PREFIX], "big", signed=True)
            if not self._smallest <= size <= self._max:
                self.fault = f"not Kafka: a frame of {size} bytes is declared (limit {self._max})"
                return frames
            at += PREFIX
            kept = at + min(size, self._keep)
            if at + size > stop:
                self._kept, self._size, self._missing = bytearray(data[at:kept]), size, at + size - stop
                return frames
            frames.append(Frame(data, at, kept, size + PREFIX))
            at += size
        self._head = data[at:]
        return frames

    def lose(self, count: int) -> list[Frame]:
        """Take note that the next bytes of the current frame are lost. Return the frame if it ends with them.

        `position` has how many bytes can be lost: the end of a frame that has not begun is not known.
        """
        frames: list[Frame] = []
        if self._kept is not None and count:
            low = len(self._kept)
            if low < self._keep:
                self._note_hole(low, min(low + count, self._keep))
                self._kept += bytes(min(count, self._keep - low))
            self._missing -= count
            self._end_frame(self._kept, frames)
        return frames

    def position(self) -> tuple[int, bytes]:
        """Return how many bytes of the current frame are missing, and the part of a length that arrived."""
        return (self._missing, b"") if self._kept is not None else (0, self._head)

    def _resume(self, data: bytes, frames: list[Frame]) -> bytes:
        """Continue a frame that began earlier. Return the data after it."""
        kept = self._kept if self._kept is not None else bytearray()
        part = data[: self._missing]
        kept += part[: self._keep - len(kept)]
        self._missing -= len(part)
        self._end_frame(kept, frames)
        return data[len(part) :]

    def _note_hole(self, low: int, high: int) -> None:
        """Keep the place of lost bytes. The last of many places holds all further ones, with what lies between them."""
        if len(self._holes) < MOST_HOLES:
            self._holes += ((low, high),)
        else:
            self._holes = (*self._holes[:-1], (self._holes[-1][0], high))

    def _end_frame(self, kept: bytearray, frames: list[Frame]) -> None:
        if not self._missing:
            frames.append(Frame(bytes(kept), 0, len(kept), self._size + PREFIX, self._holes))
            self._kept, self._holes = None, ()
