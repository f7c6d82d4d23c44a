"""Role transactional, from 2.2 on: init, begin, send, commit or abort, as in KafkaProducer's own documentation.

Calls block without a limit of their own, except init_transactions().
"""

from __future__ import annotations

import kafka.errors
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.transactions import run_transactions
from kafka import KafkaProducer, TopicPartition

from kafka_python_driver.consumer import committable
from kafka_python_driver.errors import error_of
from kafka_python_driver.producer import Sender
from kafka_python_driver.settings import build
from probe.driver_contract import driver_pb2 as pb

FINAL = tuple(
    getattr(kafka.errors, name)
    for name in (
        "ProducerFencedError",
        "InvalidProducerEpochError",
        "OutOfOrderSequenceNumberError",
        "TransactionalIdAuthorizationFailedError",
        "UnsupportedVersionError",
    )
    if hasattr(kafka.errors, name)
)
"""Errors after which a transactional producer can only be closed; their names differ between versions."""


def transactional(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Run transactions until closing is requested."""
    client, effective = build(KafkaProducer, start, reports, {"transactional_id": start.transactional_id})
    reports.ready(effective)
    run_transactions(start, reports, stop, _Client(start, reports, client))
    client.close(timeout=stop.remaining())


def available() -> bool:
    """Return whether this version has transactions."""
    return hasattr(KafkaProducer, "begin_transaction")


class _Client(Sender):
    def init(self) -> None:
        self._client.init_transactions()

    def begin(self) -> None:
        self._client.begin_transaction()

    def offsets(self, group: str, partition: int, offset: int) -> None:
        item = TopicPartition(self._start.topic, partition)
        self._client.send_offsets_to_transaction({item: committable(offset)}, group)

    def commit(self) -> None:
        self._client.commit_transaction()

    def abort(self) -> None:
        self._client.abort_transaction()

    def error_of(self, error: BaseException) -> pb.Error:
        return error_of(error)

    def may_repeat(self, error: BaseException) -> bool:
        """Return whether init_transactions() timed out, the one documented repeat; no other call raises that."""
        return isinstance(error, kafka.errors.KafkaTimeoutError)

    def is_final(self, error: BaseException) -> bool:
        return isinstance(error, FINAL)
