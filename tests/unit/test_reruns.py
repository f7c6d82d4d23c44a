"""The benchmark that compares the levels of the table with trials that are played anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from benchmarks.reruns import AGREES, NOT_PLAYED, OPEN, OUTSIDE, RARE, Question, answer, words
from probe.catalogue.baseline import Counted, Scored
from probe.cells.levels import RoleLevel
from probe.model import Role
from probe.model.harm import Harm, TrialHarm
from tests.support.synthetic_rows import CELL

NONE, ERRORS, STALLS, STOPS = (TrialHarm(rank=rank) for rank in (Harm.NONE, Harm.ERRORS, Harm.STALLS, Harm.STOPS))
SCORED = Scored(scenario=CELL.scenario, role=Role.PRODUCER, pairs=9, alike=9, references=("java@4.4.0",))
IN_TIME = RoleLevel(role=Role.PRODUCER, low=2, high=2, of=1)
ONE = Question(cell=CELL, scored=SCORED, level=IN_TIME, shipped=[ERRORS] * 5)


def of(bad: TrialHarm, count: int, trials: int) -> list[TrialHarm]:
    return [bad] * count + [NONE] * (trials - count)


@pytest.mark.parametrize(
    ("again", "further", "expected"),
    [
        ([NONE, ERRORS], [], AGREES),
        ([NONE], [], NOT_PLAYED),
        ([NONE, STALLS], [], NOT_PLAYED),
        ([NONE, STALLS], of(STALLS, 0, 20), RARE),
        ([NONE, STALLS], of(STALLS, 1, 20), OPEN),
        ([NONE, STOPS], of(STALLS, 5, 20), OUTSIDE),
        ([NONE, NONE], of(STOPS, 20, 20), OUTSIDE),
    ],
)
def test_further_trials_decide_about_a_harm_that_the_printed_level_excludes(
    again: list[TrialHarm], further: list[TrialHarm], expected: str
) -> None:
    assert answer(ONE, again, further, 2) == expected


def test_no_harm_is_new_where_no_level_is_printed_or_the_scenario_does_not_score_it() -> None:
    assert not replace(ONE, level=RoleLevel(role=Role.PRODUCER, of=1)).is_new(STOPS)
    only_stops = replace(ONE, scored=replace(SCORED, counts=(Counted.STOPS,)))
    assert [only_stops.is_new(one) for one in (STALLS, STOPS)] == [False, True]


@pytest.mark.parametrize(
    ("level", "shipped", "left"),
    [
        (IN_TIME, of(ERRORS, 1, 5), False),
        (RoleLevel(role=Role.PRODUCER, low=1, high=2, of=1), of(STALLS, 1, 5), True),
        (RoleLevel(role=Role.PRODUCER, of=1), of(ERRORS, 1, 5), True),
        (RoleLevel(role=Role.PRODUCER, of=1), of(ERRORS, 5, 5), False),
    ],
)
def test_a_cell_is_played_further_whose_shipped_trials_leave_the_level_open(
    level: RoleLevel, shipped: list[TrialHarm], left: bool
) -> None:
    assert replace(ONE, level=level, shipped=shipped).leaves_open is left


def test_harms_have_their_numbers() -> None:
    assert words([STOPS, NONE, STOPS]) == "2 stops, 1 none"
    assert words([]) == "none"
