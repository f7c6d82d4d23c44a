"""A driver that never works is given up soon: its lies at once, its silence once, and its other cells with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

import probe.verdict
from probe.driver_contract import driver_pb2 as pb
from probe.drivers.given_up import GivenUp, Stalled, unmeasured
from probe.drivers.host import HELLO_S, Bound, Host
from probe.drivers.launch import Launch
from probe.drivers.process import DriverProcess
from probe.errors import DriverError, FalseReportError, SilentDriverError
from probe.model import App, AppKind, Cell, Client, Event, History, Opened, Outcome, Request, Role
from probe.model.history import FAILING_FROM
from probe.recorder import Recorder
from probe.runner.schedule import attempts, cohorts, pool
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.tools import Options, Tools
from probe.runner.trial.setup import make_header
from probe.runner.trial.state import TrialState
from probe.runner.trial.warm_up import FLOOD, WARM_OPERATIONS, check_life, warm_up
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


def warmed(*events: Event, passed: Sequence[Event] = ()) -> tuple[bool, float]:
    """Return whether a trial of a producer warms up by these events, and after how many seconds it knows.

    `passed` are events of the wire that are not decoded until somebody asks.
    """
    item = planned_cell("sarama@1.43.3", "steady", "producer")

    async def play() -> tuple[bool, float]:
        recorder = Recorder()
        state = TrialState(item, history(play=item.expectation).header, recorder)

        def read_on() -> None:
            for event in passed:
                recorder.add(event)

        state.read_on = read_on
        for event in events:
            asyncio.get_running_loop().call_later(1, state.recorder.add, event)
        began = asyncio.get_running_loop().time()
        pacing: Any = SimpleNamespace()
        return await warm_up(state, pacing, lambda: None), asyncio.get_running_loop().time() - began

    return virtual_time.run(play())


def test_operations_that_no_broker_was_asked_for_end_the_warm_up_at_once() -> None:
    with pytest.raises(DriverError, match="reports 3 operations done, and no broker was asked for any; correct what"):
        warmed(*REPORTED)


@pytest.mark.parametrize("decoded_late", [False, True])
def test_a_client_that_serves_one_partition_only_is_waited_for(decoded_late: bool) -> None:
    """Also one that has read records before its first requests are decoded."""
    ready, seconds = warmed(*REPORTED, passed=[ASKED]) if decoded_late else warmed(ASKED, *REPORTED)
    assert not ready
    assert seconds >= 45


def calm(_since: int, _until: int) -> bool:
    return False


def silent_host(monkeypatch: pytest.MonkeyPatch, stalled: Stalled = calm) -> Host:
    """Return a host whose driver processes never say Hello, on a machine that `stalled`."""

    async def launch(_: Host, client: Client, *__: object, **___: object) -> NoReturn:
        await DriverProcess(client, 1).attached(HELLO_S)
        raise AssertionError("it is silent")

    monkeypatch.setattr(Host, "_launch", launch)
    clients = {Client("demo", version): Bound(Launch((), ""), 4) for version in ("1", "2")}
    return Host(clients, stalled=stalled)


async def seconds_of_attempts(host: Host) -> float:
    """Make all attempts at five cells of two silent clients at once; return the seconds until the last has failed."""
    began = asyncio.get_running_loop().time()
    cells = [replace(CELLS[1], family="demo", version=version) for version in ("1",) * 5 + ("2",) * 5]

    async def trial(cell: Cell) -> None:
        for _ in range(pool.ATTEMPTS):
            with pytest.raises(SilentDriverError, match="no Hello within 60 s"):
                async with host.start(cell, None, lambda _: None):  # type: ignore[arg-type]  # never reached
                    pass

    await asyncio.gather(*map(trial, cells))
    return asyncio.get_running_loop().time() - began


@pytest.mark.parametrize(("stalled", "waits"), [(calm, 1), (unmeasured, pool.ATTEMPTS)])
def test_all_trials_wait_once_for_a_silent_driver_unless_the_machine_stalled(
    stalled: Stalled, waits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def play() -> float:
        return await seconds_of_attempts(silent_host(monkeypatch, stalled))

    assert virtual_time.run(play()) == pytest.approx(waits * HELLO_S, abs=1)


def test_a_driver_that_answers_no_ping_is_not_said_to_be_without_hello() -> None:
    async def play() -> None:
        process = DriverProcess(Client("demo", "1"), 1)
        task = asyncio.create_task(process.attached(HELLO_S))
        await asyncio.sleep(1)
        serving = asyncio.create_task(process.serve(pb.Hello(family="demo", version="1"), silence(), discarded))
        with pytest.raises(SilentDriverError, match="no answer to a ping within 60 s"):
            await task
        serving.cancel()

    virtual_time.run(play())


async def silence() -> AsyncIterator[pb.FromDriver]:
    """Be the stream of a driver that sends nothing more."""
    await asyncio.Event().wait()
    yield pb.FromDriver()


async def discarded(_: pb.ToDriver) -> None:
    """Take a message for a driver."""


@pytest.mark.parametrize("error", [FalseReportError("it lies"), SilentDriverError("it is mute")])
@pytest.mark.parametrize("stalled", [calm, unmeasured])
def test_a_failure_that_is_certain_to_repeat_itself_ends_the_next_start_at_once(
    error: DriverError, stalled: Stalled
) -> None:
    given_up, cell = GivenUp(stalled), CELLS[1]
    assert isinstance(error, FalseReportError | SilentDriverError)
    given_up.note(cell, error, since=0)
    if isinstance(error, SilentDriverError) and stalled is unmeasured:
        given_up.check(cell)
        return
    for other in (cell, replace(cell, scenario="net/reset")):
        with pytest.raises(type(error), match=str(error)):
            given_up.check(other)
    given_up.check(replace(cell, role=Role.GROUP))


class Process:
    """The instance of a process that answers pings, or ends as it does not."""

    def __init__(self, *, answers: bool) -> None:
        self.died = ""
        self._answers = answers

    async def check(self) -> None:
        """Note its end if it does not answer."""
        self.died = "" if self._answers else "it answered nothing"


def life(*events: Event, answers: bool = True, alone: bool = True) -> str:
    """Return the error of a check of an instance's life after these events, by its type; empty if there is none."""
    recorder: Any = Recorder()
    for event in events:
        recorder.add(event)
    instance: Any = Process(answers=answers)
    try:
        asyncio.run(check_life(recorder, instance, alone=alone))
    except DriverError as error:
        return type(error).__name__
    return ""


