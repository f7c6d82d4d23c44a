"""Stored trials to settled cells, as the matrix settles them (spark/aggregate.py; a test holds the two together).

A cell takes the latest run in which a trial settles it. Trials with a shortened watch never enter; trials that were
only waited for settle nothing, broken ones less. Where the trials of that run disagree the cell is `flaky`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from probe.model import Cell, Outcome, Verdict
from probe.model.grades import Grade, worst
from probe.model.outcomes import OUTCOMES


class JudgedTrial(Protocol):
    """What settling needs of a stored trial."""

    @property
    def run_id(self) -> str:
        """The run it was played in."""

    @property
    def cell(self) -> Cell:
        """What was asked."""

    @property
    def trial(self) -> int:
        """Number of the trial in its run."""

    @property
    def verdict(self) -> Verdict:
        """The newest verdict."""

    @property
    def shortened(self) -> bool:
        """Whether `--watch` cut it short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledCell:
    """One cell with the trials that settle it."""

    cell: Cell
    run_id: str
    trial: int
    """A trial with the cell's commonest outcome, for `probe show`."""
    verdicts: tuple[Verdict, ...]
    """All trials that count, by number."""

    @property
    def outcome(self) -> Outcome:
        """The outcome on which all trials agree, else `flaky`."""
        seen = {item.outcome for item in self.verdicts}
        return seen.pop() if len(seen) == 1 else Outcome.FLAKY

    @property
    def conforms(self) -> bool | None:
        """Whether it conforms; None where that is not judged, or the trials disagree."""
        said = {item.conforms for item in self.verdicts} - {None}
        return None if self.outcome is Outcome.FLAKY or not said else said == {True}

    @property
    def grade(self) -> Grade:
        """Outcome and severity; where trials disagree the worst of them counts."""
        return Grade(self.outcome, worst(self.verdicts))

    @property
    def judged(self) -> bool:
        """Whether the outcome says anything about the client."""
        return self.grade.judged

    @property
    def tally(self) -> str:
        """The outcome, with the count of each where trials disagree: `flaky (2 stuck, 1 refreshes)`."""
        votes = Counter(item.outcome for item in self.verdicts)
        if len(votes) == 1:
            return str(self.outcome)
        return f"{Outcome.FLAKY} ({', '.join(f'{count} {name}' for name, count in votes.most_common())})"


def settle(rows: Iterable[JudgedTrial]) -> dict[Cell, SettledCell]:
    """Settle trials into cells; give the rows of one run to see that run alone."""
    best: dict[Cell, tuple[tuple[int, str], list[JudgedTrial]]] = {}
    for row in rows:
        if row.shortened:
            continue
        rank = (OUTCOMES[row.verdict.outcome].weight, row.run_id)
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
    return SettledCell(cell=cell, run_id=first.run_id, trial=first.trial, verdicts=tuple(row.verdict for row in rows))
