"""An absent application: its process is stopped or its handler is busy, and nothing of that is left behind."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from probe.model import AppKind, History, Mark, MarkKind, Outcome, Request, Role, Verdict
from probe.ports import Start
from probe.protocol.apis import PRODUCE
from probe.recorder import Recorder
from probe.runner.trial import absence
from probe.runner.trial.absence import away
from probe.runner.trial.state import TrialState
from probe.scenarios.scenario import Absence
from tests.support import virtual_time
from tests.support.histories import history
from tests.support.member_starts import member
from tests.support.real_cells import planned, play

HASTY: Any = SimpleNamespace(at_once=contextlib.nullcontext)
"""A tap that reports at once."""
PAUSED, BUSY = "client/paused", "client/slow-handler"


class Instance:
    """An instance that notes what is done to it."""

    def __init__(self, name: str, done: list[str]) -> None:
        self.name, self.done = name, done

    def handle_for(self, handler_ms: int) -> None:
        self.done.append(f"{self.name} handles for {handler_ms}")

    @contextlib.asynccontextmanager
    async def suspended(self) -> AsyncIterator[None]:
        self.done.append(f"{self.name} stopped")
        try:
            yield
        finally:
            self.done.append(f"{self.name} continued")

    async def stop(self, _: int) -> None:
        self.done.append(f"{self.name} leaves")


def trial(scenario: str, role: Role) -> TrialState:
    item = planned("sarama@1.43.3", scenario, role)
    header = replace(history(role=role).header, play=item.expectation)
    successor = "me-s" if role is Role.GROUP else ""
    return TrialState(
        item, replace(header, subject=replace(header.subject, group="g", successor=successor)), Recorder()
    )


def been_away(state: TrialState, *, fails: bool = False, comes_back: bool = True) -> list[str]:
    """Let an application be absent and come back, or fail meanwhile; return what happened."""
    done: list[str] = []

    @contextlib.asynccontextmanager
    async def start(_: object, message: Start, __: object, *, alone: bool) -> AsyncIterator[Instance]:
        assert alone, "clients of other trials in its process may end it"
        done.append(f"{message.instance} joins {message.group}")
        try:
            yield Instance(message.instance, done)
        finally:
            done.append(f"{message.instance} gone")

    environment: Any = SimpleNamespace(tools=SimpleNamespace(host=SimpleNamespace(start=start)), tap=HASTY)
    instance: Any = Instance("me", done)
    message = member("me")

    async def go() -> None:
        async with away(state, environment, instance, message) as absent:
            if fails:
                raise OSError("in the middle")
            if comes_back:
                await absent.end()
                await asyncio.sleep(0.05)

    with contextlib.suppress(OSError):
        virtual_time.run(go())
    return done


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(absence, "OVERLAP_S", 0.0)
    monkeypatch.setattr(absence, "WORK_S", 0.05)


def test_a_second_member_is_there_until_the_first_one_is_back() -> None:
    state = trial(PAUSED, Role.GROUP)
    assert been_away(state) == ["me stopped", "me-s joins g", "me continued", "me-s leaves", "me-s gone"]
    marks = [(event.kind, event.text) for event in state.history().events if isinstance(event, Mark)]
    assert marks == [(MarkKind.AWAY, "its process is stopped"), (MarkKind.BACK, "")]


def test_a_busy_handler_is_not_stopped() -> None:
    assert been_away(trial(BUSY, Role.GROUP))[0] == "me handles for 14000"


def test_a_busy_transactional_application_keeps_its_transaction_open() -> None:
    state = trial("txn/timed-out", Role.TRANSACTIONAL)
    assert been_away(state) == ["me handles for 25000"]
    begun = next(event for event in state.history().events if isinstance(event, Mark))
    assert begun.text == "keeps a transaction open"


@pytest.mark.parametrize("more", [{"fails": True}, {"comes_back": False}])
def test_nothing_stays_stopped_without_a_return(more: dict[str, bool]) -> None:
    assert been_away(trial(PAUSED, Role.GROUP), **more) == ["me stopped", "me-s joins g", "me continued", "me-s gone"]


def test_other_scenarios_have_no_absence() -> None:
    assert been_away(trial("net/reset", Role.GROUP), comes_back=False) == []


def test_a_writer_is_stopped_in_the_middle_of_its_work() -> None:
    state = trial(PAUSED, Role.TRANSACTIONAL)
    seen: list[int] = []
    entered: list[bool] = []
    add = state.recorder.add

    @contextlib.contextmanager
    def at_once() -> Iterator[None]:
        entered.append(True)
        yield
        entered.append(False)

    tap: Any = SimpleNamespace(at_once=at_once)

    async def work() -> None:
        waiting = asyncio.create_task(absence._await_work(state, tap))  # its effect is a moment in time
        await asyncio.sleep(0)
        seen.append(waiting.done())
        assert entered == [True]
        add(Request(at=1, conn=1, broker=1, corr=1, api=PRODUCE, version=9))
        await waiting
        seen.append(waiting.done())

    virtual_time.run(work())
    assert seen == [False, True]
    assert entered == [True, False]


SHORT = Absence(short_ms=14_000, long_ms=14_000, successor=True)


def shortened(client: str, role: Role) -> tuple[History, Verdict]:
    """Play a real client that is stopped for 14 seconds, with a session of six.

    The second member may take some seconds to start, and is given the partitions when the session of the first is over.
    """
    item = planned(client, PAUSED, role)
    absent = replace(SHORT, successor=role is Role.GROUP)
    play_ = replace(item.expectation, watch_ms=34_000)
    variant = replace(item.variant, absence=absent, heal_after_ms=absent.short_ms, expectation=play_)
    (found,) = play([replace(item, variant=variant, expectation=play_)])
    return found


@pytest.mark.real
def test_a_real_member_is_stopped_replaced_and_continued() -> None:
    whole, verdict = shortened("kafka-python@3.0.12", Role.GROUP)
    assert (verdict.outcome, verdict.conforms) in {(Outcome.SURFACES, True), (Outcome.CLEAN, True)}
    away_at, back_at = (
        next(event.at for event in whole.events if isinstance(event, Mark) and event.kind is kind)
        for kind in (MarkKind.AWAY, MarkKind.BACK)
    )
    apps = [event for event in whole.events if getattr(event, "kind", None) is AppKind.RECEIVED]
    other = [event for event in apps if getattr(event, "instance", "") == whole.header.subject.successor]
    assert other, "the second member was given records"
    silent = [
        event
        for event in apps
        if event not in other and away_at + 200_000 < event.at < back_at - whole.header.clock_error_us
    ]
    assert silent == []
