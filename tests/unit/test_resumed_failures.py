"""A resumed run plays another trial in place of each in which the harness failed."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any

import pytest

import probe.verdict
from probe.cli.wiring.execution import _before
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Cell, History, Outcome, Role, Verdict
from probe.model.history import FAILING_FROM
from probe.planning.plan import Plan
from probe.runner.schedule import attempts, pool
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.schedule.repeats import Repeats
from probe.runner.tools import Options
from tests.support import virtual_time
from tests.support.fake_cohorts import Kept
from tests.support.synthetic_rows import verdict
from tests.unit.test_repeats_run import trial

BROKEN, CLEAN, REFRESHES = Outcome.BROKEN, Outcome.CLEAN, Outcome.REFRESHES
Stored = Mapping[tuple[Cell, int], Verdict]
ONCE = Options(repeat_budget_s=0)


def planned(trials: int = 1) -> tuple[Plan, Cell, Cell]:
    """Return a plan of two cells, its control cell and its other cell."""
    asked = RunSelection(
        clients=["sarama@1.43.3"], scenarios=["disk/storage-error"], roles=[Role.PRODUCER], seed=1, trials=trials
    )
    plan = asked.whole()[0]
    control, other = sorted((item.cell for item in plan.cells), key=lambda cell: cell.scenario != "steady")
    return plan, control, other


def played(plan: Plan, stored: Stored, monkeypatch: pytest.MonkeyPatch) -> list[tuple[Cell, int]]:
    """Resume a run that has stored these trials; return what it played, in order. No number may be used twice."""

    def judge(history: History) -> Verdict:
        return verdict(CLEAN if history.header.cell.scenario == "steady" else REFRESHES)

    monkeypatch.setattr(probe.verdict, "judge", judge)
    monkeypatch.setattr(attempts, "run_trial", trial)
    kept = Kept()
    tools: Any = SimpleNamespace(
        finish=lambda _: None, lag=SimpleNamespace(machine=no_machine), artifacts={}, engine=None
    )
    running = pool.run_plan(plan, tools, ONCE, kept, report=lambda _: None, finished=stored)
    virtual_time.run(running)
    numbers = [(history.header.cell, history.header.trial) for history, _ in kept.trials]
    assert not stored.keys() & set(numbers)
    assert len(numbers) == len(set(numbers))
    return numbers


def of(outcomes: Mapping[tuple[Cell, int], Outcome]) -> Stored:
    return {key: verdict(outcome) for key, outcome in outcomes.items()}


def test_a_broken_trial_is_played_again_under_another_number(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, control, other = planned()
    stored = of({(control, 0): CLEAN, (other, FAILING_FROM): BROKEN, (other, 0): BROKEN})
    assert played(plan, stored, monkeypatch) == [(other, 1)]
    again = {**stored, (other, 1): verdict(REFRESHES)}
    assert played(plan, again, monkeypatch) == []


def test_a_broken_control_cell_is_played_before_the_cells_that_it_broke(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, control, other = planned()
    stored = of({(control, 0): BROKEN, (other, 0): BROKEN})
    assert played(plan, stored, monkeypatch) == [(control, 1), (other, 1)]


@pytest.mark.parametrize("outcomes", [(Outcome.STORMS, CLEAN, Outcome.STUCK), (Outcome.STUCK,) * 3])
def test_cells_are_left_where_their_control_cell_breaks_them(
    outcomes: tuple[Outcome, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    plan, control, other = planned()
    stored = of({(control, number): outcome for number, outcome in enumerate(outcomes)} | {(other, 0): BROKEN})
    assert played(plan, stored, monkeypatch) == []


def test_a_broken_trial_beside_the_wanted_ones_is_not_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, control, other = planned(trials=2)
    stored = of(
        {(control, 0): CLEAN, (control, 1): CLEAN, (other, 0): REFRESHES, (other, 1): BROKEN, (other, 2): REFRESHES}
    )
    assert played(plan, stored, monkeypatch) == []


def test_missing_and_broken_trials_are_both_played(monkeypatch: pytest.MonkeyPatch) -> None:
    plan, control, other = planned(trials=3)
    stored = of({(control, number): CLEAN for number in range(3)} | {(other, 0): BROKEN})
    assert sorted(number for _, number in played(plan, stored, monkeypatch)) == [1, 2, 3]


def test_a_replacement_is_no_further_trial() -> None:
    plan, control, other = planned()
    repeats = Repeats(plan, ONCE, {}, of({(control, 0): CLEAN, (other, 0): BROKEN}))
    (item,) = (item for item in plan.cells if item.cell == other)
    assert list(repeats.replacements(item)) == [1]
    assert repeats.summary().trials == 0


def test_a_run_does_not_show_a_failure_that_was_replaced() -> None:
    _, control, other = planned()
    stored = of({(control, 0): BROKEN, (other, 0): BROKEN})
    assert _before(stored, {other}).keys() == {(control, BROKEN)}
