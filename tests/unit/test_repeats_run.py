"""Further trials in a run: on clusters of their own and in cohorts, until enough is known or the time is up."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Mapping
from types import SimpleNamespace
from typing import Any

import pytest

import probe.verdict
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Cell, History, Outcome, Role, Verdict
from probe.planning.plan import Plan
from probe.runner.schedule import attempts, cohorts, pool
from probe.runner.schedule.adaptive_limit import no_machine
from probe.runner.schedule.repeats import Repeated
from probe.runner.tools import Options, Tools
from probe.runner.trial.setup import make_header
from tests.support import virtual_time
from tests.support.fake_cohorts import FakeEngine, Kept, NoLag
from tests.support.plans import planned
from tests.support.synthetic_rows import verdict

Says = Callable[[Cell, int], Outcome]
NEAR = {"announced_hit_ms": 5.0}


async def trial(item: Any, number: int, tools: Any, options: Any, *_: Any, **__: Any) -> History:
    await asyncio.sleep(0.001)
    return History(make_header(item, number, tools, options), ())


def judged(says: Says, monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge every trial of the fault as `says` says, near a bound, and control cells as clean."""

    def judge(history: History) -> Verdict:
        header = history.header
        if header.cell.scenario == "steady":
            return verdict(Outcome.CLEAN)
        return verdict(says(header.cell, header.trial), **NEAR)

    monkeypatch.setattr(probe.verdict, "judge", judge)
    for module in (attempts, cohorts):
        monkeypatch.setattr(module, "run_trial", trial)


def tried(kept: Kept) -> Mapping[Cell, int]:
    return Counter(history.header.cell for history, _ in kept.trials if history.header.cell.scenario != "steady")


@pytest.fixture(scope="module")
def plan() -> Plan:
    names = ["disk/storage-error", "leader/elected"]
    asked = RunSelection(clients=["sarama@1.43.3"], scenarios=names, roles=[Role.PRODUCER], seed=1)
    return asked.whole()[0]


def play(plan: Plan, options: Options) -> tuple[Kept, Repeated]:
    finished: list[Any] = []

    async def calm() -> None: ...

    kept = Kept()
    tools: Any = SimpleNamespace(
        finish=lambda client: finished.append((client, len(kept.trials))),
        lag=SimpleNamespace(calm=calm, machine=no_machine),
        artifacts={},
        engine=None,
    )
    done = virtual_time.run(pool.run_plan(plan, tools, options, kept, report=lambda _: None))  # type: ignore[arg-type]  # a store without a file
    assert [count for _, count in finished] == [len(kept.trials)]  # drivers stay until the last further trial
    return kept, done


def test_cells_near_a_bound_get_trials_until_their_share_is_known(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(
        lambda cell, n: Outcome.STORMS if cell.scenario.startswith("disk") and n % 2 else Outcome.REFRESHES, monkeypatch
    )
    kept, done = play(plan, Options(repeat_budget_s=3600))
    assert {cell.scenario: count for cell, count in tried(kept).items()} == {
        "disk/storage-error": 20,
        "leader/elected": 7,
    }
    numbers = [history.header.trial for history, _ in kept.trials if history.header.cell.scenario.startswith("disk")]
    assert sorted(numbers) == list(range(20))
    assert (done.trials, done.cells, done.lacking) == (25, 2, 0)


def test_no_further_trial_starts_that_would_end_too_late(plan: Plan, monkeypatch: pytest.MonkeyPatch) -> None:
    judged(lambda *_: Outcome.REFRESHES, monkeypatch)
    in_time = iter([True] * len(plan.cells))  # for the trials of the plan, and for no other
    monkeypatch.setattr(pool.Run, "has_time", lambda *_: next(in_time, False))
    kept, done = play(plan, Options(stop_at=time.monotonic() + 600, repeat_budget_s=3600))
    assert set(tried(kept).values()) == {1}
    assert done.trials == 0


def test_cohorts_repeat_in_cohorts_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    judged(lambda *_: Outcome.REFRESHES, monkeypatch)
    engine, kept = FakeEngine(), Kept()
    plan = planned("disk/storage-error", roles=(Role.PRODUCER,))
    tools: Any = Tools(engine=engine, host=None, lag=NoLag())  # type: ignore[arg-type]  # no host is started
    drain = cohorts.drain_in_cohorts(engine)  # type: ignore[arg-type]  # same
    options = Options(seed=1, repeat_budget_s=36000)
    done = virtual_time.run(pool.run_plan(plan, tools, options, kept, report=lambda _: None, drain=drain))  # type: ignore[arg-type]  # same
    cells = {item.cell for item in plan.cells if not item.is_control}
    assert tried(kept) == dict.fromkeys(cells, 7)
    assert done.trials == 6 * len(cells)
    assert sorted(len(members) for members in engine.given) == [len(cells)] * 8  # no two trials of a cell in one
