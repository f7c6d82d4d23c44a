"""Which trials watch a fault together, and how a run goes on when the harness failed at some."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import pytest

from probe.cli.options import Asked
from probe.model import Cell, Engine, History, Outcome, Role
from probe.model.verdicts import Verdict
from probe.plan import LONG_MS, Plan
from probe.runner import cohorts
from probe.runner.cast import make_header
from probe.runner.grouping import TOGETHER, Work, estimate_s, in_cohorts, layout
from probe.runner.pool import run_plan
from probe.runner.tools import Options, Tools
from probe.scenarios.ground import USUAL, Ground

CLIENTS = ["sarama@1.27.0", "sarama@1.43.2", "sarama@1.43.3", "sarama@1.61.1"]


def planned(*scenarios: str, trials: int = 1, brokers: Sequence[str] = ("3.9",)) -> Plan:
    asked = Asked(
        clients=CLIENTS,
        scenarios=scenarios,
        roles=[Role.PRODUCER, Role.CONSUMER],
        engine=Engine.KAFKA,
        brokers=brokers,
        trials=trials,
        seed=1,
    )
    return asked.whole()[0]


def work(plan: Plan) -> list[Work]:
    return [Work(item, trial) for item in plan.cells for trial in range(item.trials)]


def test_cells_of_one_scenario_watch_together_and_control_cells_come_first() -> None:
    found = in_cohorts(work(planned("disk/storage-error")), TOGETHER)
    told = [(len(cohort), {one.item.cell.scenario for one in cohort}) for cohort in found]
    assert told == [(8, {"steady"}), (8, {"disk/storage-error"})]


def test_cohorts_are_no_larger_than_they_may_be_and_even() -> None:
    found = in_cohorts(work(planned("disk/storage-error")), 5)
    assert sorted(len(cohort) for cohort in found) == [4, 4, 4, 4]


def test_two_trials_of_a_cell_are_two_samples() -> None:
    for cohort in in_cohorts(work(planned("disk/storage-error", trials=3)), TOGETHER):
        assert len({one.item.cell for one in cohort}) == len(cohort)


def test_lines_do_not_share_clusters() -> None:
    for cohort in in_cohorts(work(planned("disk/storage-error", brokers=["3.9", "2.6"])), TOGETHER):
        assert len({one.item.cell.broker for one in cohort}) == 1


def test_with_many_cohorts_all_clusters_are_used() -> None:
    assert layout(work(planned("disk/storage-error")), 8, 3)[1] == 1
    assert layout(work(planned("*")), 8, 3)[1] == 3
    assert layout(work(planned("*")), 8, 1)[1] == 1


def test_long_cohorts_are_spread_among_the_short_and_clusters_that_are_built_alike_come_together() -> None:
    found, _ = layout(work(planned("*", "incident/rolling/*", brokers=["3.4"])), 8, 4)
    grounds = [cohort[0].item.part.ground for cohort in found]
    assert len(set(grounds)) > 1
    assert [ground for ground, _ in groupby(grounds)] == list(dict.fromkeys(grounds))
    usual = [
        max(one.item.play.watch_ms for one in cohort) >= LONG_MS
        for cohort in found
        if cohort[0].item.part.ground == USUAL
    ]
    half = len(usual) // 2
    assert abs(sum(usual[:half]) - sum(usual[half:])) <= 2
    assert 0 < sum(usual) < half


def test_a_plan_says_how_long_real_brokers_take() -> None:
    short, longer = planned("disk/storage-error"), planned("disk/storage-error", brokers=["3.9", "2.6"])
    assert 30 < estimate_s(short, 24, None) < estimate_s(longer, 24, None)
    assert estimate_s(short, 4, None) > estimate_s(short, 24, None)


class FakeSeat:
    def __init__(self) -> None:
        self.left = self.is_quiet = False

    def quiet(self) -> None:
        self.is_quiet = True

    def leave(self) -> None:
        self.left = True


class FakeEngine:
    """Gives seats, and keeps what it gave."""

    at_once = 1

    def __init__(self, failure: str = "") -> None:
        self.given: list[list[FakeSeat]] = []
        self._failure = failure

    @contextlib.asynccontextmanager
    async def cohort(
        self, broker: str, size: int, to_come: int = 0, ground: Ground = USUAL
    ) -> AsyncIterator[list[FakeSeat]]:
        if self._failure:
            raise OSError(self._failure)
        self.given.append([FakeSeat() for _ in range(size)])
        yield self.given[-1]


class Calm:
    async def calm(self, patience_s: float) -> None:
        pass


class Kept:
    def __init__(self) -> None:
        self.trials: list[tuple[History, Verdict]] = []

    def add(self, history: History, verdict: Verdict) -> None:
        self.trials.append((history, verdict))

    def has(self, cell: Cell, trial: int) -> bool:
        return any((said.header.cell, said.header.trial) == (cell, trial) for said, _ in self.trials)

    def flush(self) -> None:
        pass


class ManyClusters(FakeEngine):
    """Has room for four, and tells how many are leased at once."""

    at_once = 4

    def __init__(self) -> None:
        super().__init__()
        self.now = 0

    @contextlib.asynccontextmanager
    async def cohort(
        self, broker: str, size: int, to_come: int = 0, ground: Ground = USUAL
    ) -> AsyncIterator[list[FakeSeat]]:
        self.now += 1
        async with super().cohort(broker, size, to_come, ground) as seats:
            yield seats
        self.now -= 1


@pytest.mark.parametrize("rests", [True, False])
def test_while_all_cells_of_a_cohort_only_wait_another_may_begin(monkeypatch: pytest.MonkeyPatch, rests: bool) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, *, rest: Any, **_: Any) -> History:
        if rests:
            rest()
            rest()  # whoever watches says so again and again
        await asyncio.sleep(0.1)
        trials.append(engine.now)
        return History(replace(make_header(item, number, tools, options), impossible="played"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    engine = ManyClusters()
    trials: list[int] = []
    run(planned("steady", trials=8), engine)
    assert max(trials) == (4 if rests else 1)


def test_cells_whose_client_is_gone_make_room_and_are_fed_no_more_while_others_are_watched(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, *_: Any, closed: Any, **__: Any) -> History:
        closed()
        if engine.now == 1:  # as if the last of the first cohort were watched until another one is there
            await asyncio.wait_for(another.wait(), 5)
        another.set()
        return History(replace(make_header(item, number, tools, options), impossible="played"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    engine, another = ManyClusters(), asyncio.Event()
    run(planned("steady", trials=8), engine)
    assert all(seat.is_quiet for seats in engine.given for seat in seats)


def test_what_failed_and_the_next_line_are_played_while_the_last_of_a_line_is_still_watched(
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
        if first:  # as if it were watched until all others are over
            await asyncio.wait_for(over.wait(), 10)
        elif len(tried) == len(plan.cells) + 1 - controls:
            over.set()
        closed()
        return History(header, ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "_known_as_impossible", never)
    plan, over, tried = planned("disk/storage-error", brokers=["2.6", "3.9"]), asyncio.Event(), list[str]()
    controls = sum(item.cell == item.steady for item in plan.cells)
    monkeypatch.setattr(cohorts, "layout", lambda work, *_: (in_cohorts(work, 8), 4))
    run(plan, ManyClusters())
    assert len(tried) == len(plan.cells) + 1 - controls


async def never(*_: Any) -> bool:
    return False


def run(plan: Plan, engine: FakeEngine, kept: Kept | None = None) -> Kept:
    kept = kept or Kept()
    tools: Any = Tools(engine=engine, host=None, lag=Calm())  # type: ignore[arg-type]  # nothing is really started
    drain = cohorts.drain_in_cohorts(engine)  # type: ignore[arg-type]  # same
    asyncio.run(run_plan(plan, tools, Options(seed=1), kept, report=lambda _: None, drain=drain))
    return kept


def test_what_the_harness_failed_at_is_run_again_in_another_cohort(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        tried.append(number)
        header = make_header(item, number, tools, options)
        first = len(tried) == 1
        return History(replace(header, impossible="" if first else "played", problems=("late",) if first else ()), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    engine = FakeEngine()
    kept = run(planned("steady"), engine)
    assert [len(seats) for seats in engine.given] == [8, 1]
    assert all(seat.left for seats in engine.given for seat in seats)
    assert sorted(history.header.trial for history, _ in kept.trials) == [0] * 8 + [1000]


def test_a_control_cell_that_is_not_clean_is_played_once_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seen with 64 clients on two cores and another program beside them: `stuck`, and clean when played again."""
    asked: list[str] = []
    tried: list[Any] = []

    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        tried.append(item)
        said = "" if len(tried) == 1 else "played"
        return History(replace(make_header(item, number, tools, options), impossible=said), ())

    async def ask(question: Any, history: History) -> Verdict:
        asked.append(str(history.header.cell))
        told: Verdict = question(history)
        return replace(told, outcome=Outcome.STUCK, reason="it does not serve") if len(asked) == 1 else told

    monkeypatch.setattr(cohorts, "run_trial", trial)
    monkeypatch.setattr(cohorts, "ask", ask)
    engine = FakeEngine()
    kept = run(planned("steady"), engine)
    assert [len(seats) for seats in engine.given] == [8, 1]
    (first,) = [history for history, _ in kept.trials if history.header.trial == 1000]
    assert first.header.problems == (
        "stuck although nothing was done to the brokers (it does not serve); it is played once more",
    )
    assert len(asked) == len(set(asked)) == 8


