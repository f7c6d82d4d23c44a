"""A selector that slows a library which looks for what came again and again without waiting for it."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable

from driving.floods import Flood

LOOKS, LOOKS_S, SLOW_LOOK_S = 100, 1.0, 0.005
"""A library that looks so often in so short a time, without waiting and in vain, goes round in a loop (the sender of
kafka-python's transactional producer while its coordinator is gone: for 80 s, some thousand times a second) and takes
a core from the clients beside it. Each such look then waits for so long at the most: what comes meanwhile ends it."""


class PatientSelector(selectors.DefaultSelector):
    """The machine's best selector, for one client."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """Begin; `notice` is told once, should looks be slowed."""
        super().__init__()
        self._notice = notice
        self._in_vain = Flood(LOOKS, LOOKS_S)
        self._told = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready, as any selector does."""
        waits = timeout is None or timeout > 0
        found = super().select(timeout if waits or not self._in_vain.on else SLOW_LOOK_S)
        if not waits and not found:
            self._count(time.monotonic())
        return found

    def _count(self, now: float) -> None:
        if self._in_vain.another(now) and not self._told:
            self._told = True
            told = f"{LOOKS} times in {LOOKS_S:.0f} s without waiting: a look takes {SLOW_LOOK_S * 1000:.0f} ms"
            self._notice(f"it looks for what came more than {told} from here on")
