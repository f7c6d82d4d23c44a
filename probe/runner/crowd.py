"""How many trials are in flight: fewer while the machine breaks them, more again as it does not.

Trials break where the machine has too much to do. To run them again at once adds to that, so the limit falls with
failures and grows slowly with successes, as TCP's window does (RFC 5681): down by a share, up by one in a round.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

LEAST = 8
KEEP = 0.7
"""What is left of the limit after a failure."""
QUIET_S = 15.0
"""Failures so soon after another have the same cause."""


class Crowd:
    """Lets trials in, up to a limit that follows what becomes of them."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        """Begin with the limit at the most that the user allows."""
        self._most, self._limit, self._inside = float(most), float(most), 0
        self._clock, self._cut_at = clock, -QUIET_S
        self._left = asyncio.Condition()

    @property
    def limit(self) -> int:
        """How many may be inside."""
        return int(self._limit)

    async def enter(self) -> None:
        """Wait for room."""
        async with self._left:
            await self._left.wait_for(lambda: self._inside < self.limit)
            self._inside += 1

    async def leave(self) -> None:
        """Make room."""
        async with self._left:
            self._inside -= 1
            self._left.notify_all()

    def failed(self) -> None:
        """Learn that the harness failed at a trial."""
        if self._clock() - self._cut_at >= QUIET_S:
            self._cut_at = self._clock()
            self._limit = max(min(LEAST, self._most), self._limit * KEEP)

    def went_well(self) -> None:
        """Learn that a trial says something about its client."""
        self._limit = min(self._most, self._limit + 1 / self._limit)
