"""Events of one kind within the two seconds of the bounds of storms (docs/verdicts.md#storm). Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable

from probe.verdict.storms import WINDOW_US

KINDS = 64
"""Kinds that are kept before those are dropped of which none came in the last two seconds."""


class Bursts:
    """The times of the last two seconds, by kind."""

    def __init__(self) -> None:
        self._recent: dict[Hashable, deque[int]] = {}

    def add(self, kind: Hashable, at: int) -> int:
        """Note an event at a time, in microseconds. Return how many of its kind came in the two seconds until then."""
        if kind not in self._recent and len(self._recent) >= KINDS:
            self._recent = {one: times for one, times in self._recent.items() if times[-1] >= at - WINDOW_US}
        times = self._recent.setdefault(kind, deque())
        times.append(at)
        while times[0] < at - WINDOW_US:
            times.popleft()
        return len(times)
