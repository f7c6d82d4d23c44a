"""Errors that end a trial without a history: it is played again. A trial says when it is ready for its fault."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from probe.errors import CrowdedError, DriverLostError, EngineError, HarnessError
from probe.model import EngineEvent, EngineKind, History, Role
from probe.recorder import Recorder
from probe.runner.tools import Options
from probe.runner.trial.observation import inject_fault
from probe.runner.trial.state import TrialState
from probe.runner.trial.trial import run_trial
from tests.support.histories import history
from tests.support.real_cells import planned

ITEM = ("sarama@1.43.3", "disk/storage-error", str(Role.PRODUCER))


async def ended_by(error: Exception) -> History:
    """Run a trial whose cluster raises an error."""

    @contextlib.asynccontextmanager
    async def cluster(*_: object) -> AsyncIterator[None]:
        raise error
        yield

    tools: Any = SimpleNamespace(
        engine=SimpleNamespace(cluster=cluster), artifacts={}, keep=None, access=lambda *_: None, of=lambda _: tools
    )
    return await run_trial(planned(*ITEM), 0, tools, Options(seed=1), asyncio.Semaphore(1))


@pytest.mark.parametrize("kind", [CrowdedError, DriverLostError])
@pytest.mark.parametrize("grouped", [False, True])
def test_a_crowded_cohort_and_a_lost_driver_are_no_problem_of_the_trial(
    kind: type[HarnessError], grouped: bool
) -> None:
    error = kind("the reason")
    with pytest.raises(kind, match="the reason"):
        asyncio.run(ended_by(ExceptionGroup("", [EngineError("another"), error]) if grouped else error))


def test_another_error_of_the_harness_is_a_problem_of_the_trial() -> None:
    assert asyncio.run(ended_by(EngineError("no cluster"))).header.problems == ("no cluster",)


def test_a_trial_is_ready_before_its_fault_with_the_history_so_far() -> None:
    state = TrialState(planned(*ITEM), history().header, Recorder())
    asked: list[History] = []

    async def inject(*_: object) -> None:
        asked.append(told[0]())
        state.on_event(EngineEvent(at=9, kind=EngineKind.FAULT_ON))

    told: list[Any] = []
    environment: Any = SimpleNamespace(inject=inject, ready=told.append)
    state.on_event(EngineEvent(at=5, kind=EngineKind.NOTE))
    asyncio.run(inject_fault(state, environment))
    assert [event.at for event in asked[0].events] == [5]
    assert state.fault_at == 9
