"""Role transactional: begin, send, commit or abort, as AIOKafkaProducer's own documentation has it.

The workload is played in a thread beside the loop's, since it waits for each step.
"""

from __future__ import annotations

import asyncio

import aiokafka.errors
from aiokafka import AIOKafkaProducer, TopicPartition
from driving.library import Stopping
from driving.reports import Reports
from driving.transactions import transact

from aik.errors import error_of
from aik.living import started
from aik.producer import Sending
from aik.settings import build
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
    """Play transactions until asked to stop."""
    client, effective = build(AIOKafkaProducer, start, {"transactional_id": start.transactional_id})
    reports.ready(effective)
    async with started(client, stop):
        await asyncio.to_thread(transact, start, reports, stop, _Client(start, reports, stop, client))


class _Client(Sending):
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
        """Say no: nothing is documented to be callable again."""
        del error
        return False

    def is_final(self, error: BaseException) -> bool:
        return isinstance(error, FINAL)
