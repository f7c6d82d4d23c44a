"""How many cohorts are there at once: one starts and breaks; others watch, as long as their cells are not too many.

Starting dozens of clients and moving their partitions takes a whole slow machine for some seconds; two cohorts that did
so together took it from each other, so a second one does so only where cores are idle all the same. Watching takes
less, by the number of clients that are still watched and by what they do: dozens that wait five minutes for a time-out
leave the cores idle.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable

CHECK_S = 0.5
"""Whether cores are idle is looked at so often."""
MAX_STARTING_COHORTS = 2
"""So many are busy at the most."""
SECOND_START_DELAY_S = 8.0
"""Whether cores are idle beside a cohort that starts is seen so long after it came in."""


class CohortAdmission:
    """Lets cohorts in, one after the other."""

    def __init__(
        self, clusters: int, watching: int, spare: Callable[[], bool] = lambda: False, *, in_silence: int = 0
    ) -> None:
        """Begin with nobody there; so many cohorts at the most, and so many beside them that watch silence.

        Where one starts so many cells watch at the most and nobody else starts, or while `spare` says that the machine
        has time.
        """
        self._clusters, self._most, self._spare = clusters, watching, spare
        self._in_silence = in_silence
        self._there = self._watching = self._busy = self._silent = 0
        self._came_at = 0.0
        self._changed = asyncio.Event()

    async def enter(self, cells: int, *, silent: bool = False) -> CohortSlot:
        """Wait for room and take a lane for a cohort of so many cells, which watches silence or does not."""
        while not self._has_room():
            self._changed.clear()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CHECK_S):
                    await self._changed.wait()
        self._busy += 1
        self._there += 1
        self._silent += silent
        self._came_at = time.monotonic()
        return CohortSlot(self, cells, silent=silent)

    def _has_room(self) -> bool:
        if self._there - min(self._silent, self._in_silence) >= self._clusters or self._busy >= MAX_STARTING_COHORTS:
            return False
        if self._busy and time.monotonic() - self._came_at < SECOND_START_DELAY_S:
            return False
        return self._spare() or not (self._busy or self._watching > self._most)

    def changed(self, *, calm: bool = False, watching: int = 0, left: int = 0, silent: int = 0) -> None:
        """Learn from a lane that its cohort is busy no longer, that cells watch or have ended, that it has left."""
        self._busy -= calm
        self._watching += watching
        self._there -= left
        self._silent -= silent
        self._changed.set()


class CohortSlot:
    """A cohort's lane: busy until all its cells rest or have ended, then watching, then left."""

    def __init__(self, admission: CohortAdmission, cells: int, *, silent: bool = False) -> None:
        self._lanes = admission
        self.silent = silent
        """Its cohort watches silence."""
        self._restless, self._alive = set(range(cells)), set(range(cells))
        self._calm = self._left = False

    def downgrade(self, cell: int) -> Callable[[], None]:
        """Return what says that a cell only waits from now on; it may be said again and again."""

        def rest() -> None:
            self._restless.discard(cell)
            if not self._restless:
                self._calm_down()

        return rest

    def ended(self, cell: int) -> None:
        """Say that a cell is no longer watched."""
        if cell in self._alive:
            self._alive.discard(cell)
            if self._calm:
                self._lanes.changed(watching=-1)
        self.downgrade(cell)()

    def leave(self) -> None:
        """Give the lane back. Only the first call counts."""
        if not self._left:
            self._left = True
            self._calm_down()
            self._lanes.changed(watching=-len(self._alive), left=1, silent=self.silent)
            self._alive.clear()

    def _calm_down(self) -> None:
        if not self._calm:
            self._calm = True
            self._lanes.changed(calm=True, watching=len(self._alive))
