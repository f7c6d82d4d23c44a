"""Answers that wait: bytes on their way to a client, released in order when their time has come. Sans-io."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

HEADER = 8
"""Length and correlation id: what must be seen of a frame to know its API."""


class DelayQueue:
    """Delays one connection's answers; a frame waits as long as its API asks for, and holds up those behind it.

    `delay_us(api)` is asked once a frame, when its correlation id is known; until then its first bytes stay here.
    """

    def __init__(
        self,
        api_of: Callable[[int], int],
        delay_us: Callable[[int], int],
        *,
        missing: int = 0,
        head: bytes = b"",
    ) -> None:
        """`missing` and `head`: a frame of which a part was passed on before, as `Splitter.position` gives it."""
        self._api_of, self._delay_us = api_of, delay_us
        self._missing = missing
        self._head, self._passed = head, len(head)
        self._delay = delay_us(-1)
        self._queue: deque[tuple[int, bytes]] = deque()
        self.waiting = 0
        """Bytes held here."""

    @property
    def next_at(self) -> int | None:
        """When the next bytes are due, microseconds; None if none wait."""
        return self._queue[0][0] if self._queue else None

    @property
    def empty(self) -> bool:
        """Nothing is held, not even a part of a header."""
        return not self._queue and len(self._head) == self._passed

    def put(self, data: bytes, at: int) -> None:
        """Take bytes that came from the broker at `at`."""
        while data:
            if self._missing:
                part, data = data[: self._missing], data[self._missing :]
                self._missing -= len(part)
                self._append(part, at)
                continue
            take = HEADER - len(self._head)
            self._head, data = self._head + data[:take], data[take:]
            if len(self._head) == HEADER:
                self._begin(at)

    def due(self, at: int) -> bytes:
        """Return what may be passed on at `at`."""
        parts = []
        while self._queue and self._queue[0][0] <= at:
            parts.append(self._queue.popleft()[1])
        released = b"".join(parts)
        self.waiting -= len(released)
        return released

    def _begin(self, at: int) -> None:
        """Begin a frame whose header is complete."""
        size, corr = int.from_bytes(self._head[:4], "big"), int.from_bytes(self._head[4:], "big", signed=True)
        self._delay = self._delay_us(self._api_of(corr))
        self._missing = max(size - 4, 0)
        self._append(self._head[self._passed :], at)
        self._head, self._passed = b"", 0

    def _append(self, part: bytes, at: int) -> None:
        release = at + self._delay
        if self._queue:
            release = max(release, self._queue[-1][0])
        self._queue.append((release, part))
        self.waiting += len(part)
