"""Two settled cells that ask the same question of different versions (or broker lines): better, worse, as bad? Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum

from probe.advise.settled import Settled
from probe.model import Cell, Outcome, Verdict
from probe.model.results import IDENTITY

BADNESS: Mapping[Outcome, int] = {
    Outcome.VIOLATES: 5,
    Outcome.FATAL: 5,
    Outcome.STUCK: 4,
    Outcome.STORMS: 3,
    Outcome.LATE: 2,
    Outcome.SURFACES: 1,
}
"""How bad an outcome is that does not conform; whatever conforms is 0, any other that does not is 1."""

Question = tuple[str, ...]
"""The identity of a cell without the column that is compared."""


class Trend(StrEnum):
    """What became of a question."""

    WORSE = "WORSE"
    BETTER = "better"
    BAD = "stays bad"
    DIFFERS = "differs"
    """Another outcome, in an informative cell: neither better nor worse."""
    UNCLEAR = "unclear"
    """One side says nothing about the client: unsupported, not provoked, broken, still waiting."""
    GOOD = "stays good"
    SAME = "same"
    """The same outcome in an informative cell."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question, answered twice."""

    before: Settled
    after: Settled

    @property
    def trend(self) -> Trend:
        """Better or worse by badness; where trials disagree the worst of them counts."""
        if not (self.before.judged and self.after.judged):
            return Trend.UNCLEAR
        old, new = badness(self.before), badness(self.after)
        if old is None or new is None:
            return Trend.SAME if self.before.outcome is self.after.outcome else Trend.DIFFERS
        if old == new:
            return Trend.BAD if old else Trend.GOOD
        return Trend.BETTER if new < old else Trend.WORSE


def badness(settled: Settled) -> int | None:
    """Return how bad a cell is, 0 = it conforms; None where nothing is asked of the client."""
    found = [grade for item in settled.verdicts if (grade := _grade(item)) is not None]
    return max(found) if found else None


def _grade(verdict: Verdict) -> int | None:
    if verdict.conforms is None:
        return None
    return 0 if verdict.conforms else BADNESS.get(verdict.outcome, 1)


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