READY = App(at=1, kind=AppKind.READY, instance="me")
NOTICE = App(at=2, kind=AppKind.NOTICE, instance="me", text="hello")


def test_an_instance_that_did_nothing_in_its_warm_up_is_mute_if_its_process_answers_or_had_nothing_else() -> None:
    for events in ((), (READY,), (READY, NOTICE)):
        assert life(*events) == life(*events, answers=False) == "SilentDriverError"
        assert life(*events, answers=False, alone=False) == "DriverLostError"


def test_an_instance_that_did_anything_is_judged_by_that() -> None:
    refused = App(at=3, kind=AppKind.SEND_ERROR, instance="me")
    ended = App(at=3, kind=AppKind.FATAL, instance="me")
    assert [life(READY, event) for event in (Opened(at=2, conn=1, broker=1), refused, ended)] == ["", "", ""]


def test_reports_without_an_end_and_without_a_connection_end_the_warm_up_at_once() -> None:
    with pytest.raises(FalseReportError, match="made 10000 reports beside errors, and its client opened no connection"):
        warmed(*[NOTICE] * FLOOD)
    for explained in (Opened(at=2, conn=1, broker=1), ASKED):
        opened = (Opened(at=2, conn=1, broker=1), explained)
        assert warmed(*opened, *[NOTICE] * FLOOD)[1] >= 45
    assert warmed(*[replace(NOTICE, kind=AppKind.SEND_ERROR)] * FLOOD)[1] >= 45


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
