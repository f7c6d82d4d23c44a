"""A client that is closed under a fault: a close that hangs is tried again without the fault."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from probe.drivers.process import RunningInstance
from probe.model import App, AppKind, Mark, MarkKind
from probe.recorder import Recorder
from probe.runner.trial import closing
from probe.runner.trial.client_limits import close_limit_ms
from probe.runner.trial.closing import close_under_the_fault
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.state import TrialState
from tests.support.histories import history
from tests.support.real_cells import planned

AT = 20_000_000
SCENARIO = "close-during/disk/storage-error"


class Instance:
    """An instance whose close ends in this event."""

    clock_error_us = 3

    def __init__(self, add: Callable[[App], None], kind: AppKind) -> None:
        self.add, self.kind, self.limits = add, kind, list[int]()

    async def stop(self, deadline_ms: int) -> None:
        self.limits.append(deadline_ms)
        self.add(App(at=AT, kind=self.kind, instance="me"))


def closed(first: AppKind, second: AppKind, monkeypatch: pytest.MonkeyPatch) -> tuple[TrialState, list[str]]:
    """Close a client under a fault, and a second one without it if the first one hangs; return what happened."""
    item = planned("sarama@1.43.3", SCENARIO)
    state = TrialState(item, replace(history().header, play=item.expectation), Recorder())
    done: list[str] = []

    @contextlib.asynccontextmanager
    async def start(_: object, message: Any, add: Callable[[App], None], **__: object) -> AsyncIterator[Instance]:
        done.append(f"start {message.instance}")
        yield Instance(add, second)

    async def revert() -> None:
        done.append("revert")

    monkeypatch.setattr(closing, "CLOSES_AFTER_S", 0.0)
    monkeypatch.setattr(closing, "is_serving", lambda *_: True)
    environment: Any = SimpleNamespace(
        start_of=lambda _, subject: subject,
        tools=SimpleNamespace(lag=SimpleNamespace(worst_ms=lambda *_: 7), host=SimpleNamespace(start=start)),
        revert=revert,
        downgrade=lambda: done.append("downgrade"),
        alone=False,
    )
    instance: Any = Instance(state.recorder.add, first)
    typed: tuple[TrialEnvironment, RunningInstance] = environment, instance
    asyncio.run(close_under_the_fault(state, *typed))
    assert instance.limits == [close_limit_ms({})]
    return state, done


def test_a_client_that_closes_is_not_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    state, done = closed(AppKind.CLOSED, AppKind.CLOSED, monkeypatch)
    assert done == ["downgrade", "revert"]
    assert (state.header.impossible, state.header.loop_lag_ms, state.header.clock_error_us) == ("", 7, 3)
    marks = [event.kind for event in state.history().events if isinstance(event, Mark)]
    assert marks == [MarkKind.STOPPING, MarkKind.STOPPED]


def test_a_close_that_hangs_without_the_fault_too_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    state, done = closed(AppKind.FATAL, AppKind.FATAL, monkeypatch)
    assert done == ["downgrade", "revert", "start again-me"]
    assert state.header.impossible == "close() does not return within 10 s without a fault either"


def test_a_close_that_hangs_under_the_fault_only_is_the_clients(monkeypatch: pytest.MonkeyPatch) -> None:
    assert closed(AppKind.FATAL, AppKind.CLOSED, monkeypatch)[0].header.impossible == ""


@pytest.mark.parametrize(
    ("settings", "limit_ms"),
    [
        ({}, 10_000),
        ({"request_timeout_ms": "30000", "retry_backoff_ms": "100"}, 36_120),
        ({"request_timeout_ms": "30000", "delivery_timeout_ms": "120000"}, 144_000),
        ({"request_timeout_ms": "30000", "delivery_timeout_ms": "300000"}, 144_000),
        ({"request_timeout_ms": "10000", "retries": "3"}, 48_000),
        ({"request_timeout_ms": "10000", "session_timeout_ms": "45000"}, 54_000),
    ],
)
def test_the_limit_follows_from_the_clients_own_time_outs(settings: dict[str, str], limit_ms: int) -> None:
    assert close_limit_ms(settings) == limit_ms