def test_attempts_of_an_interrupted_run_keep_their_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[int] = []

    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        tried.append(number)
        return History(replace(make_header(item, number, tools, options), problems=("late",)), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    before = run(planned("steady"), FakeEngine())
    before.trials = [said for said in before.trials if said[0].header.trial]  # it was stopped before the last attempts
    attempts = len(before.trials)
    kept = run(planned("steady"), FakeEngine(), before)
    numbers = [(said.header.cell, said.header.trial) for said, _ in kept.trials]
    assert len(set(numbers)) == len(numbers) == 2 * attempts + 8


def test_who_cannot_play_steady_plays_nothing_else(monkeypatch: pytest.MonkeyPatch) -> None:
    async def trial(item: Any, number: int, tools: Any, options: Any, starting: Any, **_: Any) -> History:
        assert item.cell.scenario == "steady"
        return History(replace(make_header(item, number, tools, options), impossible="closed"), ())

    monkeypatch.setattr(cohorts, "run_trial", trial)
    kept = run(planned("disk/storage-error"), FakeEngine())
    assert len(kept.trials) == 16
    assert {told.outcome for _, told in kept.trials} == {Outcome.UNSUPPORTED}


def test_a_cluster_that_does_not_start_is_every_cells_problem() -> None:
    kept = run(planned("steady"), FakeEngine("Kafka 3.9 did not start: no space"))
    assert {told.outcome for _, told in kept.trials} == {Outcome.BROKEN}
    assert all(history.header.problems == ("Kafka 3.9 did not start: no space",) for history, _ in kept.trials)
