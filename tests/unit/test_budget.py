"""A run with a time budget."""

from __future__ import annotations

import asyncio
import contextlib
import json
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from probe.cli.wiring import time_budget
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import ProbeError
from probe.model import Cell, Client, Engine, Reaction, Role
from probe.model.paces import TRANSACTION_INTERVAL_MS
from probe.planning.paces import LONG_OBSERVATION_MS
from probe.planning.plan import Plan, Planned
from probe.runner import Options
from probe.runner.schedule import pool
from probe.runner.schedule.adaptive_limit import Permit, no_machine
from probe.runner.trial import trial
from probe.store.lock import FOLDER
from tests.support import virtual_time


@pytest.fixture(scope="module")
def plan() -> Plan:
    names = ["disk/storage-error", "leader/elected"]
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=names, roles=[Role.PRODUCER], seed=1)
    return asked.whole()[0]


class Idle:
    """A host without processes that records the clients whose trials are done."""

    def __init__(self) -> None:
        self.done: list[Client] = []

    def finish(self, client: Client) -> None:
        self.done.append(client)


def play(plan: Plan, monkeypatch: pytest.MonkeyPatch, stop_in: float | None, trial_s: float = 0.0) -> list[Cell]:
    """Run a plan whose trials only sleep; return the cells that ended."""
    ended: list[Cell] = []

    async def one(_: object, item: Planned, __: int, place: Permit) -> None:
        await asyncio.sleep(trial_s)
        ended.append(item.cell)
        place.release()

    monkeypatch.setattr(pool, "_judge_one", one)
    host = Idle()
    tools: Any = SimpleNamespace(finish=host.finish, lag=SimpleNamespace(machine=no_machine))
    store: Any = SimpleNamespace(exhausted=None)
    stop_at = None if stop_in is None else time.monotonic() + stop_in
    options = Options(jobs=1, stop_at=stop_at)
    virtual_time.run(pool.run_plan(plan, tools, options, store, report=lambda _: None))
    assert host.done == (sorted({cell.client for cell in ended}) if len(ended) == len(plan.cells) else [])
    return ended


def test_without_a_budget_every_trial_runs(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(play(plan, monkeypatch, None)) == len(plan.cells) == 3


def test_a_cancelled_run_ends_if_a_cleanup_ignores_it(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """A cancellation that the cleanup suppresses must not count as a failed trial, which would be retried."""
    attempts = []

    async def swallow(*_: object, **__: object) -> None:
        attempts.append(1)
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.sleep(60)

    monkeypatch.setattr(trial, "_run", swallow)
    monkeypatch.setattr(pool, "_longest_s", lambda *_: 0.0)
    monkeypatch.setattr(pool, "harness_failed", lambda _: True)

    async def interrupted() -> None:
        tools: Any = SimpleNamespace(finish=Idle().finish, lag=SimpleNamespace(machine=no_machine), artifacts={})
        tools.of = lambda _: tools
        store: Any = SimpleNamespace(exhausted=None)
        task = asyncio.create_task(pool.run_plan(plan, tools, Options(jobs=3), store, report=lambda _: None))
        await asyncio.sleep(0.1)
        task.cancel()
        async with asyncio.timeout(5):
            with pytest.raises(asyncio.CancelledError):
                await task

    virtual_time.run(interrupted())
    assert len(attempts) == 3


def test_no_trial_starts_that_would_end_too_late(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(play(plan, monkeypatch, 3600)) == 3
    assert play(plan, monkeypatch, 5) == []


def test_a_trial_without_its_control_cell_does_not_start(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    """The trial would wait for its control cell without end."""
    monkeypatch.setattr(pool, "_longest_s", lambda item, _: 1.0 if item.cell != item.steady else 100.0)
    assert play(plan, monkeypatch, 50) == []


def test_running_trials_are_cut_off_when_time_is_up(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pool, "_longest_s", lambda *_: 0.0)
    started = time.monotonic()
    assert play(plan, monkeypatch, 0.3, trial_s=60) == []
    assert time.monotonic() - started < 20


def test_time_for_publishing_is_reserved(tmp_path: Path) -> None:
    results = str(tmp_path)
    assert time_budget.stop_at(600, 1000.0, results, publish=False) == 1600 - time_budget.ENDING_S
    assert (
        time_budget.stop_at(600, 1000.0, results, publish=True) == 1600 - time_budget.ENDING_S - time_budget.UNKNOWN_S
    )
    (tmp_path / FOLDER).mkdir()
    time_budget.note_publishing(results, 100.0)
    assert time_budget.stop_at(600, 1000.0, results, publish=True) == 1600 - time_budget.ENDING_S - 200
    (tmp_path / FOLDER / time_budget.NOTE).write_text(json.dumps(["odd"]))
    assert (
        time_budget.stop_at(600, 1000.0, results, publish=True) == 1600 - time_budget.ENDING_S - time_budget.UNKNOWN_S
    )
    with pytest.raises(ProbeError, match="--time-budget 30: too short, since ending and publishing take about 70 s"):
        time_budget.stop_at(30, 1000.0, results, publish=True)


def test_one_slow_publication_leaves_later_runs_half_of_their_time(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    time_budget.note_publishing(str(tmp_path), 500.0)
    assert time_budget.stop_at(600, 1000.0, str(tmp_path), publish=True) == 1300 - time_budget.ENDING_S


def test_only_trials_that_may_fit_are_prepared(plan: Plan, tmp_path: Path) -> None:
    names = ["sarama@1.43.2", "sarama@1.43.3", "sarama@1.27.0"]
    whole, selection = RunSelection(clients=names, scenarios=["disk/*", "leader/*"], seed=1).whole()
    options = Options(jobs=2, stop_at=time.monotonic() + 10)
    part, chosen = time_budget.most_informative(whole, selection, options, str(tmp_path))
    assert 2 <= len(part.cells) < len(whole.cells)
    assert {item.version.version for item in chosen.clients} == {item.cell.version for item in part.cells}
    assert time_budget.most_informative(whole, selection, Options(), str(tmp_path)) == (whole, selection)


def test_the_prompt_limit_has_at_least_two_transactions() -> None:
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=["*"], roles=[Role.TRANSACTIONAL], engine=Engine.KAFKA)
    items = asked.whole()[0].cells
    assert {item.pace.work_ms for item in items} > {TRANSACTION_INTERVAL_MS}
    assert all(2 * item.pace.work_ms <= item.expectation.prompt_ms for item in items)


@pytest.mark.parametrize("engine", list(Engine))
def test_long_observations_have_long_intervals_on_the_fake_unless_prompt(engine: Engine) -> None:
    scenarios = ["disk/storage-error", "broker/hang", "broker/rolling", "bootstrap/addresses-changed"]
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=scenarios, roles=[Role.PRODUCER], engine=engine)
    cells = {item.cell.scenario: item for item in asked.whole()[0].cells}
    usual, long = cells["disk/storage-error"].pace.work_ms, cells["broker/hang"].pace.work_ms
    assert cells["broker/hang"].expectation.watch_ms >= LONG_OBSERVATION_MS
    assert cells["bootstrap/addresses-changed"].pace.work_ms == long
    assert long == usual if engine is Engine.KAFKA else long > usual
    assert cells["broker/rolling"].pace.work_ms == usual
    for item in cells.values():
        assert item.expectation.expects is Reaction.NOTHING or 3 * item.pace.work_ms <= item.expectation.prompt_ms / 2
