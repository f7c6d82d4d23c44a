"""Events that are found about in order, given out in order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from operator import attrgetter

from probe.diagnose.observation import Wire
from probe.model import Event

by_time = attrgetter("at")


class Ordered:
    """Keeps events until earlier ones cannot come any more."""

    def __init__(self) -> None:
        self.waiting: list[Event] = []
        self._given = 0

    def due(self, until: int | None) -> Iterator[Wire]:
        """Yield the events up to a time, or all of them.

        One that came too late, as of a connection that was open for long before its first request, has the time of the
        last event before it.
        """
        waiting = self.waiting
        waiting.sort(key=by_time)
        for late in range(bisect_right(waiting, self._given - 1, key=by_time)):
            waiting[late] = replace(waiting[late], at=self._given)
        count = len(waiting) if until is None else bisect_right(waiting, until, key=by_time)
        ready = waiting[:count]
        del waiting[:count]
        if ready:
            self._given = ready[-1].at
        yield from ready  # type: ignore[misc]  # a conversation gives events of the wire
