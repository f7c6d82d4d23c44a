"""Role transactional: AIOProducer's transactions. An error of one states its remedy, as librdkafka's does.

The workload runs in a thread next to the loop's, since it blocks at every step.
"""

from __future__ import annotations

import asyncio
from typing import Any

from confluent_kafka import TopicPartition
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.transactions import run_transactions
from librdkafka_driver.notices import Notices
from librdkafka_driver.transactional import Remedies, metadata_of

from confluent_kafka_aio_driver.producer import Sender, build, close
from probe.driver_contract import driver_pb2 as pb


async def transactional(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Run transactions until closing is requested."""
    client, effective = build(start, Notices(reports), {"transactional.id": start.transactional_id})
    reports.ready(effective)
    await asyncio.to_thread(run_transactions, start, reports, stop, _Client(start, reports, stop, client))
    await close(client, stop)


class _Client(Remedies, Sender):
    _members: Any = None

    def init(self) -> None:
        self.bridge.call(self._client.init_transactions())

    def begin(self) -> None:
        self.bridge.call(self._client.begin_transaction())

    def offsets(self, group: str, partition: int, offset: int) -> None:
        if self._members is None:
            self._members = metadata_of(group)
        positions = [TopicPartition(self._start.topic, partition, offset)]
        self.bridge.call(self._client.send_offsets_to_transaction(positions, self._members))

    def commit(self) -> None:
        self.bridge.call(self._client.commit_transaction())

    def abort(self) -> None:
        self.bridge.call(self._client.abort_transaction())
