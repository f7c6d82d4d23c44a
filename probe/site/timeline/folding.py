"""Fold dense moments into runs, so that a picture or a table stays readable (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from operator import attrgetter

from probe.site.timeline.moments import Moment, MomentKind

BY_TIME = attrgetter("at", "lane")
"""Returns the sort key of moments."""


@dataclass(slots=True)
class _Stretch:
    first: Moment
    end: int
    count: int

    def moment(self) -> Moment:
        at, sort, lane, text, _, _ = self.first
        return Moment(at, sort, lane, text, self.end, self.count) if self.count > 1 else self.first


def fold(moments: Iterable[Moment], gap_us: int, wider: Mapping[MomentKind, float] | None = None) -> list[Moment]:
    """Join moments of the same lane, sort and text at most `gap_us` apart; their counts are added.

    `wider` has factors of the gap for some sorts. `moments` and the result are ordered by time.
    """
    gaps = {sort: gap_us * factor for sort, factor in (wider or {}).items()}
    open_runs: dict[tuple[str, MomentKind, str], _Stretch] = {}
    done: list[_Stretch] = []
    for one in moments:
        at, sort, lane, text, until, count = one
        end = at if until is None else until  # `one.end`, without a call: a trial has thousands of moments
        key = (lane, sort, text)
        last = open_runs.get(key)
        if last is not None and at - last.end <= gaps.get(sort, gap_us):
            if end > last.end:  # noqa: PLR1730  # `max` is slower
                last.end = end
            last.count += count
            continue
        run = _Stretch(one, end, count)
        done.append(run)
        open_runs[key] = run
    return sorted([run.moment() for run in done], key=BY_TIME)


def clip(moments: Iterable[Moment], start_us: int, end_us: int) -> list[Moment]:
    """Keep the moments within a window; a folded run that crosses an edge is cut there."""
    return [
        one if one.at >= start_us and one.end <= end_us else _cut(one, start_us, end_us)
        for one in moments
        if one.end >= start_us and one.at <= end_us
    ]


def _cut(one: Moment, start_us: int, end_us: int) -> Moment:
    return one._replace(at=max(one.at, start_us), until=min(one.end, end_us))
