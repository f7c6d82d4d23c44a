"""Role producer: AIOKafkaProducer.send() to a given partition or with a key; results by the returned future."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from aiokafka import AIOKafkaProducer
from driver_runtime.event_loop import LoopCaller, wait_for_stop
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.series import destination, series_of
from driver_runtime.workload import Ticker, value_of

from aiokafka_driver.errors import error_of
from aiokafka_driver.lifecycle import started
from aiokafka_driver.settings import build
from probe.driver_contract import driver_pb2 as pb


async def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce the records of the workload until closing is requested."""
    client, effective = build(AIOKafkaProducer, start, {})
    reports.ready(effective)
    async with started(client, stop):
        work = Sender(start, reports, stop, client)
        ticker = Ticker(start, work.send)
        work.ended = ticker.ended
        ticker.start(series_of(start), stop)
        await wait_for_stop(stop)


class Sender:
    """Sends records and reports their results."""

    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._stop = stop
        self._client = client
        self.bridge = LoopCaller()
        self.ended: Callable[[int, int], None] = lambda _, __: None
        """Called with partition and sequence, as sent, of every operation that ended."""

    def send(self, partition: int, sequence: int, clock: int) -> None:
        """Pass a record to the library, from a thread of the driver; wait until it was taken."""
        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            self.bridge.call(self._send(partition, sequence, value))
        except Exception as error:  # noqa: BLE001  # the application gets any exception of send()
            if not self._stop.asked:  # a call in flight while the driver closes the client has no result of the library
                self._failed(partition, sequence, error)

    async def _send(self, partition: int, sequence: int, value: str) -> None:
        where = destination(self._start, partition, sequence)
        future = await self._client.send(self._start.topic, value.encode(), **where)
        future.add_done_callback(lambda done: self._done(partition, sequence, done))

    def _done(self, partition: int, sequence: int, done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            self._failed(partition, sequence, error)
        else:
            stored = done.result()
            self._reports.acked(stored.partition, sequence, stored.offset)
            self.ended(partition, sequence)

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        self._reports.send_error(partition, sequence, error_of(error))
        self.ended(partition, sequence)
