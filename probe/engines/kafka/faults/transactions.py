"""Producers beside the client's: one that takes its transactional id over, and one that leaves a transaction open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from probe.engines.kafka.admin.read_back import Brokers, load_library
from probe.engines.kafka.ports import FaultTarget
from probe.errors import EngineError
from probe.model import Subject
from probe.model.clock import now_us
from probe.model.cluster_history import LEFT, left_id
from probe.scenarios.steps.transactions import LeaveTransactionOpen, UseTransactionalId

CALL_S = 20.0
"""Deadline of each call; a coordinator first ends the transaction that is open."""
QUIET = {"log_level": 0}


async def use_id(_: UseTransactionalId, target: FaultTarget) -> None:
    """Start another producer with each transactional id. EngineError if the coordinator refuses it."""
    target.mark_fault_on()  # the first client may be fenced before the last producer has started
    await asyncio.to_thread(start_again, _where(target), [one.transactional_id for one in target.subjects])


async def leave_open(step: LeaveTransactionOpen, target: FaultTarget) -> None:
    """Write to each affected partition in a transaction that nobody ends. EngineError if the brokers refuse it."""
    await asyncio.to_thread(leave, _where(target), step, target.subjects)
    target.mark_fault_on()


def start_again(where: Brokers, names: Sequence[str]) -> None:
    """Start a producer with each of these transactional ids, one after the other."""
    for name in names:
        _begun(where, {"transactional.id": name})


def leave(where: Brokers, step: LeaveTransactionOpen, subjects: Sequence[Subject]) -> None:
    """Let one producer per subject write its records, and forget it: librdkafka ends no transaction by itself."""
    for subject in subjects:
        settings = {"transactional.id": left_id(subject.topic), "transaction.timeout.ms": step.timeout_ms}
        producer = _begun(where, settings)
        try:
            producer.begin_transaction()
            for number in range(step.records):
                value = f"{LEFT} {subject.affected} {number} {now_us()}"
                producer.produce(subject.topic, value=value.encode(), partition=subject.affected)
            left = producer.flush(CALL_S)
        except load_library().KafkaException as error:
            raise EngineError(f"{subject.topic} took no transaction: {error}") from error
        if left:
            raise EngineError(f"{subject.topic} took no transaction: {left} records left")


def _begun(where: Brokers, settings: dict[str, Any]) -> Any:
    producer = load_library().Producer({**where.settings, **QUIET, **settings})
    try:
        producer.init_transactions(CALL_S)
    except load_library().KafkaException as error:
        raise EngineError(f"transactional id {settings['transactional.id']} was not given: {error}") from error
    return producer


def _where(target: FaultTarget) -> Brokers:
    return Brokers([broker.internal for broker in target.cluster.brokers.values()], target.cluster.version)
