"""Split a byte stream into frames: a length of four bytes, then that number of bytes."""

from __future__ import annotations

from typing import NamedTuple

PREFIX = 4
MAX_FRAME = 100 << 20
"""Longer declared lengths are not of Kafka (`socket.request.max.bytes` is 100 MiB by default)."""
KEEP = 1 << 20
"""Number of bytes of a frame that are kept to be read. Further bytes are only counted."""


class Frame(NamedTuple):
    """The kept part of one frame: `data[start:end]` is the payload or its beginning."""

    data: bytes
    start: int
    end: int
    size: int
    """Bytes of the whole frame, including the length prefix."""

    @property
    def whole(self) -> bool:
        """Return whether all bytes of the frame were kept."""
        return self.end - self.start + PREFIX == self.size


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

    def position(self) -> tuple[int, bytes]:
        """Return how many bytes of the current frame are missing, and the part of a length that arrived."""
        return (self._missing, b"") if self._kept is not None else (0, self._head)

    def _resume(self, data: bytes, frames: list[Frame]) -> bytes:
        """Continue a frame that began earlier. Return the data after it."""
        kept = self._kept if self._kept is not None else bytearray()
        part = data[: self._missing]
        kept += part[: self._keep - len(kept)]
        self._missing -= len(part)
        if not self._missing:
            frames.append(Frame(bytes(kept), 0, len(kept), self._size + PREFIX))
            self._kept = None
        return data[len(part) :]
