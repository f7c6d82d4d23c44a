"""The history of a real cluster: answers that are lost, and brokers that are about to be ready."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from probe.engines.kafka.admin import history
from probe.engines.kafka.admin.history import HistoryMaker
from probe.engines.kafka.admin.requests import BrokerError
from probe.engines.kafka.cluster.nodes import NODES
from probe.engines.kafka.ports import BrokerProcess
from probe.protocol.api_table import CoordinatorKind

Question = Callable[[Any], Awaitable[object]]


class Coordinators:
    """An admin whose coordinator is broker 2; the first answers are those given."""

    def __init__(self, *answers: Exception | None) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def coordinator(self, kind: int, key: str, *, at: int) -> int:
        self.asked += 1
        answer = self.answers.pop(0) if self.answers else None
        if answer is not None:
            raise answer
        return 2


def asked(admin: Any, kind: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Ask a key's coordinator; return how often it was looked up."""

    async def on(_: HistoryMaker, node: int, question: Question, deadline_s: float) -> None:
        assert node == 2

    async def run() -> None:
        maker = HistoryMaker("0.9.0.1", NODES, dict[int, BrokerProcess](), admin)
        await maker._at_coordinator(kind, "g1", lambda _: asyncio.sleep(0))

    monkeypatch.setattr(history, "AGAIN_S", 0.0)
    monkeypatch.setattr(HistoryMaker, "_on", on)
    asyncio.run(run())
    return int(admin.asked)


def test_a_commit_whose_answer_is_lost_is_repeated(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clients of a cohort that begin earlier may make Kafka 0.9 lose it, as in incident/unknown-api-key."""
    assert asked(Coordinators(TimeoutError("late"), TimeoutError("late")), CoordinatorKind.GROUP, monkeypatch) == 3


def test_a_transactional_producer_is_not_started_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TimeoutError, match="late"):
        asked(Coordinators(TimeoutError("late")), CoordinatorKind.TRANSACTION, monkeypatch)


@pytest.mark.parametrize("kind", [CoordinatorKind.GROUP, CoordinatorKind.TRANSACTION])
def test_a_coordinator_that_loads_is_asked_again(kind: int, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asked(Coordinators(BrokerError("loading", 14)), kind, monkeypatch) == 2


def test_repeating_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "MADE_S", -1.0)
    with pytest.raises(TimeoutError, match="late"):
        asked(Coordinators(TimeoutError("late")), CoordinatorKind.GROUP, monkeypatch)
