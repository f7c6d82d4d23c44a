"""Settle stored trials into cells, by the same rules as the matrix (spark/aggregate.py; a test compares the two).

The trials with the greatest rank (`probe.model.conditions.rank`) give a cell its result: those that settle it, under
the newest conditions, in the latest run. Trials with a shortened observation are left out. Trials that wait settle
nothing, and broken trials have a lower weight than these. A cell whose trials disagree in that run is `flaky`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from probe.model import Cell, Outcome, Verdict, conditions
from probe.model.conditions import Rank
from probe.model.grades import Grade, worst


class JudgedTrial(Protocol):
    """The part of a stored trial that settling needs."""

    @property
    def run_id(self) -> str:
        """The id of the run."""

    @property
    def cell(self) -> Cell:
        """The cell of the trial."""

    @property
    def trial(self) -> int:
        """Number of the trial in its run."""

    @property
    def verdict(self) -> Verdict:
        """The newest verdict."""

    @property
    def shortened(self) -> bool:
        """Whether `--watch` shortened the observation."""

    @property
    def conditions(self) -> int:
        """Number of the conditions under which it ran."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledCell:
    """A cell with the trials that settle it."""

    cell: Cell
    run_id: str
    trial: int
    """The number of a trial with the commonest outcome of the cell, for `probe show`."""
    verdicts: tuple[Verdict, ...]
    """The verdicts of all trials that count, in the order of their numbers."""
    conditions: int = conditions.FIRST
    """Number of the conditions of these trials; the greatest of several, which are comparable."""

    @property
    def outcome(self) -> Outcome:
        """The outcome on which all trials agree, otherwise `flaky`."""
        seen = {item.outcome for item in self.verdicts}
        return seen.pop() if len(seen) == 1 else Outcome.FLAKY

    @property
    def conforms(self) -> bool | None:
        """Whether the cell conforms; None where conformity is not judged or the trials disagree."""
        judged = {item.conforms for item in self.verdicts} - {None}
        return None if self.outcome is Outcome.FLAKY or not judged else judged == {True}

    @property
    def grade(self) -> Grade:
        """Outcome and severity; the worst trial counts where trials disagree."""
        return Grade(self.outcome, worst(self.verdicts))

    @property
    def judged(self) -> bool:
        """Whether the outcome is a judgement about the client."""
        return self.grade.judged

    @property
    def since(self) -> int:
        """The number since which trials of the cell are comparable with these."""
        return conditions.span(self.cell, self.conditions)[0]

    @property
    def is_current(self) -> bool:
        """Whether it was measured under conditions comparable with those of today."""
        return conditions.is_current(self.cell, self.conditions)

    def is_comparable(self, other: SettledCell) -> bool:
        """Return whether both were measured under conditions that can be compared."""
        return conditions.comparable(self.cell, self.conditions, other.cell, other.conditions)

    @property
    def tally(self) -> str:
        """The outcome; where trials disagree, with the count of every outcome: `flaky (2 stuck, 1 refreshes)`."""
        votes = Counter(item.outcome for item in self.verdicts)
        if len(votes) == 1:
            return str(self.outcome)
        return f"{Outcome.FLAKY} ({', '.join(f'{count} {name}' for name, count in votes.most_common())})"


def settle(rows: Iterable[JudgedTrial]) -> dict[Cell, SettledCell]:
    """Settle trials into cells. The rows of one run alone give that run's result."""
    best: dict[Cell, tuple[Rank, list[JudgedTrial]]] = {}
    for row in rows:
        if row.shortened:
            continue
        rank = conditions.rank(row.cell, row.verdict.outcome, row.conditions, row.run_id)
        held = best.get(row.cell)
        if held is None or rank > held[0]:
            best[row.cell] = (rank, [row])
        elif rank == held[0]:
            held[1].append(row)
    return {cell: _settled(cell, sorted(mine, key=lambda row: row.trial)) for cell, (_, mine) in best.items()}


def _settled(cell: Cell, rows: Sequence[JudgedTrial]) -> SettledCell:
    votes = Counter(row.verdict.outcome for row in rows)
    commonest = votes.most_common(1)[0][0]
    first = next(row for row in rows if row.verdict.outcome is commonest)
    return SettledCell(
        cell=cell,
        run_id=first.run_id,
        trial=first.trial,
        verdicts=tuple(row.verdict for row in rows),
        conditions=max(row.conditions for row in rows),
    )
