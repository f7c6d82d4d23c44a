"""A trial as a table of folded events: the accessible equivalent of its picture (pure)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from probe.site.timeline.folding import fold
from probe.site.timeline.moments import Moment, MomentKind
from probe.site.timeline.shapes import escaped

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


class EventRow(NamedTuple):
    """A line of the event table."""

    when: str
    symbol: str
    where: str
    what: str
    count: int  # type: ignore[assignment]  # hides `tuple.count`, which nobody calls
    sort: MomentKind


def event_table(found: Sequence[Moment]) -> tuple[list[EventRow], int]:
    """Return the lines from shortly before the fault on, and the number of lines left out at the end."""
    shown = [one for one in found if one.sort not in HIDDEN and one.end >= -LEAD_US]
    folded = fold(shown, GAP_US)
    return [_line(one) for one in folded[:LINES]], max(0, len(folded) - LINES)


def rows_html(lines: Sequence[EventRow]) -> str:
    """Return the lines as rows of an HTML table; a template takes several times as long for hundreds of rows."""
    return "".join(
        [
            f'<tr class="{sort.value}"><td>{when}</td><td>{escaped(where)}</td>'
            f'<td><span class="glyph" aria-hidden="true">{symbol}</span> {escaped(what)}</td>'
            f"<td>{count if count > 1 else ''}</td></tr>\n"
            for when, symbol, where, what, count, sort in lines
        ]
    )


def _line(one: Moment) -> EventRow:
    when = f"{one.at / 1e6:+.3f} s"
    if one.end > one.at:
        when += f" to {one.end / 1e6:+.3f} s"
    return EventRow(when, SYMBOLS.get(one.sort, "·"), NAMES.get(one.lane, one.lane), one.text, one.count, one.sort)
