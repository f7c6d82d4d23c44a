"""Role producer: AIOProducer.produce() to a given partition or with a key; results by the returned future."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.aio import AIOProducer
from driver_runtime.event_loop import CHECK_S, LoopCaller
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports
from driver_runtime.series import destination, series_of
from driver_runtime.workload import Ticker, value_of
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
        except Exception as error:  # noqa: BLE001  # the application gets any exception of produce()
            self._failed(partition, sequence, error)

    async def _send(self, partition: int, sequence: int, value: str) -> None:
        where = destination(self._start, partition, sequence)
        future = await self._client.produce(self._start.topic, value.encode(), **where)
        future.add_done_callback(lambda done: self._done(partition, sequence, done))

    def _done(self, partition: int, sequence: int, done: asyncio.Future[Any]) -> None:
        if done.cancelled():
            return
        if (error := done.exception()) is not None:
            self._failed(partition, sequence, error)
        else:
            stored = done.result()
            self._reports.acked(stored.partition(), sequence, stored.offset())
            self.ended(partition, sequence)

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        if not self._stop.asked:  # what a close leaves behind has no result of the library
            self._reports.send_error(partition, sequence, error_of(error))
        self.ended(partition, sequence)
