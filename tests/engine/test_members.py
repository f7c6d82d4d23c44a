"""A second member of a group: when it is started and killed, and that it never stays behind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from probe.model import App, AppKind, Engine, Mark, MarkKind, Role
from probe.model.profile import CONSUMER_PROTOCOL, DEFAULT_PROFILE
from probe.ports import Start
from probe.recorder import Recorder
from probe.runner.trial import members
from probe.runner.trial.absence import second_member
from probe.runner.trial.members import members as members_of
from probe.runner.trial.state import TrialState
from tests.support.histories import history
from tests.support.member_starts import member
from tests.support.real_cells import planned

KILLED, PAUSED, JOINS = "group/member-killed", "group/member-paused", "group/member-joins-leaderless"
CLASSIC = "group/classic-member-joins"


class Second:
    """A second member that notes what is done to it."""

    def __init__(self, done: list[str]) -> None:
        self.done, self.ended = done, asyncio.Event()

    def kill(self) -> None:
        self.done.append("killed")
        self.ended.set()

    async def stop(self, _: int) -> None:
        self.done.append("leaves")


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SHARED_S", "QUIET_S", "RECORD_S", "WARM_S"):
        monkeypatch.setattr(members, name, 0.01)


def trial(scenario: str) -> TrialState:
    if scenario == CLASSIC:
        item = planned("librdkafka@2.16.0", scenario, Role.GROUP, engine=Engine.KAFKA, brokers=["4.4"])
    else:
        item = planned("sarama@1.43.3", scenario, Role.GROUP)
    header = replace(history(role=Role.GROUP).header, play=item.expectation)
    return TrialState(item, replace(header, subject=replace(header.subject, group="g", successor="me-s")), Recorder())


def played(state: TrialState, *, reads: int = 3, fails: bool = False) -> list[str]:
    """Let a trial with a second member pass, which reads some records; return what happened."""
    done: list[str] = []

    @contextlib.asynccontextmanager
    async def start(_: object, message: Start, sink: Any, *, alone: bool) -> AsyncIterator[Second]:
        assert alone, "it is killed with its process"
        done.append(f"{message.instance} joins {message.group}")
        for number in range(reads):
            sink(
                App(
                    at=number,
                    kind=AppKind.RECEIVED,
                    instance=message.instance,
                    partition=1,
                    sequence=number,
                    offset=number,
                )
            )
        yield Second(done)
        done.append("gone")

    environment: Any = SimpleNamespace(tools=SimpleNamespace(host=SimpleNamespace(start=start)))
    message = member("me")

    async def go() -> None:
        async with members_of(state, environment, message) as group:
            if not await group.gather():
                done.append("not shared")
                return
            await group.settle()
            done.append("fault")
            await group.change()
            if fails:
                raise OSError("in the middle")

    with contextlib.suppress(OSError):
        asyncio.run(go())
    return done


def marks(state: TrialState) -> list[MarkKind]:
    return [event.kind for event in state.history().events if isinstance(event, Mark)]


def test_a_member_is_killed_under_the_fault_and_does_not_leave() -> None:
    state = trial(KILLED)
    assert played(state) == ["me-s joins g", "fault", "killed", "gone"]
    assert marks(state) == [MarkKind.KILLED]


def test_the_other_member_of_a_paused_one_stays_to_the_end() -> None:
    state = trial(PAUSED)
    assert played(state) == ["me-s joins g", "fault", "leaves", "gone"]
    assert marks(state) == []


@pytest.mark.parametrize(("scenario", "profile"), [(CLASSIC, DEFAULT_PROFILE), (JOINS, CONSUMER_PROTOCOL)])
def test_the_second_member_has_the_protocol_of_the_first_unless_the_scenario_says_otherwise(
    scenario: str, profile: str
) -> None:
    asked: list[str] = []
    host = SimpleNamespace(start=lambda _, message, *__, **___: asked.append(message.profile))
    environment: Any = SimpleNamespace(tools=SimpleNamespace(host=host))
    second_member(trial(scenario), environment, replace(member("me"), profile=CONSUMER_PROTOCOL))
    assert asked == [profile]


@pytest.mark.parametrize("scenario", [JOINS, CLASSIC])
def test_a_member_joins_under_the_fault(scenario: str) -> None:
    state = trial(scenario)
    assert played(state) == ["fault", "me-s joins g", "leaves", "gone"]
    assert marks(state) == [MarkKind.JOINS]


def test_a_second_member_that_reads_nothing_is_a_problem_of_the_harness() -> None:
    state = trial(KILLED)
    assert played(state, reads=0) == ["me-s joins g", "not shared", "leaves", "gone"]
    assert "read nothing" in state.header.problems[0]


@pytest.mark.parametrize("scenario", [PAUSED, JOINS])
def test_it_leaves_also_where_the_trial_fails(scenario: str) -> None:
    assert played(trial(scenario), fails=True)[-2:] == ["leaves", "gone"]


def test_other_scenarios_have_no_second_member() -> None:
    assert played(trial("net/reset")) == ["fault"]
