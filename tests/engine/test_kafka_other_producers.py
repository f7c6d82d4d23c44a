"""Producers beside the client's on real brokers: what they are asked to do, and what is said if brokers refuse it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from probe.drivers.conversion import read_value
from probe.engines.kafka.admin.read_back import Brokers
from probe.engines.kafka.faults import transactions
from probe.errors import EngineError
from probe.model import Subject
from probe.model.cluster_history import ABORTED
from probe.model.endpoint import Endpoint
from probe.scenarios.steps.transactions import LeaveTransactionOpen

WHERE = Brokers([Endpoint(host="127.0.0.1", port=1)], "3.9.2")
SUBJECT = Subject(topic="t", affected=0, bystander=1, instance="me", client_id="me", transactional_id="x", old=2)
STEP = LeaveTransactionOpen(records=3, timeout_ms=5000)


class RefusedError(Exception):
    """The library's own exception."""


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    found: list[str] = []

    class Producer:
        def __init__(self, settings: dict[str, Any]) -> None:
            self.name = settings["transactional.id"]
            found.append(f"{self.name} {settings.get('transaction.timeout.ms', '')}".strip())

        def init_transactions(self, _: float) -> None:
            if self.name == "refused":
                raise RefusedError("not you")
            found.append("init")

        def begin_transaction(self) -> None:
            found.append("begin")

        def produce(self, topic: str, *, value: bytes, partition: int) -> None:
            found.append(f"{topic}/{partition} {read_value(value.decode())[0]}")

        def flush(self, _: float) -> int:
            found.append("flush")
            return 0

    library = SimpleNamespace(Producer=Producer, KafkaException=RefusedError)
    monkeypatch.setattr(transactions, "load_library", lambda: library)
    return found


def test_a_transaction_is_begun_and_written_and_never_ended(told: list[str]) -> None:
    transactions.leave(WHERE, STEP, [SUBJECT])
    assert told == ["left-t 5000", "init", "begin", *[f"t/0 {ABORTED}"] * 3, "flush"]


def test_every_transactional_id_of_a_cohort_is_taken_over(told: list[str]) -> None:
    transactions.start_again(WHERE, ["x", "y"])
    assert told == ["x", "init", "y", "init"]


def test_a_refusal_names_the_transactional_id(told: list[str]) -> None:
    with pytest.raises(EngineError, match="transactional id refused was not given: not you"):
        transactions.start_again(WHERE, ["refused"])
    assert told == ["refused"]
