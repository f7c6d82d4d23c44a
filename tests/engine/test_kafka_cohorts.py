"""Runs in cohorts: the order of cohorts."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from probe.model import Cell, History
from probe.planning.cohorts import TrialTask, into_cohorts
from probe.runner.schedule import cohorts
from probe.runner.trial.setup import make_header
from tests.support.fake_cohorts import (
    CELLS,
    ManyClusters,
    never,
    run,
)
from tests.support.plans import planned


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
    monkeypatch.setattr(cohorts, "_decided_by_control", never)
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
    monkeypatch.setattr(cohorts, "_decided_by_control", never)
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
