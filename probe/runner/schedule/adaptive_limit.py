"""Adaptive limit of concurrent trials: lower after failures of the harness, higher after successes.

Trials fail when the machine is overloaded, and repetition adds to the load. So the limit follows failures and successes
as TCP's window does (RFC 9438, and RFC 6582 for what counts as one failure). It falls by a share and rises fast, slowly
near the limit of the last failure, and faster again beyond that. A trial that only waits for its client's next reaction
costs little: it rests, and another one may be busy.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

from probe.planning.plan import WAITING_PER_JOB

MIN_LIMIT = 8
DECREASE_FACTOR = 0.7
"""Remaining share of the limit after a failure."""
INCREASE_SHARE = 0.25
"""Growth of the limit in a round of successes, as a share of its distance to the last failure's limit; at least 1.
Growth by one per round would take too long after a failure at a high limit."""


class AdaptiveLimit:
    """Admits trials, up to a limit that follows their success."""

    def __init__(self, most: int, clock: Callable[[], float] = time.monotonic, *, in_flight: int | None = None) -> None:
        """Start with the limit that the user allows; `in_flight` limits all trials, including resting ones."""
        resting = (WAITING_PER_JOB + 1) * most
        self._in_flight = resting if in_flight is None else min(resting, in_flight)
        self._most, self._limit, self._failed_at = float(most), float(most), float(most)
        self._busy, self._resting = 0, 0
        self._clock, self._cut_at = clock, -1.0
        self._room = asyncio.Event()

    @property
    def limit(self) -> int:
        """Number of trials that may be busy."""
        return int(self._limit)

    async def enter(self) -> Permit:
        """Wait until the limit allows another busy trial, and return its permit."""
        while self._busy >= self.limit or self._busy + self._resting >= self._in_flight:
            self._room.clear()
            await self._room.wait()
        self._busy += 1
        return Permit(self, self._clock())

    def changed(self, busy: int, resting: int) -> None:
        """Record that a permit was downgraded or released."""
        self._busy += busy
        self._resting += resting
        self._room.set()

    def failed(self, entered: float) -> None:
        """Record that the harness failed in a trial that was admitted at the time `entered`.

        A trial that was admitted before the last decrease may have failed for the same cause, so it does not count.
        """
        if entered > self._cut_at:
            self._cut_at = self._clock()
            self._failed_at = self._limit
            self._limit = max(min(MIN_LIMIT, self._most), self._limit * DECREASE_FACTOR)

    def went_well(self) -> None:
        """Record a trial in which the harness did not fail."""
        in_a_round = max(1.0, abs(self._failed_at - self._limit) * INCREASE_SHARE)
        self._limit = min(self._most, self._limit + in_a_round / self._limit)


class Permit:
    """Permission of one trial to run: busy, then perhaps resting, then released."""

    def __init__(self, crowd: AdaptiveLimit, entered: float) -> None:
        self._crowd, self._rests, self._left = crowd, False, False
        self.entered = entered

    def downgrade(self) -> None:
        """Let another trial be busy, since this one only waits from now on. Only the first call counts."""
        if not self._rests and not self._left:
            self._rests = True
            self._crowd.changed(-1, +1)

    def release(self) -> None:
        """Release the permit. Only the first call counts."""
        if not self._left:
            self._left = True
            self._crowd.changed(0 if self._rests else -1, -1 if self._rests else 0)
