"""The content of the page of changes by the newest run (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from probe.model import Cell
from probe.model.grades import Trend, grade_of, trend
from probe.site.data.cell_index import setting
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.run_history import RunHistory, SettledAnswer

ORDER = ("worse", "better", "differs")
SIGNS = {
    Trend.WORSE: ("worse", "▼", "worse"),
    Trend.BETTER: ("better", "▲", "better"),
}
DIFFERS = ("differs", "≠", "different")
COUNTED = {
    "worse": "{} got worse",
    "better": "{} got better",
    "differs": "{} became different",
}


@dataclass(frozen=True, slots=True)
class ShownChange:
    """A changed cell."""

    cell: Cell
    row: MatrixRow | None
    """Its row; None if it is no longer in the matrix."""
    before: SettledAnswer
    after: SettledAnswer
    kind: str
    glyph: str
    words: str
    place: int
    setting: str


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """The content of the page."""

    shown: tuple[ShownChange, ...]
    added: int
    """Number of new cells; they are not listed."""
    sentence: str


def change_report(past: RunHistory, rows: Mapping[Cell, MatrixRow]) -> ChangeReport | None:
    """Return the changes, the worst first; None if there is no earlier run."""
    if past.changes is None:
        return None
    shown = [_shown(one.cell, one.before, one.after, rows) for one in past.changes if one.before is not None]
    shown.sort(key=lambda one: (one.place, one.cell))
    counts = Counter(one.kind for one in shown)
    parts = [COUNTED[kind].format(counts[kind]) for kind in ORDER if counts[kind]]
    sentence = f"Of the cells that were there before, {', '.join(parts)}." if parts else ""
    return ChangeReport(tuple(shown), len(past.changes) - len(shown), sentence)


def _shown(cell: Cell, before: SettledAnswer, after: SettledAnswer, rows: Mapping[Cell, MatrixRow]) -> ShownChange:
    kind, glyph, words = _became(before, after)
    return ShownChange(cell, rows.get(cell), before, after, kind, glyph, words, ORDER.index(kind), str(setting(cell)))


def _became(before: SettledAnswer, after: SettledAnswer) -> tuple[str, str, str]:
    became = trend(grade_of(before.worst, before.conforms), grade_of(after.worst, after.conforms))
    return SIGNS.get(became) or DIFFERS
