"""Further trials where chance may decide: the rule, the budget, and what the rule finds."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations
from pathlib import Path

import pytest

from benchmarks.chance import table
from probe.cli.console.further_trials import further_lines
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Engine, Expectation, Outcome, PhaseClock, Reaction, Rescuer, Role, Symptom, Target, Verdict
from probe.model.intervals import Z_90, wilson
from probe.planning.plan import Plan, Planned, trial_s
from probe.planning.repeats import MOST_TRIALS, Doubt, doubt, enough, repeat_budget, wanted
from probe.runner import Options
from probe.runner.schedule.repeats import Repeated, Repeats
from probe.verdict import near_bounds
from probe.verdict.margins import NEAR as NEAR_TABLE
from tests.support.synthetic_rows import verdict

PLAY = Expectation(kind=Symptom.ANSWER, expects=Reaction.DISCOVER, target=Target.LEADER, codes=(56,))
NEAR = {"announced_hit_ms": 5.0}


def said(*outcomes: Outcome, **facts: object) -> list[Verdict]:
    return [verdict(one, **facts) for one in outcomes]


@pytest.mark.parametrize(
    ("outcome", "facts", "play", "bounds"),
    [
        (Outcome.REFRESHES, {"recovery_ms": 2700.0}, PLAY, ("prompt",)),
        (Outcome.REFRESHES, {"recovery_ms": 2699.0}, PLAY, ()),
        (Outcome.REFRESHES, {"recovery_ms": 4000.0, "kept_ms": 1000.0}, PLAY, ("prompt",)),
        (Outcome.LATE, {"recovery_ms": 3300.0, "rescued_by": Rescuer.ITSELF}, PLAY, ("prompt",)),
        (Outcome.LATE, {"recovery_ms": 3301.0, "rescued_by": Rescuer.ITSELF}, PLAY, ()),
        (Outcome.LATE, {"recovery_ms": 3000.0, "rescued_by": Rescuer.PERIODIC}, PLAY, ()),
        (Outcome.VIOLATES, {"recovery_ms": 3000.0}, PLAY, ()),
        (Outcome.CLEAN, {"recovery_ms": 3000.0}, PLAY, ()),
        (Outcome.RIDES, {"recovery_ms": 2900.0}, replace(PLAY, expects=Reaction.RETRY), ("prompt",)),
        (
            Outcome.SURFACES,
            {"recovery_ms": 2900.0, "errors_surfaced": 1},
            replace(PLAY, expects=Reaction.RETRY),
            (),
        ),
        (Outcome.SURFACES, {"recovery_ms": 2900.0}, replace(PLAY, expects=Reaction.SURFACE), ()),
        (Outcome.REFRESHES, {"recovery_ms": 900.0}, replace(PLAY, prompt_ms=1000), ("prompt",)),
        (Outcome.REFRESHES, {"discoveries_over": -1.0}, PLAY, ("storm",)),
        (Outcome.REFRESHES, {"discoveries_over": -1.5}, PLAY, ()),
        (Outcome.STORMS, {"discoveries_over": 1.0, "storm": "b"}, PLAY, ("storm",)),
        (Outcome.STORMS, {"discoveries_over": 2.0, "storm": "b"}, PLAY, ()),
        (Outcome.STORMS, {"discoveries_over": 1.0, "storm": "ad"}, PLAY, ()),
        (Outcome.STUCK, {"discoveries_over": 0.0}, PLAY, ()),
        (Outcome.STUCK, {"announced_hit_ms": -20.0}, PLAY, ("announcement",)),
        (Outcome.HINTED, {"announced_hit_ms": 20.1}, PLAY, ()),
        (Outcome.NOT_PROVOKED, NEAR, PLAY, ()),
        (Outcome.RIDES, NEAR, replace(PLAY, expects=Reaction.RETRY), ()),
        (Outcome.REFRESHES, {}, PLAY, ()),
    ],
)
def test_bounds_that_facts_are_near(
    outcome: Outcome, facts: dict[str, object], play: Expectation, bounds: tuple[str, ...]
) -> None:
    assert near_bounds(verdict(outcome, **facts), play) == bounds


@pytest.mark.parametrize(
    ("trials", "known", "expected"),
    [
        (said(Outcome.REFRESHES), (), None),
        (said(Outcome.REFRESHES, Outcome.REFRESHES), (Outcome.REFRESHES,), None),
        (said(Outcome.REFRESHES, Outcome.STORMS), (), Doubt.DIFFERS),
        (said(Outcome.REFRESHES), (Outcome.STORMS,), Doubt.DIFFERS),
        (said(Outcome.REFRESHES), (Outcome.STORMS, Outcome.REFRESHES), Doubt.DIFFERS),
        (said(Outcome.REFRESHES, Outcome.BROKEN), (), None),
        (said(Outcome.BROKEN), (Outcome.REFRESHES,), None),
        (said(Outcome.UNSUPPORTED), (Outcome.REFRESHES,), None),
        (said(Outcome.REFRESHES, **NEAR), (), Doubt.NEAR),
        (said(Outcome.REFRESHES, **NEAR), (Outcome.STUCK,), Doubt.DIFFERS),
        ([], (Outcome.REFRESHES,), None),
    ],
)
def test_doubt_is_a_difference_or_a_near_bound(
    trials: list[Verdict], known: tuple[Outcome, ...], expected: Doubt | None
) -> None:
    assert doubt(trials, PLAY, known) is expected


TICKING = {"phase_clock": PhaseClock.HEARTBEAT, "phase": 0.4}


@pytest.mark.parametrize(
    ("trials", "phases", "expected"),
    [
        (said(Outcome.SURFACES, **TICKING), True, Doubt.PHASE),
        (said(Outcome.SURFACES, **TICKING), False, None),  # real brokers: its phase was not chosen
        (said(Outcome.SURFACES, phase_clock=PhaseClock.OPERATION, phase=0.4), True, None),
        (said(Outcome.SURFACES), True, None),
        (said(Outcome.SURFACES, Outcome.SURFACES, **TICKING), True, None),
        (said(Outcome.SURFACES, Outcome.STUCK, **TICKING), True, Doubt.DIFFERS),
        (said(Outcome.SURFACES, Outcome.BROKEN, **TICKING), True, Doubt.PHASE),
        (said(Outcome.SURFACES, **(TICKING | NEAR)), True, Doubt.NEAR),
    ],
)
def test_one_trial_does_not_show_whether_the_phase_decides(
    trials: list[Verdict], phases: bool, expected: Doubt | None
) -> None:
    assert doubt(trials, PLAY, phases=phases) is expected


def test_a_cell_gets_a_second_phase_and_more_trials_only_where_the_two_differ(plan: Plan) -> None:
    item = cell(plan)
    agreeing = Repeats(plan, Options(repeat_budget_s=600), {}, {})
    assert after(agreeing, item, [0], *said(Outcome.REFRESHES, **TICKING)) == [1]
    assert after(agreeing, item, [1], *said(Outcome.REFRESHES, **TICKING)) == []
    differing = Repeats(plan, Options(repeat_budget_s=600), {}, {})
    assert after(differing, item, [0], *said(Outcome.REFRESHES, **TICKING)) == [1]
    assert after(differing, item, [1], *said(Outcome.STUCK, **TICKING)) == list(range(2, 12))


def test_second_phases_take_a_quarter_of_the_budget_and_are_not_asked_for(plan: Plan) -> None:
    item = cell(plan)
    seconds = repeat_budget(plan, None, 24, None).run_s(3.5 * trial_s(item, None))
    repeats = Repeats(plan, Options(repeat_budget_s=seconds), {}, {})
    assert after(repeats, item, [0], *said(Outcome.REFRESHES, **TICKING)) == []
    assert list(further_lines(repeats.summary())) == []


def test_wilson_is_the_published_interval() -> None:
    """Its ends are the rates from which the observed one is z standard deviations away (Wilson 1927, equation 4)."""
    for rate in wilson(2, 10, Z_90, math.sqrt):
        assert abs(0.2 - rate) == pytest.approx(Z_90 * math.sqrt(rate * (1 - rate) / 10))
    assert statistics.NormalDist().inv_cdf(0.95) == pytest.approx(Z_90)


@pytest.mark.parametrize(
    ("worst", "others", "expected"),
    [(1, 0, 6), (6, 0, 1), (7, 0, 0), (1, 1, 10), (1, 6, 5), (1, 11, 0), (10, 9, 1), (10, 10, 0), (15, 15, 0)],
)
def test_trials_to_start_are_the_fewest_that_may_suffice(worst: int, others: int, expected: int) -> None:
    trials = said(*[Outcome.STORMS] * worst, *[Outcome.REFRESHES] * others, Outcome.BROKEN)
    assert wanted(trials) == expected


def test_fewer_trials_would_never_suffice() -> None:
    for count in range(1, MOST_TRIALS):
        for worst in range(1, count + 1):
            more = wanted(said(*[Outcome.STORMS] * worst, *[Outcome.REFRESHES] * (count - worst)))
            assert count + more <= MOST_TRIALS
            assert not any(enough(worst + hits, count + fewer) for fewer in range(1, more) for hits in (0, fewer))


@pytest.fixture(scope="module")
def plan() -> Plan:
    asked = RunSelection(
        clients=["sarama@1.43.3"], scenarios=["disk/storage-error", "leader/elected"], roles=[Role.PRODUCER], seed=1
    )
    return asked.whole()[0]


def cell(plan: Plan) -> Planned:
    return next(item for item in plan.cells if item.cell.scenario == "disk/storage-error")


def after(repeats: Repeats, item: Planned, trials: Sequence[int], *found: Verdict) -> list[int]:
    """Note verdicts and return the numbers of the further trials."""
    for trial, one in zip(trials, found, strict=True):
        repeats.note(item.cell, trial, one)
    return list(repeats.further(item))


def test_a_cell_in_doubt_is_tried_until_the_share_is_known(plan: Plan) -> None:
    item = cell(plan)
    repeats = Repeats(plan, Options(repeat_budget_s=600), {}, {})
    assert repeats.further(item) == range(0)  # its own trial runs
    assert after(repeats, item, [0], *said(Outcome.REFRESHES, **NEAR)) == [1, 2, 3, 4, 5, 6]
    assert after(repeats, item, range(1, 6), *said(*[Outcome.REFRESHES] * 5)) == []  # one of them runs
    assert after(repeats, item, [6], *said(Outcome.STORMS)) == [7, 8, 9, 10, 11]
    assert after(repeats, item, range(7, 12), *said(*[Outcome.REFRESHES] * 5)) == []
    assert repeats.summary() == Repeated(trials=11, cells=1, lacking=0, needed_s=repeats.summary().needed_s)
    assert list(further_lines(repeats.summary())) == ["11 further trials in 1 cell, where chance may decide"]


def test_a_cell_without_doubt_gets_no_further_trials(plan: Plan) -> None:
    item = cell(plan)
    assert after(Repeats(plan, Options(), {}, {}), item, [0], *said(Outcome.REFRESHES)) == []
    assert (
        after(Repeats(plan, Options(), {item.cell: [Outcome.REFRESHES]}, {}), item, [0], *said(Outcome.REFRESHES)) == []
    )


def test_a_trial_that_differs_from_the_matrix_is_repeated(plan: Plan) -> None:
    item = cell(plan)
    repeats = Repeats(plan, Options(), {item.cell: [Outcome.STUCK]}, {})
    assert after(repeats, item, [0], *said(Outcome.REFRESHES)) == [1, 2, 3, 4, 5, 6]


def test_a_shortened_observation_is_not_repeated(plan: Plan) -> None:
    item = cell(plan)
    assert after(Repeats(plan, Options(watch_ms=1000), {}, {}), item, [0], *said(Outcome.REFRESHES, **NEAR)) == []


def test_an_interrupted_run_goes_on_with_what_lacks(plan: Plan) -> None:
    item = cell(plan)
    finished = dict(zip([(item.cell, 0), (item.cell, 1)], said(Outcome.REFRESHES, Outcome.STORMS), strict=True))
    repeats = Repeats(plan, Options(repeat_budget_s=600), {}, finished)
    assert list(repeats.further(item)) == list(range(2, 12))
    assert repeats.summary().trials == 11  # the one before the interruption is one of them


def test_the_budget_limits_further_trials(plan: Plan) -> None:
    item = cell(plan)
    assert after(Repeats(plan, Options(repeat_budget_s=0), {}, {}), item, [0], *said(Outcome.REFRESHES, **NEAR)) == []
    small = repeat_budget(plan, None, 24, None).run_s(6 * trial_s(item, None))
    repeats = Repeats(plan, Options(repeat_budget_s=small), {}, {})
    got = after(repeats, item, [0], *said(Outcome.REFRESHES, **NEAR))
    assert 0 < len(got) < 6
    assert after(repeats, item, got, *said(*[Outcome.REFRESHES] * len(got))) == []
    lacking, line = repeats.summary(), list(further_lines(repeats.summary()))[-1]
    assert lacking.lacking == 1
    assert line == f"1 cell lacks further trials: --repeat-budget {lacking.needed_s} gives time for them"
    plenty = Repeats(plan, Options(repeat_budget_s=lacking.needed_s), {}, {})
    assert len(after(plenty, item, [0], *said(Outcome.REFRESHES, **NEAR))) == 6


def test_near_bounds_leave_half_of_the_budget_to_trials_that_differ(plan: Plan) -> None:
    near, differing = plan.cells[1:3]
    seconds = repeat_budget(plan, None, 24, None).run_s(8.5 * trial_s(near, None))
    repeats = Repeats(plan, Options(repeat_budget_s=seconds), {differing.cell: [Outcome.STUCK]}, {})
    first = after(repeats, near, [0], *said(Outcome.REFRESHES, **NEAR))
    assert len(first) * trial_s(near, None) <= repeat_budget(plan, seconds, 24, None).trials_s / 2
    assert len(first) == 4
    assert after(repeats, near, first, *said(*[Outcome.REFRESHES] * 4)) == []
    assert len(after(repeats, differing, [0], *said(Outcome.REFRESHES))) >= 4


def test_the_default_budget_is_a_tenth_of_the_run(plan: Plan) -> None:
    whole = sum(plan.spans_s(None))
    small = repeat_budget(plan, None, 24, None)
    assert small.trials_s == pytest.approx(12 * whole / len(plan.cells))  # the time of twelve trials
    large = replace(plan, cells=tuple(replace(item, trials=100) for item in plan.cells))
    assert repeat_budget(large, None, 24, None).trials_s == pytest.approx(10 * whole)
    assert repeat_budget(Plan((), ()), None, 24, None).trials_s == 0


def test_on_real_brokers_a_further_trial_costs_as_much_as_a_cohort(plan: Plan) -> None:
    cells = tuple(replace(item, cell=replace(item.cell, engine=Engine.KAFKA)) for item in plan.cells)
    real = replace(plan, cells=cells * 3)
    budget = repeat_budget(real, 100.0, 24, None)
    further = [budget.run_s(budget.cost_s(item, None)) for item in cells]
    assert min(further) >= 14  # warm-up, traffic and reactions of one cohort
    assert repeat_budget(real, None, 24, None).trials_s >= 12 * min(budget.cost_s(item, None) for item in cells)


@pytest.mark.parametrize(
    "others", [said(Outcome.REFRESHES, Outcome.REFRESHES), said(Outcome.STORMS, Outcome.REFRESHES)]
)
def test_the_order_of_trials_does_not_matter(others: list[Verdict]) -> None:
    trials = permutations([*said(Outcome.REFRESHES, **NEAR), *others])
    assert len({(doubt(some, PLAY), wanted(some)) for some in trials}) == 1


PAGE = (Path(__file__).parents[2] / "docs" / "verdicts.md").read_text(encoding="utf-8")


def test_the_documented_bounds_are_those_of_the_table() -> None:
    part = PAGE.split("### Near a bound")[1].split("### ")[0]
    rows = [line.removeprefix("| ").split(" | ") for line in part.splitlines() if line.startswith("| ")]
    assert [tuple(row[:2]) for row in rows[1:]] == [(one.bound, one.near) for one in NEAR_TABLE]


def test_the_documented_chances_are_those_of_the_rule() -> None:
    assert table() in PAGE
