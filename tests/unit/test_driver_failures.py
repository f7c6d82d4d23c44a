"""A driver that never works is given up soon: its lies at once, its silence once, and its other cells with it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

import probe.verdict
from probe.drivers.host import HELLO_S, Bound, Host
from probe.drivers.launch import Launch
from probe.drivers.process import DriverProcess
from probe.errors import DriverError, SilentDriverError
from probe.model import App, AppKind, Cell, Client, History, Outcome, Request
from probe.model.history import FAILING_FROM
from probe.recorder import Recorder
from probe.runner.schedule import attempts, cohorts, pool
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.tools import Options, Tools
from probe.runner.trial.setup import make_header
from probe.runner.trial.state import TrialState
from probe.runner.trial.warm_up import WARM_OPERATIONS, warm_up
from tests.support import virtual_time
from tests.support.fake_cohorts import FakeEngine, Kept, NoLag
from tests.support.histories import history
from tests.support.plans import planned
from tests.support.real_cells import planned as planned_cell
from tests.support.synthetic_rows import verdict
from tests.unit.test_resumed_failures import planned as two_cells

REPORTED = tuple(
    App(at=10 + number, kind=AppKind.ACKED, instance="me", partition=0, sequence=number)
    for number in range(WARM_OPERATIONS)
)
ASKED = Request(at=5, conn=1, broker=1, corr=1, api=0, version=7)


def warmed(*events: App | Request) -> tuple[bool, float]:
    """Return whether a trial of a producer warms up by these events, and after how many seconds it knows."""
    item = planned_cell("sarama@1.43.3", "steady", "producer")

    async def play() -> tuple[bool, float]:
        state = TrialState(item, history(play=item.expectation).header, Recorder())
        for event in events:
            asyncio.get_running_loop().call_later(1, state.recorder.add, event)
        began = asyncio.get_running_loop().time()
        pacing: Any = SimpleNamespace()
        return await warm_up(state, pacing, lambda: None), asyncio.get_running_loop().time() - began

    return virtual_time.run(play())


def test_operations_that_no_broker_was_asked_for_end_the_warm_up_at_once() -> None:
    with pytest.raises(DriverError, match="reports 3 operations done, and no broker was asked for any; correct what"):
        warmed(*REPORTED)


def test_a_client_that_serves_one_partition_only_is_waited_for() -> None:
    ready, seconds = warmed(ASKED, *REPORTED)
    assert not ready
    assert seconds >= 45


def silent_host(monkeypatch: pytest.MonkeyPatch) -> tuple[Host, list[Client]]:
    """Return a host whose driver processes never say Hello, and the list of their starts."""
    started: list[Client] = []

    async def launch(_: Host, client: Client, *__: object, **___: object) -> NoReturn:
        started.append(client)
        await DriverProcess(client, 1).attached(HELLO_S)
        raise AssertionError("it is silent")

    monkeypatch.setattr(Host, "_launch", launch)
    return Host({Client("demo", version): Bound(Launch((), ""), 4) for version in ("1", "2")}), started


def test_trials_that_wait_for_a_silent_driver_do_not_wait_for_another_one(monkeypatch: pytest.MonkeyPatch) -> None:
    async def play() -> float:
        host, began = silent_host(monkeypatch)[0], asyncio.get_running_loop().time()
        cells = [replace(CELLS[1], family="demo", version=version) for version in ("1",) * 5 + ("2",) * 5]

        async def trial(cell: Cell) -> None:
            for _ in range(pool.ATTEMPTS):
                with pytest.raises(SilentDriverError, match="no Hello within 60 s"):
                    async with host.start(cell, None, lambda _: None):  # type: ignore[arg-type]  # never reached
                        pass

        await asyncio.gather(*map(trial, cells))
        return asyncio.get_running_loop().time() - began

    assert virtual_time.run(play()) == pytest.approx(pool.ATTEMPTS * HELLO_S, abs=1)


_, *CELLS = two_cells()


def judge(found: History) -> Any:
    """Judge as the harness found it: broken by its problems or its control cell."""
    unwell = found.header.problems or found.header.steady not in {None, Outcome.CLEAN}
    return verdict(Outcome.BROKEN if unwell else Outcome.CLEAN)


async def failing(item: Any, number: int, tools: Any, options: Any, *_: Any, **__: Any) -> History:
    await asyncio.sleep(0.001)
    return History(replace(make_header(item, number, tools, options), problems=("no Hello",)), ())


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[Cell]:
    """Let each trial fail; return the list of the cells of those that were begun."""
    begun: list[Cell] = []

    async def begin(item: Any, *arguments: Any, **more: Any) -> History:
        begun.append(item.cell)
        return await failing(item, *arguments, **more)

    monkeypatch.setattr(probe.verdict, "judge", judge)
    for module in (attempts, cohorts):
        monkeypatch.setattr(module, "run_trial", begin)
    return begun


def outcomes(kept: Kept) -> set[tuple[Cell, Outcome]]:
    return {(found.header.cell, judged.outcome) for found, judged in kept.trials if found.header.trial < FAILING_FROM}


def test_cells_of_a_failed_control_cell_are_judged_without_being_played(played: list[Cell]) -> None:
    plan, control, other = two_cells(trials=1)
    kept = Kept()
    tools: Any = SimpleNamespace(
        finish=lambda _: None, lag=SimpleNamespace(machine=no_machine), artifacts={}, engine=None
    )
    one_by_one = Options(repeat_budget_s=0, exactly=1)
    virtual_time.run(pool.run_plan(plan, tools, one_by_one, kept, report=lambda _: None))
    assert played == [control] * pool.ATTEMPTS
    assert outcomes(kept) == {(control, Outcome.BROKEN), (other, Outcome.BROKEN)}


def test_so_are_they_on_real_brokers(played: list[Cell]) -> None:
    engine, kept = FakeEngine(), Kept()
    plan = planned("disk/storage-error")
    tools: Any = Tools(engine=engine, host=None, lag=NoLag())  # type: ignore[arg-type]  # no host is started
    drain = cohorts.drain_in_cohorts(engine)  # type: ignore[arg-type]  # same
    virtual_time.run(pool.run_plan(plan, tools, Options(seed=1), kept, report=lambda _: None, drain=drain))
    assert {cell.scenario for cell in played} == {"steady"}
    assert {cell for cell, _ in outcomes(kept)} == {item.cell for item in plan.cells}
