"""Bytes that have passed and are not decoded yet. Decoding them later delays no answer, and in a row costs less."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager

READ_S = 0.02
"""Longest time for which bytes wait. Code that last ran for another frame, many system calls ago, is no longer in the
processor's caches, so that decoding in a row costs less (docs/performance.md, "Relay")."""
MOST_BYTES = 1 << 20
"""Bytes that wait at most; more are decoded at once."""
MOST_PIECES = 200
"""Pieces that wait at most, so that the event loop is not kept for more than some milliseconds."""

Reader = Callable[[bytes, int], object]
"""Decodes a piece that passed at this time, in microseconds. It must not raise."""


class Backlog:
    """The pieces of all connections of one or more relays, decoded in the order in which they passed."""

    def __init__(self, wait_s: float = READ_S) -> None:
        """Start empty; pieces wait for `wait_s` seconds."""
        self._wait_s = wait_s
        self._pieces: deque[tuple[Reader, bytes, int]] = deque()
        self._bytes = 0
        self._timer: asyncio.TimerHandle | None = None
        self._hurries = 0
        """Number of callers for which nothing waits."""

    def add(self, read: Reader, data: bytes, at: int) -> None:
        """Keep a piece that passed at `at` for `read`."""
        self._pieces.append((read, data, at))
        self._bytes += len(data)
        if self._hurries or self._bytes > MOST_BYTES or len(self._pieces) > MOST_PIECES:
            self.read_on()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self._wait_s, self._due)

    def read_on(self) -> None:
        """Decode all pieces now."""
        self._bytes = 0
        while self._pieces:
            read, data, at = self._pieces.popleft()
            read(data, at)

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Decode each piece as soon as it has passed, inside the block: somebody waits for the moment of a frame."""
        self._hurries += 1
        try:
            self.read_on()
            yield
        finally:
            self._hurries -= 1

    def _due(self) -> None:
        self._timer = None
        self.read_on()
