"""Steps of other producers, as changes of the fake cluster."""

from __future__ import annotations

from probe.engines.embedded.topic_rules import fault_rules
from probe.model import Subject
from probe.scenarios.steps.transactions import LeaveTransactionOpen, UseTransactionalId

SUBJECT = Subject(topic="t", affected=0, bystander=1, instance="me", client_id="me", transactional_id="x", old=2)


def test_another_producer_starts_with_the_affected_id_at_once() -> None:
    """It raises the epoch twice, as a coordinator does that aborts a transaction first."""
    (timed,) = fault_rules([UseTransactionalId()], SUBJECT, 150).changes
    assert (timed.from_start, timed.after_ms) == (True, 0)
    assert (timed.change.use_id.transactional_id, timed.change.use_id.producers) == ("x", 2)


def test_a_transaction_is_left_open_in_the_affected_partition_under_an_id_of_its_own() -> None:
    (timed,) = fault_rules([LeaveTransactionOpen(records=10, timeout_ms=5000)], SUBJECT, 150).changes
    left = timed.change.open_transaction
    assert (left.topic, left.partition, left.records, left.timeout_ms) == ("t", 0, 10, 5000)
    assert left.transactional_id not in {"", SUBJECT.transactional_id}
