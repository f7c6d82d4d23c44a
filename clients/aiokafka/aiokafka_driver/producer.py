"""Role producer: AIOKafkaProducer.send() to a given partition or with a key; results by the returned future."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from aiokafka import AIOKafkaProducer
from driver_runtime.event_loop import wait_for_stop
from driver_runtime.future_sender import FutureSender
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.series import series_of
from driver_runtime.workload import Ticker

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


class Sender(FutureSender):
    """Sends records and reports their results."""

    _error_of = staticmethod(error_of)

    async def _produce(self, value: bytes, where: Mapping[str, Any]) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = await self._client.send(self._start.topic, value, **where)
        return future

    @staticmethod
    def _place(stored: Any) -> tuple[int, int]:
        return stored.partition, stored.offset

    def _refused(self, partition: int, sequence: int, error: BaseException) -> None:
        if not self._stop.asked:  # a call in flight while the driver closes the client has no result of the library
            self._failed(partition, sequence, error)
