"""Admission of trials: as many as the machine, failures of the harness, and `--jobs` allow.

`capacity.py` decides from the state of the machine. A trial in which the harness failed says that this was too much,
and its repetition adds to the load. So a limit follows failures and successes as TCP's window does (RFC 9438, and RFC
6582 for what counts as one failure): it falls by a share of the trials that were busy and rises fast, slowly near the
limit of the last failure, and faster again beyond that. A trial that only waits for its client's next reaction costs
little: it rests, and another one may be busy.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from probe.model import Client
from probe.planning.plan import WAITING_PER_JOB
from probe.runner.capacity import (
    PASSING,
    TRIAL_MB,
    Caps,
    LimitedBy,
    Machine,
    Trials,
    limited_by,
    reserve_mb,
    seen_trial_mb,
)
from probe.runner.trial_limit import MOST

MIN_LIMIT = 8
FIRST_CUT_FROM = 32
"""Least number of busy trials from which a failure cuts: one at the start of a run says little about the machine."""
DECREASE_FACTOR = 0.7
"""Remaining share of the busy trials after a failure."""
INCREASE_SHARE = 0.25
"""Growth of the limit in a round of successes, as a share of its distance to the last failure's limit; at least 1.
Growth by one per round would take too long after a failure at a high limit."""
CHECK_S = 0.02
PATIENCE_S = 20.0
"""Longest wait for idle cores and a punctual loop, which other programs may prevent for ever."""
NEW_DRIVER_S = 4.0
"""Time in which a driver process starts: a JVM under load."""
NEAR_PEAK = 0.8
"""Share of the most trials in flight so far with which memory per trial is measured: driver processes are kept when
trials end, so that a few trials seem to take the memory of many."""


class StartingSlots(asyncio.Semaphore):
    """Slots of trials that start, counted."""

    def __init__(self, most: int) -> None:
        super().__init__(most)
        self.taken = 0
        """Number of trials that hold a slot."""

    async def acquire(self) -> Literal[True]:
        """Wait for a slot and take it."""
        await super().acquire()
        self.taken += 1
        return True

    def release(self) -> None:
        """Return a slot."""
        self.taken -= 1
        super().release()


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionLimits:
    """Limits of the user and of the system."""

    jobs: int | None = None
    """Most busy trials; None without `--jobs`."""
    in_flight: int | None = None
    """Most trials in flight, by the limit of open files."""
    exactly: int | None = None
    """Trials in flight whatever the machine's state, for measurements; None in ordinary runs."""


def no_machine() -> Machine:
    """Return a machine that limits nothing."""
    return Machine(cores=MOST, idle=1.0)


class AdaptiveLimit:
    """Admits trials one after the other."""

    def __init__(
        self,
        limits: AdmissionLimits,
        machine: Callable[[], Machine] = no_machine,
        starting: Callable[[], int] = lambda: 0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Start without trials; `machine` returns the machine's state, `starting` the number of trials that start."""
        self._limits, self._machine, self._starting, self._clock = limits, machine, starting, clock
        self._most = float(limits.jobs or MOST)
        self._limit, self._failed_at = self._most, self._most
        self._busy, self._resting, self._most_busy, self._peak = 0, 0, 0, 0
        self._cut_at, self._admitted_at = -1.0, -PATIENCE_S
        self._at_first_mb = machine().memory_mb
        self._trial_mb = TRIAL_MB
        self._drivers: dict[Client, float] = {}
        self._room, self._turn = asyncio.Event(), asyncio.Lock()
        self._cause: LimitedBy | None = None

    @property
    def limit(self) -> int:
        """Number of trials that may be busy if the machine's state allows it."""
        return int(self._limit)

    def standing(self) -> str:
        """Return how many trials are in flight and what limits them, for people."""
        bound = "" if self._cause is None else f", limited by {self._cause}"
        return f"{self._busy + self._resting} in flight{bound}"

    async def enter(self, client: Client | None = None) -> Permit:
        """Wait until another trial, of this client, may be busy, and return its permit."""
        async with self._turn:
            began = self._clock()
            while (cause := self._limited_by(client)) is not None:
                if cause in PASSING and self._clock() - began >= PATIENCE_S:
                    break
                self._cause = cause
                self._room.clear()
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(CHECK_S):
                        await self._room.wait()
            self._admitted(client)
        return Permit(self, self._clock())

    def enter_now(self) -> Permit:
        """Admit a trial without waiting, because trials that hold permits wait for its result."""
        self._admitted(None)
        return Permit(self, self._clock())

    def all_admitted(self) -> None:
        """Record that no trial waits for admission any more."""
        self._cause = None

    def _limited_by(self, client: Client | None) -> LimitedBy | None:
        if (exactly := self._limits.exactly) is not None:
            return LimitedBy.JOBS if self._busy + self._resting >= exactly else None
        machine, now = self._machine(), self._clock()
        new = sum(1 for at in self._drivers.values() if now - at < NEW_DRIVER_S)
        crowd = Trials(
            busy=self._busy,
            resting=self._resting,
            starting=self._starting(),
            new_drivers=new + (client is not None and client not in self._drivers),
            last_start_s=now - self._admitted_at,
            trial_mb=self._seen_trial_mb(machine),
        )
        caps = Caps(
            jobs=self._limits.jobs,
            waiting_per_job=WAITING_PER_JOB,
            files=self._limits.in_flight,
            after_failures=self.limit if self._limit < self._most else None,
            reserve_mb=reserve_mb(self._at_first_mb),
        )
        return limited_by(machine, crowd, caps)

    def _seen_trial_mb(self, machine: Machine) -> float:
        in_flight = self._busy + self._resting
        self._peak = max(self._peak, in_flight)
        if machine.memory_mb is not None and self._at_first_mb is not None and in_flight > NEAR_PEAK * self._peak:
            self._trial_mb = seen_trial_mb(self._at_first_mb, machine.memory_mb, in_flight - self._starting())
        return self._trial_mb

    def _admitted(self, client: Client | None) -> None:
        self._admitted_at = self._clock()
        self._busy += 1
        self._most_busy = max(self._most_busy, self._busy)
        if client is not None:
            self._drivers.setdefault(client, self._admitted_at)

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
            # without --jobs the limit is far above the number of trials that were busy
            self._failed_at = min(self._limit, max(self._most_busy, FIRST_CUT_FROM))
            self._limit = max(min(MIN_LIMIT, self._most), self._failed_at * DECREASE_FACTOR)

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
