"""Compare two sets of settled cells: added, removed, changed. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from probe.cells.aggregate import SettledCell
from probe.cells.cell_order import in_order
from probe.cells.comparison import Answer, Compared
from probe.model import Cell


class Kind(StrEnum):
    """The difference of a cell between two runs."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


@dataclass(frozen=True, slots=True)
class Difference:
    """A cell that differs; a side is None where the cell is absent."""

    kind: Kind
    cell: Cell
    before: SettledCell | None
    after: SettledCell | None


def differences(
    before: Mapping[Cell, SettledCell], after: Mapping[Cell, SettledCell], compared: Iterable[Compared] = ()
) -> list[Difference]:
    """Return the cells that differ in presence, worst outcome or conformity, ordered by kind and identity.

    So do those that are `compared` as worse or better: some of their trials differ. Cells that are not comparable are
    left out.
    """
    decided = {one.step.after.cell for one in compared if one.answer in {Answer.WORSE, Answer.BETTER}}
    found = [Difference(Kind.ADDED, cell, None, after[cell]) for cell in in_order(after.keys() - before.keys())]
    found += [Difference(Kind.REMOVED, cell, before[cell], None) for cell in in_order(before.keys() - after.keys())]
    return found + [
        Difference(Kind.CHANGED, cell, before[cell], after[cell])
        for cell in in_order(before.keys() & after.keys())
        if before[cell].is_comparable(after[cell])
        and (cell in decided or _answer(before[cell]) != _answer(after[cell]))
    ]


def not_comparable(before: Mapping[Cell, SettledCell], after: Mapping[Cell, SettledCell]) -> list[Cell]:
    """Return the cells that were measured twice, under conditions that cannot be compared."""
    return [cell for cell in in_order(before.keys() & after.keys()) if not before[cell].is_comparable(after[cell])]


def _answer(settled: SettledCell) -> tuple[object, ...]:
    return settled.worst, settled.conforms
