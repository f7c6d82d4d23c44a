"""A byte stream cut into frames: a length of four bytes, then so many bytes."""

from __future__ import annotations

from typing import NamedTuple

PREFIX = 4
MAX_FRAME = 100 << 20
"""Declared lengths beyond this are no Kafka (`socket.request.max.bytes` is 100 MiB by default)."""
KEEP = 1 << 20
"""So much of a frame is kept to be read; the rest is only counted."""


class Frame(NamedTuple):
    """What was kept of one frame: `data[start:end]` is the payload or its beginning."""

    data: bytes
    start: int
    end: int
    size: int
    """Bytes of the whole frame, length prefix included."""

    @property
    def whole(self) -> bool:
        """Nothing was left out."""
        return self.end - self.start + PREFIX == self.size


class Splitter:
    """Feed it bytes as they come, it gives the frames that they complete. Never holds more than `keep` and a bit."""

    def __init__(self, smallest: int, *, max_frame: int = MAX_FRAME, keep: int = KEEP) -> None:
        self.fault = ""
        """Why this is no stream of Kafka's; nothing is cut any more then."""
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
        """Return how many bytes of the current frame are still to come, and the part of a length that came."""
        return (self._missing, b"") if self._kept is not None else (0, self._head)

    def _resume(self, data: bytes, frames: list[Frame]) -> bytes:
        """Go on with a frame that began earlier; return what comes behind it."""
        kept = self._kept if self._kept is not None else bytearray()
        part = data[: self._missing]
        kept += part[: self._keep - len(kept)]
        self._missing -= len(part)
        if not self._missing:
            frames.append(Frame(bytes(kept), 0, len(kept), self._size + PREFIX))
            self._kept = None
        return data[len(part) :]
