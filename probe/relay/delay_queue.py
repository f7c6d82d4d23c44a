"""Delayed answers: bytes on their way to a client, released in order at their time. Sans-io."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

HEADER = 8
"""Length and correlation id: the bytes of a frame that are needed to find its API."""


class DelayQueue:
    """Delays one connection's answers; a frame waits as long as its API requires, and delays those behind it.

    `delay_us(api)` is called once per frame, when its correlation id is known. The first bytes are kept until then.
    """

    def __init__(
        self,
        api_of: Callable[[int], int],
        delay_us: Callable[[int], int],
        *,
        missing: int = 0,
        head: bytes = b"",
    ) -> None:
        """Start; `missing` and `head` describe a frame that was partly forwarded, as `Splitter.position` returns it."""
        self._api_of, self._delay_us = api_of, delay_us
        self._missing = missing
        self._head, self._passed = head, len(head)
        self._delay = delay_us(-1)
        self._queue: deque[tuple[int, bytes]] = deque()
        self.waiting = 0
        """Number of bytes kept."""

    @property
    def next_at(self) -> int | None:
        """Time at which the next bytes are due, in microseconds; None if none wait."""
        return self._queue[0][0] if self._queue else None

    @property
    def empty(self) -> bool:
        """Whether nothing is kept, not even a part of a header."""
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
        """Return the bytes that are due at `at`."""
        parts = []
        while self._queue and self._queue[0][0] <= at:
            parts.append(self._queue.popleft()[1])
        released = b"".join(parts)
        self.waiting -= len(released)
        return released

    def _begin(self, at: int) -> None:
        """Start a frame whose header is complete."""
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
