"""Order in which the trials of a run begin."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TypeVar

from probe.model import Client
from probe.model.roles import ROLES
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.planning.plan import WARM_UP_S, Plan, Planned

_Item = TypeVar("_Item")
TrialOf = tuple[Planned, int]
"""A cell with the number of a trial."""
Trials = Sequence[TrialOf]
JOBS_PER_CLIENT = 16
"""Trials of one client version at a time: the capacity of a driver process of most families, or half of it. A driver
of the Python libraries has half of that capacity."""
MEMBER_MS = 30_000
"""Time by which sessions and rebalances make the trial of a group's member longer than others, in milliseconds."""


def in_order(trials: Trials, jobs: int) -> Trials:
    """Put control cells first, then all others with the long observations spread among them, the longest first.

    Silent phases then pass while other trials are busy. The last long observation begins early enough that the run
    does not end with it alone. A run that is shorter than its longest observation begins with all of them. A run of
    many client versions runs few of them at a time, each in this order: an idle driver costs CPU, too.
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
    """Separate control cells from others, and sort the others by length, so that a run ends with short ones."""
    controls = [work for work in trials if work[0].is_control]
    return controls, sorted((work for work in trials if not work[0].is_control), key=_length, reverse=True)


def _early(trials: Trials, jobs: int) -> float:
    """Return the share of a run within which its long observations must begin."""
    others = [work for work in trials if not work[0].is_control]
    longest_ms = max(map(_silence_ms, others), default=0)
    takes_s = Plan(tuple(replace(item, trials=1) for item, _ in others), ()).busy_s(jobs)  # each trial once
    return max(0.0, 1 - (WARM_UP_S + longest_ms / 1000) / takes_s) if longest_ms else 1.0


def _spread(items: Sequence[_Item], marked: Sequence[bool], share: float) -> list[_Item]:
    """Spread the marked items evenly over the first `share`, and the others among them."""
    count = sum(marked)
    which = [[item for item, mark in zip(items, marked, strict=True) if mark is wanted] for wanted in (True, False)]
    places = [
        *((share * place / count, item) for place, item in enumerate(which[0])),
        *((place / (len(items) - count), item) for place, item in enumerate(which[1])),
    ]
    return [item for _, item in sorted(places, key=itemgetter(0))]


def _few_at_a_time(groups: Iterable[Trials], width: int) -> Iterable[TrialOf]:
    """Take one item per group in turn, from `width` groups at once; the next group replaces an empty one."""
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
    """Return the sort key of a trial; who is observed to the end may stand still for as long as that is."""
    item = work[0]
    more_ms = MEMBER_MS if ROLES[item.cell.role].member else 0
    return _silence_ms(work), item.limits.to_the_end, item.watch_ms() + more_ms


def _silence_ms(work: TrialOf) -> int:
    watch_ms = work[0].watch_ms()
    return watch_ms if watch_ms >= LONG_OBSERVATION_MS else 0
