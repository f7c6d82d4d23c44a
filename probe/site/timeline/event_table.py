"""A trial as a table of events, folded to what matters: the accessible equivalent of its picture (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.site.timeline.folding import fold
from probe.site.timeline.moments import Moment, Sort

GAP_US = 1_000_000
"""Equal events within a second of each other become one line."""
LINES = 250
LEAD_US = 500_000
SYMBOLS = {
    Sort.ASK: "▲",
    Sort.ASK_STALE: "△",
    Sort.ERROR: "✕",
    Sort.FAILED: "✕",
    Sort.FUTILE: "□",
    Sort.SILENT: "◯",
    Sort.CUT: "↯",
    Sort.STAGE: "┃",
}
NAMES = {"affected": "application", "bystander": "bystander", "stage": "brokers"}
HIDDEN = frozenset({Sort.BEGUN, Sort.OPENED, Sort.CLOSED})
"""Told by other lines, or of little interest once the picture is not seen."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of the event table."""

    when: str
    symbol: str
    where: str
    what: str
    count: int
    sort: Sort


def story(found: Sequence[Moment]) -> tuple[list[Line], int]:
    """Return the lines from shortly before the fault on, and how many were left out at the end."""
    shown = [one for one in found if one.sort not in HIDDEN and one.end >= -LEAD_US]
    folded = fold(shown, GAP_US)
    return [_line(one) for one in folded[:LINES]], max(0, len(folded) - LINES)


def _line(one: Moment) -> Line:
    when = f"{one.at / 1e6:+.3f} s"
    if one.end > one.at:
        when += f" to {one.end / 1e6:+.3f} s"
    return Line(when, SYMBOLS.get(one.sort, "·"), NAMES.get(one.lane, one.lane), one.text, one.count, one.sort)
