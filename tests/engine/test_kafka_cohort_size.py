"""Runs in cohorts: a cohort with slow writes is given back."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from probe.model import Cell, History, Response
from probe.model.clock import now_us
from probe.protocol.apis import PRODUCE
from probe.runner.schedule import cohorts, pool
from probe.runner.schedule.cohort_size import CohortSize
from probe.runner.trial.setup import make_header
from tests.support.fake_cohorts import (
    THREE_ROLES,
    FakeEngine,
    Kept,
    never,
    numbers_of,
    run,
)
from tests.support.plans import planned


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
    monkeypatch.setattr(cohorts, "_decided_by_control", never)
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
