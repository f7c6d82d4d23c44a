"""Runs in cohorts: the order of cohorts, and retries of trials in which the harness failed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from probe.engines.kafka.cohort.barrier import Barrier
from probe.errors import EngineError, ExhaustedError
from probe.model import Cell, History, Outcome, Response, Role
from probe.model.clock import now_us
from probe.model.verdicts import Verdict
from probe.planning.cohorts import TrialTask, into_cohorts
from probe.planning.plan import Plan, Planned
from probe.ports import CohortLoad
from probe.protocol.apis import PRODUCE
from probe.runner.schedule import cohorts, pool
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.schedule.capacity import Machine
from probe.runner.schedule.cohort_size import CohortSize
from probe.runner.schedule.pool import run_plan
from probe.runner.tools import Options, Tools
from probe.runner.trial.setup import make_header
from probe.scenarios.cluster_spec import DEFAULT_CLUSTER, ClusterSpec
from tests.support.plans import planned

CELLS = 8
"""Cells per cohort."""
THREE_ROLES = (Role.PRODUCER, Role.CONSUMER, Role.GROUP)
"""Roles with 12 cells per scenario."""


class FakeSeat:
    def __init__(self) -> None:
        self.left = self.is_quiet = False
        self.barrier: Barrier[FakeSeat] = Barrier([self])
        self.before_fault: Callable[[], None] = lambda: None

    def ignore_events(self) -> None:
        self.is_quiet = True

    async def inject(self) -> None:
        async def action(_: object) -> None:
            self.before_fault()

        await self.barrier.wait(self, action)

    def leave(self) -> None:
        self.left = True
        self.barrier.leave(self)


class FakeEngine:
    """An engine that yields cohort members and keeps a list of them."""

    at_once, in_silence = 1, 0

    def __init__(self, failure: str = "") -> None:
        self.given: list[list[FakeSeat]] = []
        self._failure = failure

    @contextlib.asynccontextmanager
    async def cohort(
        self,
        broker: str,
        size: int,
        to_come: int = 0,
        spec: ClusterSpec = DEFAULT_CLUSTER,
        *,
        silent: bool = False,
        before_fault: Callable[[], None] = lambda: None,
    ) -> AsyncIterator[list[FakeSeat]]:
        if self._failure:
            raise EngineError(self._failure)
        members = [FakeSeat() for _ in range(size)]
        barrier = Barrier(members)
        for member in members:
            member.barrier, member.before_fault = barrier, before_fault
        self.given.append(members)
        yield members


class NoLag:
    async def calm(self, patience_s: float) -> None:
        pass

    def has_spare(self) -> bool:
        return False

    def machine(self) -> Machine:
        return no_machine()


class Kept:
    exhausted: ExhaustedError | None = None

    def __init__(self) -> None:
        self.trials: list[tuple[History, Verdict]] = []
        self.loads: list[CohortLoad] = []

    def add(self, history: History, verdict: Verdict) -> None:
        self.trials.append((history, verdict))

    def has(self, cell: Cell, trial: int) -> bool:
        return any((history.header.cell, history.header.trial) == (cell, trial) for history, _ in self.trials)

    def add_cohort(self, load: CohortLoad) -> None:
        self.loads.append(load)

    def flush(self) -> None:
        pass


class ManyClusters(FakeEngine):
    """An engine with room for four clusters that counts those leased at the same time."""

    at_once = 4

    def __init__(self) -> None:
        super().__init__()
        self.now = 0

    @contextlib.asynccontextmanager
    async def cohort(self, broker: str, size: int, *args: Any, **more: Any) -> AsyncIterator[list[FakeSeat]]:
        self.now += 1
        async with super().cohort(broker, size, *args, **more) as members:
            yield members
        self.now -= 1


@pytest.mark.parametrize("rests", [True, False])
def test_a_cohort_may_begin_while_another_only_observes(monkeypatch: pytest.MonkeyPatch, rests: bool) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, *, rest: Any, **_: Any) -> History:
        if rests:
            rest()
            rest()  # an observing trial reports this repeatedly
            if engine.now == engine.at_once:
                full.set()
            await asyncio.wait_for(full.wait(), 10)
        await asyncio.sleep(0.1)
        trials.append(engine.now)
        return History(replace(make_header(item, number, tools, options), impossible="played"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "MAX_OBSERVED_CELLS", 3 * CELLS)
    engine, full = ManyClusters(), asyncio.Event()
    trials: list[int] = []
    run(planned("steady", trials=8), engine)
    assert max(trials) == (4 if rests else 1)


def test_cells_with_a_closed_client_make_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, *_: Any, closed: Any, **__: Any) -> History:
        closed()
        if engine.now == 1:  # the first cohort is observed until another one is there
            await asyncio.wait_for(another.wait(), 5)
        another.set()
        return History(replace(make_header(item, number, tools, options), impossible="played"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    engine, another = ManyClusters(), asyncio.Event()
    run(planned("steady", trials=8), engine)
    assert all(member.is_quiet for members in engine.given for member in members)


def test_retries_and_the_next_line_run_during_an_observation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def trial(
        item: Any, number: int, tools: Any, options: Any, *_: Any, rest: Any, closed: Any, **__: Any
    ) -> History:
        rest()
        header = replace(make_header(item, number, tools, options), impossible="played")
        if item.cell == item.steady:
            return History(replace(header, impossible=""), ())
        first = item.cell.broker not in tried
        tried.append(item.cell.broker)
        if first and item.cell.broker == "3.9":
            return History(replace(header, impossible="", problems=("late",)), ())
        if first:  # this trial is observed until all others have ended
            await asyncio.wait_for(over.wait(), 10)
        elif len(tried) == len(plan.cells) + 1 - controls:
            over.set()
        closed()
        return History(header, ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "_known_as_impossible", never)
    plan, over, tried = planned("disk/storage-error", brokers=["2.6", "3.9"]), asyncio.Event(), list[str]()
    controls = sum(item.cell == item.steady for item in plan.cells)
    monkeypatch.setattr(cohorts, "cluster_layout", lambda work, *_: (into_cohorts(work, 8), 4))
    run(plan, ManyClusters())
    assert len(tried) == len(plan.cells) + 1 - controls


def test_only_the_same_line_overtakes_a_wait_for_a_control_cell(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, *_: Any, rest: Any, **__: Any) -> History:
        rest()
        played.append(item.cell)
        if item.cell == slow.steady and item.is_control:
            await asyncio.wait_for(overtaken.wait(), 10)
            await asyncio.sleep(0.2)  # time for the other line to begin, if it could
        if not item.is_control:
            overtaken.set()
        return History(replace(make_header(item, number, tools, options), impossible="played"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "_known_as_impossible", never)
    monkeypatch.setattr(cohorts, "MAX_OBSERVED_CELLS", 100)
    plan, overtaken = planned("disk/storage-error", brokers=["2.6", "3.9"]), asyncio.Event()
    in_order = sorted(plan.cells, key=lambda item: (item.cell.broker, not item.is_control))
    slow = next(item for item in in_order if not item.is_control)
    played: list[Cell] = []
    monkeypatch.setattr(cohorts, "cluster_layout", lambda *_: ([[TrialTask(item, 0)] for item in in_order], 4))
    run(plan, ManyClusters())
    assert [cell.broker for cell in played] == [item.cell.broker for item in in_order]
    others = [cell for cell in played if cell.scenario == slow.cell.scenario]
    assert set(others) == {item.cell for item in in_order if not item.is_control}
    assert others[0] != slow.cell


async def never(*_: Any) -> bool:
    return False


def run(
    plan: Plan,
    engine: FakeEngine,
    kept: Kept | None = None,
    finished: Mapping[tuple[Cell, int], Verdict] | None = None,
) -> Kept:
    kept = kept or Kept()
    tools: Any = Tools(engine=engine, host=None, lag=NoLag())  # type: ignore[arg-type]  # no host is started
    drain = cohorts.drain_in_cohorts(engine)  # type: ignore[arg-type]  # same
    asyncio.run(run_plan(plan, tools, Options(seed=1), kept, report=lambda _: None, drain=drain, finished=finished))
    return kept


def slow_trials(
    monkeypatch: pytest.MonkeyPatch, took_ms: Callable[[int], int], late: Callable[[], bool] = lambda: False
) -> list[Cell]:
    """Let trials write until their fault, by the size of their cohort; return the cells whose fault is injected.

    The first trials for which `late` holds fail after the others of their cohort.
    """

    async def trial(
        item: Any, number: int, tools: Any, options: Any, starting: Any, *, ready: Any, **_: Any
    ) -> History:
        header, member = make_header(item, number, tools, options), tools.engine
        played = History(replace(header, impossible="played"), ())
        if item.is_control:
            return played
        if late():
            member.leave()
            await asyncio.sleep(0.1)
            return History(replace(header, problems=("late",)), ())

        def so_far() -> History:
            at = now_us() - 100_000
            sent_at = at - 1000 * took_ms(len(member.barrier.present))
            wrote = Response(at=at, conn=1, broker=1, corr=1, api=PRODUCE, version=8, sent_at=sent_at)
            return History(header, (wrote,))

        ready(so_far)
        await member.inject()
        injected.append(item.cell)
        return played

    injected = list[Cell]()
    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "_known_as_impossible", never)
    monkeypatch.setattr(cohorts, "usable_cores", lambda: 2)
    return injected


def loads(kept: Kept) -> list[tuple[int, float | None, bool]]:
    return [(load.cells, load.median_write_ms, load.given_back) for load in kept.loads]


def test_a_cohort_with_slow_writes_is_given_back_and_played_in_halves(monkeypatch: pytest.MonkeyPatch) -> None:
    injected = slow_trials(monkeypatch, lambda cells: 60 if cells > 8 else 10)
    plan, engine = planned("disk/storage-error", roles=THREE_ROLES), FakeEngine()
    kept = run(plan, engine)
    assert [len(members) for members in engine.given] == [12, 12, 6, 6]  # the first are control cells
    assert loads(kept) == [(12, 60.0, True), (6, 10.0, False), (6, 10.0, False)]
    assert {load.scenario for load in kept.loads} == {"disk/storage-error"}
    assert sorted(map(str, injected)) == sorted(str(item.cell) for item in plan.cells if not item.is_control)
    assert numbers_of(kept) == sorted((str(item.cell), 0) for item in plan.cells)


def test_slow_writes_halve_cohorts_down_to_the_minimum_that_is_played(monkeypatch: pytest.MonkeyPatch) -> None:
    injected = slow_trials(monkeypatch, lambda _: 60)
    plan, engine = planned("disk/storage-error", trials=2, roles=THREE_ROLES), FakeEngine()
    kept = run(plan, engine)
    played = [(cells, median) for cells, median, given_back in loads(kept) if not given_back]
    assert played == [(6, 60.0)] * 4
    assert loads(kept)[0] == (12, 60.0, True)
    assert len(injected) == 24
    assert numbers_of(kept) == sorted((str(item.cell), number) for item in plan.cells for number in range(2))


def test_halves_stay_halves_whatever_the_limit_of_other_cohorts(monkeypatch: pytest.MonkeyPatch) -> None:
    slow_trials(monkeypatch, lambda cells: 60 if cells > 8 else 10)
    monkeypatch.setattr(CohortSize, "measured", lambda *_: False)
    engine = FakeEngine()
    run(planned("disk/storage-error", roles=THREE_ROLES), engine)
    assert [len(members) for members in engine.given] == [12, 12, 6, 6]


def test_a_failure_in_a_cohort_that_is_given_back_is_no_failed_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    first = iter([True])
    slow_trials(monkeypatch, lambda cells: 60 if cells > 8 else 10, lambda: next(first, False))
    plan = planned("disk/storage-error", roles=THREE_ROLES)
    kept = run(plan, FakeEngine())
    assert loads(kept)[0] == (11, 60.0, True)
    assert numbers_of(kept) == sorted((str(item.cell), 0) for item in plan.cells)


@pytest.mark.parametrize("end", ["time", "signal"])
def test_trials_given_back_are_open_when_a_run_ends_and_resumed_once(monkeypatch: pytest.MonkeyPatch, end: str) -> None:
    class Ending(FakeEngine):
        def cohort(self, broker: str, size: int, *args: Any, **more: Any) -> Any:
            if len(self.given) == 2 and end == "signal":  # control cells, and the cohort that was given back
                raise asyncio.CancelledError
            return super().cohort(broker, size, *args, **more)

    injected = slow_trials(monkeypatch, lambda cells: 60 if cells > 8 else 10)
    plan, kept, engine = planned("disk/storage-error", roles=THREE_ROLES), Kept(), Ending()
    with monkeypatch.context() as context, contextlib.suppress(asyncio.CancelledError):
        context.setattr(pool.Run, "has_time", lambda *_: end != "time" or len(engine.given) < 2)
        run(plan, engine, kept)
    assert numbers_of(kept) == sorted((str(item.cell), 0) for item in plan.cells if item.is_control)
    assert not injected
    judged = {(history.header.cell, history.header.trial): verdict for history, verdict in kept.trials}
    run(plan, FakeEngine(), kept, judged)
    assert numbers_of(kept) == sorted((str(item.cell), 0) for item in plan.cells)


def numbers_of(kept: Kept) -> list[tuple[str, int]]:
    return sorted((str(history.header.cell), history.header.trial) for history, _ in kept.trials)


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
