"""Role producer: AIOKafkaProducer.send() to a given partition, results by the future that it returns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiokafka import AIOKafkaProducer
from driving.library import Stopping
from driving.reports import Reports
from driving.workload import Beats, value_of

from aik.errors import error_of
from aik.living import Bridge, started, until_asked
from aik.settings import build
from probe.driver_contract import driver_pb2 as pb


async def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce on each partition, one record a beat, until asked to stop."""
    client, effective = build(AIOKafkaProducer, start, {})
    reports.ready(effective)
    async with started(client, stop):
        work = Sending(start, reports, stop, client)
        beats = Beats(start, work.send)
        work.ended = beats.ended
        beats.start(start.partitions, stop)
        await until_asked(stop)


class Sending:
    """One record: handed to send(), then reported by its future."""

    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._stop = stop
        self._client = client
        self.bridge = Bridge()
        self.ended: Callable[[int], None] = lambda _: None
        """Told of the partition of every operation that ended."""

    def send(self, partition: int, sequence: int, clock: int) -> None:
        """Hand a record over, from a thread of ours; wait while the library does."""
        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            self.bridge.call(self._send(partition, sequence, value))
        except Exception as error:  # noqa: BLE001  # whatever send() throws is what the application meets
            if not self._stop.asked:  # a call that was open while we closed the client is no answer of the library
                self._failed(partition, sequence, error)

    async def _send(self, partition: int, sequence: int, value: str) -> None:
        future = await self._client.send(self._start.topic, value.encode(), partition=partition)
        future.add_done_callback(lambda done: self._done(partition, sequence, done))

    def _done(self, partition: int, sequence: int, done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            self._failed(partition, sequence, error)
        else:
            self._reports.acked(partition, sequence, done.result().offset)
            self.ended(partition)

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        self._reports.send_error(partition, sequence, error_of(error))
        self.ended(partition)
