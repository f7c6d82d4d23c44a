"""The number of fresh trials that a question gets, by what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import CHANCE, MORE, PLAIN, Answer
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.trends import Step
from probe.cli.wiring.fresh_trials import decide_with
from probe.model import Cell, Facts, Outcome, Verdict
from tests.support.synthetic_rows import CELL, verdict

OLD = replace(CELL, version="1.43.2")
STUCK = verdict(Outcome.STUCK)
PROMPT = replace(verdict(), facts=Facts(recovered=True, recovery_ms=250.0))
NEAR = replace(verdict(), facts=Facts(recovered=True, recovery_ms=14_500.0))
"""It recovers a little before its standstill is harm."""


class Trials:
    """Fresh trials that are named beforehand, the last one again and again; the most of each round."""

    def __init__(self, shown: Mapping[Cell, Sequence[Verdict]]) -> None:
        self._shown = shown
        self.rounds: list[int] = []

    def possible(self, _cell: Cell) -> bool:
        return True

    def play(self, counts: Mapping[Cell, int]) -> dict[Cell, SettledCell]:
        self.rounds.append(max(counts.values()))
        return {cell: settled(cell, self._shown[cell], count) for cell, count in counts.items()}


def settled(cell: Cell, shown: Sequence[Verdict], count: int = 1) -> SettledCell:
    again = [*shown, *[shown[-1]] * count][:count]
    return SettledCell(cell=cell, run_id="r", trial=0, verdicts=tuple(again))


@pytest.mark.parametrize(
    ("good", "bad", "rounds"),
    [
        ([PROMPT], [STUCK], [PLAIN]),
        ([PROMPT, NEAR, PROMPT], [STUCK], [PLAIN, CHANCE]),
        ([PROMPT, STUCK, PROMPT], [STUCK], [PLAIN, CHANCE]),
        ([PROMPT, STUCK, PROMPT], [*[PROMPT] * 2, *[STUCK] * 8, *[PROMPT] * 9, STUCK], [PLAIN, CHANCE, MORE]),
    ],
    ids=["plain", "near a bound", "contradicted", "close"],
)
def test_more_than_twelve_are_for_what_twelve_leave_open(
    good: list[Verdict], bad: list[Verdict], rounds: list[int]
) -> None:
    asked = Asked(chance=frozenset(), trials=MORE)
    (screen,) = compared_steps([Step(settled(OLD, [STUCK]), settled(CELL, [PROMPT]))], asked)
    assert (screen.answer, screen.needs) == (Answer.UNDECIDED, PLAIN)
    trials = Trials({OLD: bad, CELL: good})
    decide_with(trials, [screen], asked)
    assert trials.rounds == rounds
