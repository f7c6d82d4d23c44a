"""In which order the trials of a run begin."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from operator import itemgetter
from typing import TypeVar

from probe.model import Client, Role
from probe.planning.plan import LONG_OBSERVATION_MS, WARM_UP_S, Plan, Planned

_Item = TypeVar("_Item")
TrialOf = tuple[Planned, int]
"""A cell with the number of a trial."""
Trials = Sequence[TrialOf]
JOBS_PER_CLIENT = 16
"""So many trials of one client version are in flight at a time: what a process of most families carries, or half of
it; those of the Python libraries carry half as many."""


def in_order(trials: Trials, jobs: int) -> Trials:
    """Put control cells first, then all others with the long watches spread among them, the longest first.

    So silences pass while others are busy. The last of them begins so early that the run does not end with it alone;
    a run that is shorter than its longest watch begins with them all. A run of many client versions plays few of them
    at a time, each in this order: drivers that wait for their next trial cost CPU, too.
    """
    width = max(4, jobs // JOBS_PER_CLIENT)
    clients: dict[Client, list[TrialOf]] = {}
    for work in trials:
        clients.setdefault(work[0].cell.client, []).append(work)
    early = _early(trials, jobs)
    if len(clients) <= 2 * width or not early:
        controls, others = _split(trials)
        return [*controls, *_spread(others, [_silence_ms(work) > 0 for work in others], early)]
    groups = [[*controls, *others] for controls, others in map(_split, clients.values())]
    groups = _spread(groups, [any(map(_silence_ms, group)) for group in groups], early)
    return list(_few_at_a_time(groups, width))


def _split(trials: Trials) -> tuple[Trials, Trials]:
    """Part control cells from others, and put the longest of these first, so that a run ends with short ones."""
    controls = [work for work in trials if work[0].is_control]
    return controls, sorted((work for work in trials if not work[0].is_control), key=_length, reverse=True)


def _early(trials: Trials, jobs: int) -> float:
    """Return within which share of a run its long watches must have begun."""
    others = [work for work in trials if not work[0].is_control]
    longest_ms = max(map(_silence_ms, others), default=0)
    takes_s = Plan(tuple(item for item, _ in others), ()).busy_s(jobs)
    return max(0.0, 1 - (WARM_UP_S + longest_ms / 1000) / takes_s) if longest_ms else 1.0


def _spread(items: Sequence[_Item], marked: Sequence[bool], share: float) -> list[_Item]:
    """Spread the marked ones evenly over the first share, and the others among them."""
    count = sum(marked)
    which = [[item for item, mark in zip(items, marked, strict=True) if mark is wanted] for wanted in (True, False)]
    places = [
        *((share * place / count, item) for place, item in enumerate(which[0])),
        *((place / (len(items) - count), item) for place, item in enumerate(which[1])),
    ]
    return [item for _, item in sorted(places, key=itemgetter(0))]


def _few_at_a_time(groups: Iterable[Trials], width: int) -> Iterable[TrialOf]:
    """Take one of each of the first groups in turn; where one is used up, the next takes its place."""
    waiting = deque(deque(group) for group in groups)
    open_now: deque[deque[TrialOf]] = deque()
    while waiting or open_now:
        while waiting and len(open_now) < width:
            open_now.append(waiting.popleft())
        group = open_now.popleft()
        yield group.popleft()
        if group:
            open_now.append(group)


def _length(work: TrialOf) -> tuple[int, bool, int]:
    """Return what trials are ordered by; a group's sessions and rebalances take a minute where others take seconds."""
    item = work[0]
    return _silence_ms(work), item.cell.role is Role.GROUP, item.expectation.watch_ms


def _silence_ms(work: TrialOf) -> int:
    watch_ms = work[0].expectation.watch_ms
    return watch_ms if watch_ms >= LONG_OBSERVATION_MS else 0
