"""The benchmark that compares cells of older evidence with trials under today's conditions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from benchmarks.older_conditions import NOT_PLAYED, OTHER, SAME, compared, is_concerned, sample
from benchmarks.outcome_counts import most_frequent
from probe.model import Engine, Outcome, Role
from probe.model.conditions import current
from tests.support.synthetic_rows import CELL, settled_cell

RIDES, LATE, STUCK = Counter({Outcome.RIDES: 1}), Counter({Outcome.LATE: 1}), Counter({Outcome.STUCK: 1})
EMBEDDED = replace(CELL, engine=Engine.EMBEDDED)


@pytest.mark.parametrize(
    ("before", "after", "answer"),
    [
        (RIDES, RIDES, SAME),
        (RIDES + LATE, LATE + STUCK, SAME),
        (RIDES, LATE, OTHER),
        (RIDES, Counter(), NOT_PLAYED),
        (RIDES, None, NOT_PLAYED),
    ],
)
def test_an_outcome_that_occurred_on_both_sides_is_the_same(
    before: Counter[Outcome], after: Counter[Outcome] | None, answer: str
) -> None:
    assert compared(before, after) == answer


@pytest.mark.parametrize(
    ("role", "conditions", "concerned"),
    [
        (Role.PRODUCER, 5, True),
        (Role.PRODUCER, current(Engine.EMBEDDED), False),
        (Role.ADMIN, 5, False),
    ],
)
def test_cells_are_concerned_that_newer_conditions_may_change(role: Role, conditions: int, concerned: bool) -> None:
    cell = replace(EMBEDDED, role=role)
    held = replace(settled_cell(cell, Outcome.RIDES), conditions=conditions)
    assert is_concerned(held) is concerned


def test_a_sample_is_the_same_for_a_seed_and_has_no_cell_twice() -> None:
    cells = [replace(EMBEDDED, version=f"1.{number}.0") for number in range(30)]
    drawn = sample(cells, 10, 54)
    assert drawn == sample(reversed(cells), 10, 54)
    assert len(set(drawn)) == 10
    assert set(sample(cells, 100, 54)) == set(cells)


def test_several_outcomes_may_be_the_most_frequent_ones() -> None:
    assert most_frequent(RIDES + LATE) == {Outcome.RIDES, Outcome.LATE}
    assert most_frequent(RIDES + RIDES + LATE) == {Outcome.RIDES}
    assert most_frequent(Counter()) == set()
