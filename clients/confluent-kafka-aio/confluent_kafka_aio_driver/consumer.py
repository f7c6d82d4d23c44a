"""Roles consumer and group: AIOConsumer.assign() from the beginning, or subscribe() with explicit commits."""

from __future__ import annotations

import asyncio
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, KafkaError, KafkaException, TopicPartition
from confluent_kafka.aio import AIOConsumer
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from librdkafka_driver.consumer import POLL_S, Commits, build, report_polled
from librdkafka_driver.notices import Notices

from confluent_kafka_aio_driver.callbacks import callbacks
from probe.driver_contract import driver_pb2 as pb


async def consumer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume the given partitions from their beginning."""
    notices = Notices(reports)
    role = {"group.id": start.group or start.client_id}  # needed also without joining a group
    client = build(AIOConsumer, start, reports, role, callbacks(notices))
    await client.assign([TopicPartition(start.topic, partition, OFFSET_BEGINNING) for partition in start.partitions])
    reports.assigned(start.partitions)
    while not stop.asked:
        report_polled(await client.poll(POLL_S), reports)
        notices.check()
    await client.close()


async def group(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume as a member of a group; commit delivered records asynchronously once per second."""
    notices = Notices(reports)
    work = _Member(start, reports, stop)
    role = {"group.id": start.group, "auto.offset.reset": "earliest"}
    client = build(AIOConsumer, start, reports, role, {**callbacks(notices), "on_commit": work.committed})
    await client.subscribe([start.topic], on_assign=work.assigned, on_revoke=work.revoked, on_lost=work.lost)
    while not stop.asked:
        message = await client.poll(POLL_S)
        if report_polled(message, reports):
            if handler_s := reports.handling():
                await asyncio.to_thread(stop.wait, handler_s)
            work.commits.note(message.partition(), message.offset() + 1)
        if due := work.commits.due():
            await work.commit(client, due, asynchronous=True)
        notices.check()
    await client.close()


class _Member:
    """The callbacks of a member of a group."""

    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping) -> None:
        self.commits = Commits(start, reports)
        self._reports = reports
        self._stop = stop

    async def committed(self, error: KafkaError | None, partitions: list[Any]) -> None:
        self.commits.done(error, partitions)

    async def assigned(self, _: Any, partitions: list[Any]) -> None:
        self._reports.assigned([item.partition for item in partitions])

    async def revoked(self, client: Any, partitions: list[Any]) -> None:
        """Commit before another member takes over. While closing, a lost coordinator would delay the close."""
        if not self._stop.asked and (new := self.commits.new()):
            await self.commit(client, new, asynchronous=False)
        self.commits.revoked([item.partition for item in partitions])

    async def lost(self, _: Any, partitions: list[Any]) -> None:
        self.commits.revoked([item.partition for item in partitions])

    async def commit(self, client: Any, offsets: list[Any], *, asynchronous: bool) -> None:
        """Commit offsets; the result of an asynchronous commit comes to `committed`."""
        try:
            done = await client.commit(offsets=offsets, asynchronous=asynchronous)
        except KafkaException as error:
            self.commits.failed(error)
        else:
            self.commits.done(None, done or [])
