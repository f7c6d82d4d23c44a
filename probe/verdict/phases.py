"""At which moment of a client's own intervals the fault came (docs/verdicts.md#phases)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from statistics import median
from typing import TypeVar

from probe.model import App, AppKind, Header, Mark, MarkKind, PhaseClock, Request, Symptom, Target
from probe.model.roles import ROLES
from probe.protocol import apis
from probe.verdict.timeline import EventIndex

LONGEST_MS = 5000
"""The fault waits for intervals of at most this length: a longer one would lengthen every trial by half of it."""
GAPS = 3
"""Gaps between commits whose median is their interval, which drivers set and do not report."""
ABSENT_INTERVALS = 2
"""What has not come for this many of its intervals does not come at this interval."""
SESSION = frozenset({Symptom.CONNECTION, Symptom.SILENCE, Symptom.ABSENCE})
"""Symptoms that end a member's session with its group, or its heartbeats, although another object is the target."""
TICKS: Mapping[PhaseClock, tuple[int, ...]] = {
    PhaseClock.REFRESH: (apis.METADATA,),
    # a member that has just joined begins to count there
    PhaseClock.HEARTBEAT: (
        apis.HEARTBEAT,
        apis.CONSUMER_GROUP_HEARTBEAT,
        apis.STREAMS_GROUP_HEARTBEAT,
        apis.SYNC_GROUP,
    ),
    PhaseClock.COMMIT: (apis.OFFSET_COMMIT,),
}
"""The requests that are a tick; of operations it is an event of the application."""
TIME = attrgetter("at")
T = TypeVar("T", App, Mark, Request)


@dataclass(frozen=True, slots=True)
class Ticking:
    """The repeated action of a client."""

    clock: PhaseClock
    every_us: int
    last: int
    """Its last tick."""

    def share(self, at: int) -> float:
        """Return the share of the interval that has passed at a time, from 0 to below 1."""
        return (at - self.last) % self.every_us / self.every_us


def find_ticking(header: Header, events: EventIndex, at: int) -> Ticking | None:
    """Return the first of the client's intervals that may decide how it meets a fault at a time; None if there is none.

    `events` are the client's own.
    """
    for clock, every_ms in _intervals(header, events, at):
        last = _last_tick(header, events, clock, at)
        if 0 < every_ms <= LONGEST_MS and last is not None and at - last <= ABSENT_INTERVALS * every_ms * 1000:
            return Ticking(clock, every_ms * 1000, last)
    return None


def _intervals(header: Header, events: EventIndex, at: int) -> Iterator[tuple[PhaseClock, int]]:
    """Yield what the client does at an interval, in milliseconds, first what decides most; 0 = unknown or never."""
    play, settings = header.play, header.settings
    member = ROLES[header.cell.role].member
    if play.kind is Symptom.NONE:
        return
    if member and play.target is Target.COORDINATOR:
        if set(play.apis) == {apis.OFFSET_COMMIT}:
            yield PhaseClock.COMMIT, _usual_ms(events, at)
        yield PhaseClock.HEARTBEAT, _setting_ms(settings, "heartbeat_ms")
    if "refresh_least_ms" not in settings:  # otherwise every wait is random
        yield PhaseClock.REFRESH, _setting_ms(settings, "refresh_ms")
    if member and play.kind in SESSION:
        yield PhaseClock.HEARTBEAT, _setting_ms(settings, "heartbeat_ms")
    paces = [mark.text for mark in _before(events.marks, at) if mark.kind is MarkKind.PACED]
    yield PhaseClock.OPERATION, _number(paces[-1]) if paces else header.beat_ms


def _setting_ms(settings: Mapping[str, str], name: str) -> int:
    return _number(settings.get(name, ""))


def _number(text: str) -> int:
    return int(text) if text.isdecimal() else 0


def _usual_ms(events: EventIndex, at: int) -> int:
    """Return the usual gap between commits before a time; 0 if there were too few."""
    commits = [one.at for one in _before(events.requests, at) if one.api in TICKS[PhaseClock.COMMIT]]
    gaps = [later - sooner for sooner, later in pairwise(commits[-GAPS - 1 :])]
    return round(median(gaps) / 1000) if len(gaps) == GAPS else 0


def _last_tick(header: Header, events: EventIndex, clock: PhaseClock, at: int) -> int | None:
    if clock is PhaseClock.OPERATION:
        return _last(events.apps, at, lambda one: _is_operation(header, one))
    return _last(events.requests, at, lambda one: one.api in TICKS[clock])


def _is_operation(header: Header, event: App) -> bool:
    kind = AppKind.RECEIVED if ROLES[header.cell.role].reads else AppKind.SENT
    return event.kind is kind and event.partition in {header.subject.affected, -1}


def _last(events: Sequence[T], at: int, test: Callable[[T], bool]) -> int | None:
    return next((one.at for one in reversed(_before(events, at)) if test(one)), None)


def _before(events: Sequence[T], at: int) -> Sequence[T]:
    return events[: bisect_left(events, at, key=TIME)]
