"""Worse, better, equal and undecided, by the procedure of docs/comparisons.md."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import CHANCE, PLAIN, Answer, Compared, Pair, compare
from probe.cells.comparison_steps import Asked
from probe.cells.harm import chance_key, of_chance
from probe.cells.trends import Step
from probe.model import Outcome, Verdict
from probe.model.harm import Harm
from tests.support.synthetic_rows import CELL, verdict

NEWER = replace(CELL, version="1.61.1")
STUCK, FATAL, LATE, STORMS, SURFACES, REFRESHES, BROKEN = (
    Outcome.STUCK,
    Outcome.FATAL,
    Outcome.LATE,
    Outcome.STORMS,
    Outcome.SURFACES,
    Outcome.REFRESHES,
    Outcome.BROKEN,
)


def sides(before: list[Verdict], after: list[Verdict], runs: tuple[str, str] = ("r2", "r2"), **more: Any) -> Pair:
    cells = zip((CELL, NEWER), (before, after), runs, strict=True)
    old, new = (SettledCell(cell=cell, run_id=run, trial=0, verdicts=tuple(mine)) for cell, mine, run in cells)
    return Pair(Step(old, new), **more)


def of(before: list[Outcome], after: list[Outcome], **more: Any) -> Pair:
    return sides([verdict(one) for one in before], [verdict(one) for one in after], **more)


def said(pair: Pair, **more: Any) -> Compared:
    (found,) = compare([pair], **more)
    return found


@pytest.mark.parametrize(
    ("before", "after", "answer"),
    [
        (STUCK, REFRESHES, Answer.BETTER),
        (REFRESHES, STUCK, Answer.WORSE),
        (REFRESHES, STORMS, Answer.WORSE),
        (STUCK, LATE, Answer.BETTER),
        (SURFACES, REFRESHES, Answer.BETTER),
        (LATE, SURFACES, Answer.BETTER),
        (STUCK, FATAL, Answer.CHANGED),
        (LATE, STORMS, Answer.BETTER),
        (STORMS, SURFACES, Answer.CHANGED),
        (STUCK, STUCK, Answer.SAME),
        (STUCK, BROKEN, Answer.UNCLEAR),
    ],
)
def test_four_trials_a_side_of_one_run_decide_a_plain_cell(before: Outcome, after: Outcome, answer: Answer) -> None:
    assert said(of([before] * PLAIN, [after] * PLAIN)).answer is answer


def test_one_trial_a_side_decides_nothing_and_says_what_would() -> None:
    found = said(of([REFRESHES], [STUCK]))
    assert (found.answer, found.towards, found.harm, found.needs) == (
        Answer.UNDECIDED,
        Answer.WORSE,
        Harm.STOPS,
        PLAIN,
    )
    assert said(of([REFRESHES], [STUCK], chance=True)).needs == CHANCE
    assert said(of([REFRESHES] * 3, [STUCK] * 3)).answer is Answer.UNDECIDED


def test_trials_of_two_runs_are_a_screen_only() -> None:
    found = said(of([REFRESHES] * 20, [STUCK] * 20, runs=("r1", "r2")))
    assert (found.answer, found.trials, found.needs) == (Answer.UNDECIDED, 1, PLAIN)
    assert said(of([REFRESHES] * 20, [STUCK] * 20, runs=("r1", "r2"), one_run=False)).answer is Answer.WORSE


def test_a_contradiction_needs_as_many_trials_as_a_cell_of_chance() -> None:
    found = said(of([REFRESHES, STUCK, REFRESHES, REFRESHES], [STUCK] * 4))
    assert (found.answer, found.needs) == (Answer.UNDECIDED, CHANCE)


@pytest.mark.parametrize(
    ("bad", "other", "answer"),
    [
        (0, 12, Answer.WORSE),
        (0, 7, Answer.WORSE),
        (0, 6, Answer.UNDECIDED),
        (12, 0, Answer.BETTER),
        (7, 7, Answer.SAME),
        (5, 8, Answer.UNDECIDED),
    ],
)
def test_fishers_test_decides_a_cell_of_chance(bad: int, other: int, answer: Answer) -> None:
    pair = of(*([STUCK] * count + [REFRESHES] * (CHANCE - count) for count in (bad, other)), chance=True)
    found = said(pair)
    assert found.answer is answer
    assert found.needs == 0


@pytest.mark.parametrize(("bad", "needs"), [(1, 0), (2, 40), (6, 40), (7, 0)])
def test_more_than_twelve_trials_follow_where_chance_has_hardly_made_the_difference(bad: int, needs: int) -> None:
    pair = of([REFRESHES] * CHANCE, [STUCK] * bad + [REFRESHES] * (CHANCE - bad), chance=True)
    assert compare([pair], trials=40)[0].needs == needs


def test_all_cells_of_chance_of_a_comparison_share_one_level() -> None:
    near = of([STUCK] * 0 + [REFRESHES] * 12, [STUCK] * 7 + [REFRESHES] * 5, chance=True)  # 0.0023
    alone, *_ = compare([near])
    assert alone.answer is Answer.WORSE
    assert {one.answer for one in compare([near, near, near])} == {Answer.UNDECIDED}
    cannot = of([STUCK] + [REFRESHES] * 11, [REFRESHES] * 12, chance=True)  # one bad trial decides nothing
    assert compare([near, cannot, cannot])[0].answer is Answer.WORSE


@pytest.mark.parametrize(
    ("before_ms", "after_ms", "answer"), [(14_900, 15_100, Answer.CHANGED), (600, 20_000, Answer.WORSE)]
)
def test_a_bound_that_both_sides_straddle_is_no_change(before_ms: int, after_ms: int, answer: Answer) -> None:
    prompt = [verdict(REFRESHES, recovery_ms=before_ms)] * PLAIN
    late = [verdict(LATE, recovery_ms=after_ms)] * PLAIN
    assert said(sides(prompt, late)).answer is answer
    assert said(sides(late, prompt)).answer is (Answer.CHANGED if answer is Answer.CHANGED else Answer.BETTER)


def test_errors_count_where_the_times_are_alike() -> None:
    prompt = [verdict(REFRESHES, recovery_ms=4900)] * PLAIN
    late = [verdict(LATE, recovery_ms=5100, errors_surfaced=2)] * PLAIN
    found = said(sides(prompt, late))
    assert (found.answer, found.harm) == (Answer.WORSE, Harm.ERRORS)


def test_equal_is_said_on_request_and_on_seven_trials_a_side() -> None:
    assert said(of([STUCK] * 7, [STUCK] * 7)).answer is Answer.SAME
    assert said(of([STUCK] * 7, [STUCK] * 7), equal=True).answer is Answer.EQUAL
    assert said(of([STUCK] * 6, [STUCK] * 6), equal=True).answer is Answer.SAME
    assert said(of([STUCK] * 7, [STUCK] * 7, runs=("r1", "r2")), equal=True).answer is Answer.SAME


def test_where_nothing_is_required_other_outcomes_are_a_change() -> None:
    free = [replace(verdict(one), conforms=None) for one in (STUCK, REFRESHES)]
    assert said(sides([free[1]] * 4, [free[0]] * 4)).answer is Answer.CHANGED
    assert said(sides([free[1]] * 4, [free[1]] * 4)).answer is Answer.SAME


def test_a_cell_whose_trials_differ_makes_others_of_its_scenario_cells_of_chance() -> None:
    pair = of([STUCK, REFRESHES], [STUCK, FATAL])
    assert of_chance([pair.step.before, pair.step.after]) == {chance_key(pair.step.before)}
    assert not of_chance([pair.step.after])


def test_a_run_that_no_screen_chose_needs_a_fifth_trial() -> None:
    alike = of([STUCK] * 4, [STUCK] * 4)
    for count, answer in ((4, Answer.UNDECIDED), (5, Answer.WORSE)):
        found = compare([of([REFRESHES] * count, [STUCK] * count), alike, alike])
        assert (found[0].answer, found[0].needs) == (answer, 0 if answer is Answer.WORSE else PLAIN)
    assert compare([of([REFRESHES] * 4, [STUCK] * 4), alike])[0].answer is Answer.WORSE
    another = of([STUCK] * 4, [STUCK] * 4, runs=("r3", "r3"))
    assert compare([of([REFRESHES] * 4, [STUCK] * 4), another, another])[0].answer is Answer.WORSE
    contradicted = of([STUCK] * 12, [STUCK] * 12)
    assert compare([of([REFRESHES] * 4, [STUCK] * 4), contradicted, contradicted])[0].answer is Answer.WORSE


def test_a_loss_that_conforms_is_compared() -> None:
    """A record lost with acks=1 breaks no promise of the library, and costs the service all the same."""
    loses = [verdict(REFRESHES, lost=3)] * PLAIN
    found = said(sides([verdict(REFRESHES)] * PLAIN, loses))
    assert (found.answer, found.harm) == (Answer.WORSE, Harm.STOPS)


def test_an_outcome_that_does_no_harm_is_a_change_whatever_it_is() -> None:
    late = [verdict(LATE, recovery_ms=5_000.0)] * PLAIN
    assert said(sides([verdict(REFRESHES)] * PLAIN, late)).answer is Answer.CHANGED


@pytest.mark.parametrize(
    ("recovery_ms", "near"), [(9_000.0, False), (14_000.0, True), (16_000.0, True), (30_000.0, False)]
)
def test_a_standstill_near_its_bound_is_left_to_chance(recovery_ms: float, near: bool) -> None:
    pair = sides([verdict(STUCK)], [verdict(LATE, recovery_ms=recovery_ms)])
    assert Asked(chance=frozenset()).pair(pair.step).chance is near
