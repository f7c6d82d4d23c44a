"""Folds dense moments into runs, so that a picture or a table stays readable (pure)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from probe.site.moments import Moment


def fold(moments: Iterable[Moment], gap_us: int) -> list[Moment]:
    """Join moments of one lane, sort and text that lie within `gap_us` of each other; counts add up."""
    open_runs: dict[tuple[str, str, str], Moment] = {}
    done: list[Moment] = []
    for one in sorted(moments, key=lambda item: item.at):
        key = (one.lane, one.sort, one.text)
        last = open_runs.get(key)
        if last is not None and one.at - last.end <= gap_us:
            open_runs[key] = replace(last, until=max(last.end, one.end), count=last.count + one.count)
            continue
        if last is not None:
            done.append(last)
        open_runs[key] = one
    return sorted([*done, *open_runs.values()], key=lambda item: (item.at, item.lane))


def clip(moments: Iterable[Moment], start_us: int, end_us: int) -> list[Moment]:
    """Keep what lies within a window; a folded run that crosses an edge is cut there."""
    return [
        replace(one, at=max(one.at, start_us), until=min(one.end, end_us))
        for one in moments
        if one.end >= start_us and one.at <= end_us
    ]
