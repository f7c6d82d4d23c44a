"""Role producer: AIOProducer.produce() to a given partition or with a key; results by the returned future."""

from __future__ import annotations

import asyncio
from typing import Any

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.aio import AIOProducer
from driver_runtime.event_loop import LoopCaller, wait_for_stop
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports
from driver_runtime.series import destination, series_of
from driver_runtime.workload import Ticker, value_of
from librdkafka_driver.errors import error_of
from librdkafka_driver.notices import Notices
from librdkafka_driver.settings import configure

from probe.driver_contract import driver_pb2 as pb

DEFAULTS = "defaults"
SHORT_BUFFER: dict[str, Any] = {"batch_size": 1, "buffer_timeout": 0.1}
"""Arguments of the constructor for every profile but `defaults`: a record leaves at once, and its result is asked for
each 0.1 s. With the constructor's own arguments the buffer alone would be measured."""


async def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce the records of the workload until closing is requested."""
    notices = Notices(reports)
    client, effective = _build(start, notices)
    reports.ready(effective)
    work = _Sender(start, reports, stop, client)
    work.ticker.start(series_of(start), stop)
    await wait_for_stop(stop)
    if await client.flush(stop.remaining()):
        await client.purge()  # what is left would delay the close without a limit
    await client.close()


def _build(start: pb.Start, notices: Notices) -> tuple[Any, dict[str, str]]:
    chosen, effective = configure(start, {})

    async def failed(error: KafkaError) -> None:
        notices.error(error)

    settings: dict[str, Any] = {**chosen, **notices.callbacks(), "error_cb": failed}
    try:
        return AIOProducer(settings, **({} if start.profile == DEFAULTS else SHORT_BUFFER)), effective
    except KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None


class _Sender:
    """Sends records and reports their results."""

    def __init__(self, start: pb.Start, reports: Reports, stop: Stopping, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._stop = stop
        self._client = client
        self._bridge = LoopCaller()
        self.ticker = Ticker(start, self.send)

    def send(self, partition: int, sequence: int, clock: int) -> None:
        """Pass a record to the library, from a thread of the driver; wait until it was taken."""
        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            self._bridge.call(self._send(partition, sequence, value))
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
            self.ticker.ended(partition, sequence)

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        if not self._stop.asked:  # what a close leaves behind has no result of the library
            self._reports.send_error(partition, sequence, error_of(error))
        self.ticker.ended(partition, sequence)
