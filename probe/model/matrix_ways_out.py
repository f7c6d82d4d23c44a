"""Remedies where a client does harm, from the rows of a matrix (`probe.model.ways_out`). Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probe.model.cell import Cell
from probe.model.conditions import FIRST, comparable
from probe.model.harm import BY_WORD, Harm
from probe.model.ways_out import mending_profiles, restarts


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """A row of the matrix, as far as remedies need it."""

    cell: Cell
    harm: Harm | None
    conforms: bool
    conditions: int

    @property
    def passes(self) -> bool:
        """Whether the client conforms, and no record was lost."""
        return self.conforms and self.harm is not Harm.LOSES

    def is_comparable(self, other: MatrixCell, /) -> bool:
        """Return whether both were measured under conditions that can be compared."""
        return comparable(self.cell, self.conditions, other.cell, other.conditions)


def ways_out_of(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[str | None]]:
    """Return the columns `restart_helps` and `mended_by` for all rows of a matrix, in their order."""
    cells = [_cell(row) for row in rows]
    harmed = [one for one in cells if one.harm]
    helps = restarts(
        (one.cell for one in harmed if one.harm is not None and one.harm >= Harm.STOPS),
        {one.cell: one.harm for one in cells if one.harm is not None},
    )
    mended = mending_profiles(harmed, cells)
    words = {True: "yes", False: "no", None: None}
    return {
        "restart_helps": [words.get(helps.get(one.cell)) for one in cells],
        "mended_by": [mended.get(one.cell) for one in cells],
    }


def _cell(row: Mapping[str, Any]) -> MatrixCell:
    harm = BY_WORD.get(row["harm"])
    return MatrixCell(Cell.of(row), harm, row["conforms"] == "yes", int(row["conditions"] or FIRST))
