"""Two settled cells that ask the same question of different versions (or broker lines): better, worse, as bad? Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from probe.advise.settled import Settled
from probe.model import Cell
from probe.model.grades import Standing, Trend, badness, trend
from probe.model.results import IDENTITY

Question = tuple[str, ...]
"""The identity of a cell without the column that is compared."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question, answered twice."""

    before: Settled
    after: Settled

    @property
    def trend(self) -> Trend:
        """Better or worse by badness; where trials disagree the worst of them counts."""
        return trend(_standing(self.before), _standing(self.after))


def _standing(settled: Settled) -> Standing:
    found = [grade for item in settled.verdicts if (grade := badness(item.outcome, item.conforms)) is not None]
    return Standing(settled.outcome, max(found) if found else None)


def compare(before: Iterable[Settled], after: Iterable[Settled], without: str) -> tuple[list[Step], list[Settled]]:
    """Pair cells that differ in the column `without` alone; return the pairs, and what has no partner."""
    old = {question(item.cell, without): item for item in before}
    new = {question(item.cell, without): item for item in after}
    steps = [Step(old[key], new[key]) for key in sorted(old.keys() & new.keys())]
    return steps, [*(old[key] for key in sorted(old.keys() - new.keys())), *_only(new, old)]


def _only(mine: Mapping[Question, Settled], theirs: Mapping[Question, Settled]) -> list[Settled]:
    return [mine[key] for key in sorted(mine.keys() - theirs.keys())]


def question(cell: Cell, *without: str) -> Question:
    """Return a cell's identity without some of its columns."""
    columns = cell.columns()
    return tuple(columns[name] for name in IDENTITY if name not in without)
