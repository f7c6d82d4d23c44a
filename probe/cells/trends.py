"""Two settled cells that ask the same question of different versions (or broker lines): better, worse, as bad? Pure."""

from __future__ import annotations

from dataclasses import dataclass

from probe.cells.aggregate import SettledCell
from probe.model import Cell
from probe.model.grades import Trend, trend
from probe.model.results import IDENTITY

Question = tuple[str, ...]
"""The identity of a cell without the column that is compared."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question, answered twice."""

    before: SettledCell
    after: SettledCell

    @property
    def trend(self) -> Trend:
        """Better or worse by severity."""
        return trend(self.before.grade, self.after.grade)


def question(cell: Cell, *without: str) -> Question:
    """Return a cell's identity without some of its columns."""
    columns = cell.columns()
    return tuple(columns[name] for name in IDENTITY if name not in without)
