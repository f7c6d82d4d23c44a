"""Which trials about the controller run: release lines, and clients that create topics before the fault."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import pytest

from probe.cli.wiring.run_selection import RunSelection
from probe.model import App, AppKind, Engine, Request, Role
from probe.protocol.apis import LIST_OFFSETS
from probe.recorder import Recorder
from probe.runner.trial.state import TrialState
from probe.runner.trial.warm_up import WARM_OPERATIONS, is_serving, warm_up
from probe.scenarios.generated_families import scenario
from probe.scenarios.scenario import Scenario
from tests.support.histories import history
from tests.support.real_cells import planned

CLIENT = "sarama@1.43.3"


def answers(kind: AppKind, partition: int, text: str, count: int = WARM_OPERATIONS) -> Iterable[App]:
    for number in range(count):
        about = {"instance": "me", "partition": partition, "sequence": number, "text": text}
        yield App(at=number, kind=AppKind.SENT, **about)
        yield App(at=number, kind=kind, **about)


def warmed(*created: AppKind) -> tuple[bool, TrialState]:
    """Return whether a trial warms up: offsets are answered, and these are the ends of questions to the controller."""
    item = planned(CLIENT, "controller/moved", str(Role.ADMIN))
    state = TrialState(item, history(role=Role.ADMIN, play=item.expectation).header, Recorder())
    state.recorder.add(Request(at=0, conn=1, broker=1, corr=1, api=LIST_OFFSETS, version=1))
    for partition in (0, 1):
        for event in answers(AppKind.LISTED, partition, "latest"):
            state.recorder.add(event)
    for kind in created:
        for event in answers(kind, -1, "create"):
            state.recorder.add(event)

    async def wait(_: float) -> None:
        """Let no time pass."""

    pacing: Any = SimpleNamespace(wait=wait)
    return asyncio.run(warm_up(state, pacing, lambda: None)), state


def test_a_client_that_creates_topics_is_ready_for_the_fault() -> None:
    ready, state = warmed(AppKind.LISTED)
    assert ready
    assert state.successes == WARM_OPERATIONS


@pytest.mark.parametrize(("created", "reason"), [((), "no call"), ((AppKind.LIST_ERROR,), "no topic here")])
def test_a_client_that_creates_no_topic_cannot_meet_the_fault(created: tuple[AppKind, ...], reason: str) -> None:
    ready, state = warmed(*created)
    assert not ready
    assert reason in state.header.impossible


def test_warm_up_waits_for_questions_to_the_controller_that_are_under_way() -> None:
    _, state = warmed(AppKind.LISTED)
    state.recorder.created.clear()
    state.recorder.add(App(at=1, kind=AppKind.SENT, instance="me", partition=-1, sequence=0, text="create"))
    assert not is_serving(state, state.recorder)


def test_answers_without_a_partition_are_no_operation_of_a_partition() -> None:
    _, state = warmed(AppKind.LISTED)
    assert set(state.recorder.successes) == {0, 1}


def lines(name: str, engine: Engine, *brokers: str) -> set[str]:
    """Return the lines on which a scenario runs."""
    asked = RunSelection(
        seed=1, clients=[CLIENT], roles=[Role.ADMIN], scenarios=[name], engine=engine, brokers=list(brokers)
    )
    plan, _ = asked.whole()
    return {item.cell.broker for item in plan.cells if item.cell.scenario == name}


@pytest.mark.parametrize(
    ("name", "engine", "wanted"),
    [
        ("controller/moved", Engine.EMBEDDED, {"2.6", "3.9"}),
        ("answer/create-topics/NOT_CONTROLLER", Engine.EMBEDDED, {"2.6", "3.9"}),
        ("controller/gone", Engine.EMBEDDED, {"3.9", "4.3"}),
        ("controller/moved", Engine.KAFKA, {"2.6"}),
        ("controller/gone", Engine.KAFKA, {"3.9", "4.3"}),
    ],
)
def test_a_controller_fails_on_lines_whose_brokers_keep_it_so(name: str, engine: Engine, wanted: set[str]) -> None:
    assert lines(name, engine, "2.6", "3.9", "4.3") == wanted


def test_the_answer_is_that_of_the_controller_which_moves() -> None:
    found = scenario("answer/create-topics/NOT_CONTROLLER")
    assert isinstance(found, Scenario)
    assert "The old controller answers NOT_CONTROLLER (41)" in found.story
    assert found.roles == (Role.ADMIN,)
