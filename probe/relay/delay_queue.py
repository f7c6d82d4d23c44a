"""Delayed answers: bytes on their way to a client, released in order at their time. Sans-io."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

HEADER = 8
"""Length and correlation id: the bytes of a frame that are needed to find its API."""


class DelayQueue:
    """Delays one connection's answers; a frame waits as long as its API requires, and delays those behind it.

    `delay_us(api)` is called once per frame, when its correlation id is known. The first bytes are kept until then.
    `passing(api, size)`, called likewise, returns how many of its bytes pass before the connection ends; None = all.
    """

    def __init__(
        self,
        api_of: Callable[[int], int],
        delay_us: Callable[[int], int],
        passing: Callable[[int, int], int | None] = lambda _api, _size: None,
        *,
        missing: int = 0,
        head: bytes = b"",
    ) -> None:
        """Start; `missing` and `head` describe a frame that was partly forwarded, as `Splitter.position` returns it."""
        self._api_of, self._delay_us, self._passing = api_of, delay_us, passing
        self._left: int | None = None
        """Number of bytes that still pass before the connection ends; None = no end is near."""
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

    @property
    def over(self) -> bool:
        """Whether the connection ends here, inside a frame: all that passes of it has been handed out."""
        return self._left == 0 and not self._queue

    def put(self, data: bytes, at: int) -> None:
        """Take bytes that came from the broker at `at`. Those behind the end of the connection are dropped."""
        while data and self._left != 0:
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
        api = self._api_of(corr)
        self._delay = self._delay_us(api)
        self._missing = max(size - 4, 0)
        if (most := self._passing(api, size + 4)) is not None:
            self._left = max(most - self._passed, 0)
        self._append(self._head[self._passed :], at)
        self._head, self._passed = b"", 0

    def _append(self, part: bytes, at: int) -> None:
        if self._left is not None:
            part = part[: self._left]
            self._left -= len(part)
        release = at + self._delay
        if self._queue:
            release = max(release, self._queue[-1][0])
        self._queue.append((release, part))
        self.waiting += len(part)
