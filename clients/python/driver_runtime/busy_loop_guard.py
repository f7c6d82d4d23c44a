"""A selector that slows a library which polls its sockets in a loop without waiting."""

from __future__ import annotations

import selectors
import time
from collections.abc import Callable

from driver_runtime.rate_detector import RateDetector

POLLS, POLLS_S, DELAYED_POLL_S = 100, 1.0, 0.005
"""A library with more than `POLLS` polls in `POLLS_S` seconds, none of which waits or finds anything, is in a busy loop
(the sender of kafka-python's transactional producer while its coordinator is gone: for 80 s, some thousand times per
second) and occupies a core. Every such poll then waits for at most `DELAYED_POLL_S` seconds; data ends the wait."""


class ThrottledSelector(selectors.DefaultSelector):
    """The machine's default selector, for one client."""

    def __init__(self, notice: Callable[[str], None]) -> None:
        """Begin; `notice` is called once, when polls begin to be delayed."""
        super().__init__()
        self._notice = notice
        self._empty_polls = RateDetector(POLLS, POLLS_S)
        self._reported = False

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """Return what is ready, as any selector does."""
        waits = timeout is None or timeout > 0
        found = super().select(timeout if waits or not self._empty_polls.exceeded else DELAYED_POLL_S)
        if not waits and not found:
            self._count(time.monotonic())
        return found

    def _count(self, now: float) -> None:
        if self._empty_polls.add(now) and not self._reported:
            self._reported = True
            limit = f"{POLLS} polls in {POLLS_S:.0f} s without waiting"
            self._notice(f"more than {limit}: every further one takes {DELAYED_POLL_S * 1000:.0f} ms")
