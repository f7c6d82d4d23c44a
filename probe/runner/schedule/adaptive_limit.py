"""How many trials are in flight: fewer while the machine breaks them, more again as it does not.

Trials break where the machine has too much to do. To run them again at once adds to that, so the limit falls with
failures and grows with successes, as TCP's window does (RFC 9438, and RFC 6582 for what counts as one failure): down by
a share; back fast, slowly near the limit at which it failed, and faster again beyond that. A trial that only waits for
what a client does next costs little: it rests, and its place goes to another.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from probe.planning.plan import WAITING_PER_JOB

MIN_LIMIT = 8
DECREASE_FACTOR = 0.7
"""What is left of the limit after a failure."""
INCREASE_SHARE = 0.25
"""In a round of successes the limit grows by this part of its distance to the last failure's, by one at the least: a
hundred come back in a minute or two. By one in each round it took them ten, with a tenth of the cores idle."""


class AdaptiveLimit:
    """Lets trials in, up to a limit that follows what becomes of them."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic, *, in_flight: int | None = None) -> None:
        """Begin with the limit at the most that the user allows; `in_flight` limits all, those that rest included."""
        resting = (WAITING_PER_JOB + 1) * most
        self._in_flight = resting if in_flight is None else min(resting, in_flight)
        self._most, self._limit, self._failed_at = float(most), float(most), float(most)
        self._busy, self._resting = 0, 0
        self._clock, self._cut_at = clock, -1.0
        self._room = asyncio.Event()

    @property
    def limit(self) -> int:
        """How many may be busy."""
        return int(self._limit)

    async def enter(self) -> Permit:
        """Wait for room and take a place."""
        while self._busy >= self.limit or self._busy + self._resting >= self._in_flight:
            self._room.clear()
            await self._room.wait()
        self._busy += 1
        return Permit(self, self._clock())

    def changed(self, busy: int, resting: int) -> None:
        """Learn from a place that its holder rests or has left."""
        self._busy += busy
        self._resting += resting
        self._room.set()

    def failed(self, entered: float) -> None:
        """Learn that the harness failed at a trial that came in at a time.

        Who was inside at the last cut may have failed of what caused that one: only who came later counts.
        """
        if entered > self._cut_at:
            self._cut_at = self._clock()
            self._failed_at = self._limit
            self._limit = max(min(MIN_LIMIT, self._most), self._limit * DECREASE_FACTOR)

    def went_well(self) -> None:
        """Learn that a trial says something about its client."""
        in_a_round = max(1.0, abs(self._failed_at - self._limit) * INCREASE_SHARE)
        self._limit = min(self._most, self._limit + in_a_round / self._limit)


class Permit:
    """A trial's place in the crowd: busy, then perhaps resting, then left."""

    def __init__(self, crowd: AdaptiveLimit, entered: float) -> None:
        self._crowd, self._rests, self._left = crowd, False, False
        self.entered = entered

    def downgrade(self) -> None:
        """Let another be busy instead: from now on there is little to do here. Only the first call counts."""
        if not self._rests and not self._left:
            self._rests = True
            self._crowd.changed(-1, +1)

    def release(self) -> None:
        """Give the place back. Only the first call counts."""
        if not self._left:
            self._left = True
            self._crowd.changed(0 if self._rests else -1, -1 if self._rests else 0)
