"""A trial as a table of folded events: the accessible equivalent of its picture (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.site.timeline.folding import fold
from probe.site.timeline.moments import Moment, MomentKind

GAP_US = 1_000_000
"""Equal events at most this far apart become one line."""
LINES = 250
LEAD_US = 500_000
SYMBOLS = {
    MomentKind.ASK: "▲",
    MomentKind.ASK_STALE: "△",
    MomentKind.ERROR: "✕",
    MomentKind.FAILED: "✕",
    MomentKind.FUTILE: "□",
    MomentKind.SILENT: "◯",
    MomentKind.CUT: "↯",
    MomentKind.STAGE: "┃",
}
NAMES = {"affected": "application", "bystander": "bystander", "stage": "brokers"}
HIDDEN = frozenset({MomentKind.BEGUN, MomentKind.OPENED, MomentKind.CLOSED})
"""Kinds without a line: other lines show them, or they are of little interest without the picture."""


@dataclass(frozen=True, slots=True)
class EventRow:
    """A line of the event table."""

    when: str
    symbol: str
    where: str
    what: str
    count: int
    sort: MomentKind


def event_table(found: Sequence[Moment]) -> tuple[list[EventRow], int]:
    """Return the lines from shortly before the fault on, and the number of lines left out at the end."""
    shown = [one for one in found if one.sort not in HIDDEN and one.end >= -LEAD_US]
    folded = fold(shown, GAP_US)
    return [_line(one) for one in folded[:LINES]], max(0, len(folded) - LINES)


def _line(one: Moment) -> EventRow:
    when = f"{one.at / 1e6:+.3f} s"
    if one.end > one.at:
        when += f" to {one.end / 1e6:+.3f} s"
    return EventRow(when, SYMBOLS.get(one.sort, "·"), NAMES.get(one.lane, one.lane), one.text, one.count, one.sort)
