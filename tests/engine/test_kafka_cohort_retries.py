"""Runs in cohorts: retries of trials in which the harness failed, and control cells."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from probe.model import Cell, History, Outcome
from probe.model.verdicts import Verdict
from probe.planning.cohorts import TrialTask
from probe.planning.plan import Plan, Planned
from probe.runner.schedule import cohorts
from probe.runner.trial.setup import make_header
from tests.support.fake_cohorts import (
    FakeEngine,
    run,
)
from tests.support.plans import planned


def test_a_failed_trial_is_run_again_in_another_cohort(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        tried.append(number)
        header = make_header(item, number, tools, options)
        first = len(tried) == 1
        return History(replace(header, impossible="" if first else "played", problems=("late",) if first else ()), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    engine = FakeEngine()
    kept = run(planned("steady"), engine)
    assert [len(members) for members in engine.given] == [8, 1]
    assert all(member.left for members in engine.given for member in members)
    assert sorted(history.header.trial for history, _ in kept.trials) == [0] * 8 + [1000]


def test_silent_retries_run_with_their_line_and_short_ones_last(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cells(scenario: str) -> list[Planned]:
        return [item for item in planned(scenario, brokers=["3.9"]).cells if not item.is_control]

    async def trial(item: Any, number: int, tools: Any, options: Any, *_: Any, **__: Any) -> History:
        failed = item.cell in {silent.cell, short.cell} and item.cell not in played
        played.append(item.cell)
        header = make_header(item, number, tools, options)
        return History(replace(header, impossible="" if failed else "x", problems=("late",) if failed else ()), ())

    silent, (short, other, *_) = cells("broker/hang")[0], cells("disk/storage-error")
    in_order, played = (silent, short, other), list[Cell]()
    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "cluster_layout", lambda *_: ([[TrialTask(item, 0)] for item in in_order], 1))
    run(Plan(in_order, ()), FakeEngine())
    assert played == [silent.cell, short.cell, silent.cell, other.cell, short.cell]


def test_a_control_cell_that_is_not_clean_is_run_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy machine can make a control cell `stuck` once."""
    asked: list[str] = []
    tried: list[Any] = []

    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        tried.append(item)
        impossible = "" if len(tried) == 1 else "played"
        return History(replace(make_header(item, number, tools, options), impossible=impossible), ())

    async def ask(question: Any, history: History) -> Verdict:
        asked.append(str(history.header.cell))
        verdict: Verdict = question(history)
        return replace(verdict, outcome=Outcome.STUCK, reason="it does not serve") if len(asked) == 1 else verdict

    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "submit", ask)
    engine = FakeEngine()
    kept = run(planned("steady"), engine)
    assert [len(members) for members in engine.given] == [8, 1]
    (first,) = [history for history, _ in kept.trials if history.header.trial == 1000]
    assert first.header.problems == (
        "stuck although nothing was done to the brokers (it does not serve); it runs once more",
    )
    assert len(asked) == len(set(asked)) == 8


def test_attempts_of_an_interrupted_run_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        tried.append(number)
        return History(replace(make_header(item, number, tools, options), problems=("late",)), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    before = run(planned("steady"), FakeEngine())
    before.trials = [
        trial for trial in before.trials if trial[0].header.trial
    ]  # the run stopped before the last attempts
    attempts = len(before.trials)
    kept = run(planned("steady"), FakeEngine(), before)
    numbers = [(history.header.cell, history.header.trial) for history, _ in kept.trials]
    assert len(set(numbers)) == len(numbers) == 2 * attempts + 8


def test_a_client_that_cannot_run_steady_runs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        assert item.cell.scenario == "steady"
        return History(replace(make_header(item, number, tools, options), impossible="closed"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    kept = run(planned("disk/storage-error"), FakeEngine())
    assert len(kept.trials) == 16
    assert {verdict.outcome for _, verdict in kept.trials} == {Outcome.UNSUPPORTED}


def test_a_client_that_never_serves_gets_three_trials_and_runs_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        assert item.cell.scenario == "steady"
        return History(replace(make_header(item, number, tools, options), unserved="it was answered nothing"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    kept = run(planned("disk/storage-error"), FakeEngine())
    controls = [(history.header.trial, verdict.outcome) for history, verdict in kept.trials if history.header.unserved]
    others = {(verdict.outcome, verdict.reason) for history, verdict in kept.trials if not history.header.unserved}
    first, attempts = (0, Outcome.STUCK), (1000, Outcome.BROKEN)
    assert sorted(controls) == sorted([first, attempts, (1, Outcome.STUCK), (2, Outcome.STUCK)] * 8)
    assert others == {(Outcome.UNSUPPORTED, "its control cell, steady, is stuck in 3 of 3 trials")}


def test_a_control_cell_left_open_by_an_interruption_is_completed(monkeypatch: pytest.MonkeyPatch) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        played.append((item.cell, number))
        return History(replace(make_header(item, number, tools, options), unserved="nothing"), ())

    played = list[tuple[Cell, int]]()
    monkeypatch.setattr(cohorts, "run_trial", trial)
    plan = planned("steady")
    run(
        plan,
        FakeEngine(),
        finished={(plan.cells[0].cell, 0): Verdict(outcome=Outcome.STUCK, reason="it does not serve")},
    )
    assert sorted(number for cell, number in played if cell == plan.cells[0].cell) == [1, 2]


def test_a_cluster_that_does_not_start_breaks_every_cell() -> None:
    kept = run(planned("steady"), FakeEngine("Kafka 3.9 did not start: no space"))
    assert {verdict.outcome for _, verdict in kept.trials} == {Outcome.BROKEN}
    assert all(history.header.problems == ("Kafka 3.9 did not start: no space",) for history, _ in kept.trials)
