"""Role transactional: begin, send, commit or abort, as in AIOKafkaProducer's own documentation.

The workload runs in a thread next to the loop's, since it blocks at every step.
"""

from __future__ import annotations

import asyncio

import aiokafka.errors
from aiokafka import AIOKafkaProducer, TopicPartition
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.transactions import run_transactions

from aiokafka_driver.errors import error_of
from aiokafka_driver.lifecycle import started
from aiokafka_driver.producer import Sender
from aiokafka_driver.settings import build
from probe.driver_contract import driver_pb2 as pb

FINAL = tuple(
    getattr(aiokafka.errors, name)
    for name in (
        "ProducerFenced",
        "OutOfOrderSequenceNumber",
        "TransactionalIdAuthorizationFailed",
        "UnsupportedVersionError",
    )
    if hasattr(aiokafka.errors, name)
)
"""Errors after which a transactional producer can only be closed."""


async def transactional(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Run transactions until closing is requested."""
    client, effective = build(AIOKafkaProducer, start, {"transactional_id": start.transactional_id})
    reports.ready(effective)
    async with started(client, stop):
        await asyncio.to_thread(run_transactions, start, reports, stop, _Client(start, reports, stop, client))


class _Client(Sender):
    def init(self) -> None:
        """Do nothing: start() has done it."""

    def begin(self) -> None:
        self.bridge.call(self._client.begin_transaction())

    def offsets(self, group: str, partition: int, offset: int) -> None:
        item = TopicPartition(self._start.topic, partition)
        self.bridge.call(self._client.send_offsets_to_transaction({item: offset}, group))

    def commit(self) -> None:
        self.bridge.call(self._client.commit_transaction())

    def abort(self) -> None:
        self.bridge.call(self._client.abort_transaction())

    def error_of(self, error: BaseException) -> pb.Error:
        return error_of(error)

    def may_repeat(self, error: BaseException) -> bool:
        """Return false: no call is documented to be repeatable."""
        del error
        return False

    def is_final(self, error: BaseException) -> bool:
        return isinstance(error, FINAL)
