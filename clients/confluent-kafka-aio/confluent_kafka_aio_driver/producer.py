"""Role producer: AIOProducer.produce() to a given partition or with a key; results by the returned future."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.aio import AIOProducer
from driver_runtime.event_loop import CHECK_S
from driver_runtime.future_sender import FutureSender
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports
from driver_runtime.series import series_of
from driver_runtime.workload import Ticker
from librdkafka_driver.errors import error_of
from librdkafka_driver.notices import Notices
from librdkafka_driver.settings import configure

from confluent_kafka_aio_driver.callbacks import callbacks
from probe.driver_contract import driver_pb2 as pb

DEFAULTS = "defaults"
SHORT_BUFFER: dict[str, Any] = {"batch_size": 1, "buffer_timeout": 0.1}
"""Arguments of the constructor for every profile but `defaults`: a record leaves at once, and its result is asked for
each 0.1 s. With the constructor's own arguments the buffer alone would be measured."""


async def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce the records of the workload until closing is requested."""
    notices = Notices(reports)
    client, effective = build(start, notices, {})
    reports.ready(effective)
    work = Sender(start, reports, stop, client)
    ticker = Ticker(start, work.send)
    work.ended = ticker.ended
    ticker.start(series_of(start), stop)
    while not stop.asked:
        await asyncio.sleep(CHECK_S)
        notices.check()
    await close(client, stop)


def build(start: pb.Start, notices: Notices, role: dict[str, str]) -> tuple[Any, dict[str, str]]:
    """Construct an AIOProducer; return it and its effective settings. Raises Unsupported if librdkafka rejects them."""
    chosen, effective = configure(start, role)
    arguments = {} if start.profile == DEFAULTS else SHORT_BUFFER
    try:
        return AIOProducer({**chosen, **callbacks(notices)}, **arguments), effective
    except KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None


async def close(client: Any, stop: Stopping) -> None:
    """Deliver what is left within the time for closing; the rest would delay AIOProducer.close() without a limit."""
    if await client.flush(stop.remaining()):
        await client.purge()
    await client.close()


class Sender(FutureSender):
    """Sends records and reports their results."""

    _error_of = staticmethod(error_of)

    async def _produce(self, value: bytes, where: Mapping[str, Any]) -> asyncio.Future[Any]:
        future: asyncio.Future[Any] = await self._client.produce(self._start.topic, value, **where)
        return future

    @staticmethod
    def _place(stored: Any) -> tuple[int, int]:
        return stored.partition(), stored.offset()

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        if self._stop.asked:  # what a close leaves behind has no result of the library
            self.ended(partition, sequence)
        else:
            super()._failed(partition, sequence, error)
