"""Admission of cohorts: one starts and injects its fault; others observe, as long as their cells are not too many.

To start dozens of clients and move their partitions takes a slow machine's whole CPU for some seconds. Two cohorts in
that phase slow each other down, so a second one starts only where cores are idle. Observation takes less CPU, depending
on the number of clients and what they do: clients that wait for time-outs leave the cores idle.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

from probe.model.counts import counted
from probe.runner.capacity import LimitedBy

CHECK_S = 0.5
"""Interval of checks whether cores are idle."""
MAX_STARTING_COHORTS = 2
"""Most busy cohorts."""
SECOND_START_DELAY_S = 8.0
"""Time after a cohort's admission from which it is known whether it leaves cores idle."""


class CohortAdmission:
    """Admits cohorts one after the other."""

    def __init__(
        self,
        clusters: int,
        watching: int,
        spare: Callable[[], bool] = lambda: False,
        *,
        in_silence: int = 0,
        fits: Callable[[int], bool] = lambda _: True,
    ) -> None:
        """Start without cohorts; `clusters` limits them, `in_silence` limits additional ones that observe silence.

        A cohort is admitted if no other starts and at most `watching` cells are observed, or if `spare` returns that
        the machine is idle enough. `fits` returns whether memory is left for a further cohort of a number of cells.
        """
        self._clusters, self._most, self._spare = clusters, watching, spare
        self._in_silence, self._fits = in_silence, fits
        self._cause: LimitedBy | None = None
        self._cells = 0
        self._there = self._watching = self._busy = self._silent = 0
        self._came_at = 0.0
        self._changed = asyncio.Event()

    async def enter(self, cells: int, *, silent: bool = False) -> CohortSlot:
        """Wait for a slot and take it for a cohort with this number of cells, which observes silence or does not."""
        while (cause := self._limited_by(cells)) is not None:
            self._cause = cause
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CHECK_S):
                    await self._changed.wait()
        self._busy += 1
        self._there += 1
        self._cells += cells
        self._silent += silent
        self._came_at = time.monotonic()
        return CohortSlot(self, cells, silent=silent)

    def standing(self) -> str:
        """Return how many cells are in flight and what limits their number, for people."""
        bound = "" if self._cause is None else f", limited by {self._cause}"
        return f"{self._cells} in flight in {counted(self._there, 'cohort')}{bound}"

    def all_admitted(self) -> None:
        """Record that no cohort waits for admission any more."""
        self._cause = None

    def _limited_by(self, cells: int) -> LimitedBy | None:
        """Return what prevents the start of a cohort with this number of cells; None if it may start."""
        if self._there - min(self._silent, self._in_silence) >= self._clusters:
            return LimitedBy.CLUSTER_COUNT
        if self._busy >= MAX_STARTING_COHORTS:
            return LimitedBy.STARTS
        if self._there and not self._fits(cells):
            return LimitedBy.MEMORY
        if self._busy and time.monotonic() - self._came_at < SECOND_START_DELAY_S:
            return LimitedBy.STARTS
        return LimitedBy.CORES if (self._busy or self._watching > self._most) and not self._spare() else None

    def changed(
        self, *, calm: bool = False, watching: int = 0, left: int = 0, silent: int = 0, closed: int = 0
    ) -> None:
        """Record changes of a slot: its cohort is no longer busy, cells are observed or have ended, it was left."""
        self._busy -= calm
        self._cells -= closed
        self._watching += watching
        self._there -= left
        self._silent -= silent
        self._changed.set()


class CohortSlot:
    """A cohort's slot: busy until all its cells rest or have ended, then observing, then left."""

    def __init__(self, admission: CohortAdmission, cells: int, *, silent: bool = False) -> None:
        self._lanes = admission
        self.silent = silent
        """Whether its cohort observes silence."""
        self._restless, self._alive = set(range(cells)), set(range(cells))
        self._calm = self._left = False

    def downgrade(self, cell: int) -> Callable[[], None]:
        """Return a function to call, once or more often, when a cell only waits from now on."""

        def rest() -> None:
            self._restless.discard(cell)
            if not self._restless:
                self._calm_down()

        return rest

    def ended(self, cell: int) -> None:
        """Record that a cell is no longer observed."""
        if cell in self._alive:
            self._alive.discard(cell)
            self._lanes.changed(watching=-1 if self._calm else 0, closed=1)
        self.downgrade(cell)()

    def leave(self) -> None:
        """Release the slot. Only the first call counts."""
        if not self._left:
            self._left = True
            self._calm_down()
            self._lanes.changed(watching=-len(self._alive), left=1, silent=self.silent, closed=len(self._alive))
            self._alive.clear()

    def _calm_down(self) -> None:
        if not self._calm:
            self._calm = True
            self._lanes.changed(calm=True, watching=len(self._alive))
