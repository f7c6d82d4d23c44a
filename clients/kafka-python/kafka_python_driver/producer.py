"""Role producer: KafkaProducer.send() to a given partition or with a key; results by callbacks of its future."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from driver_runtime.series import destination, series_of
from driver_runtime.workload import Ticker, value_of
from kafka import KafkaProducer

from kafka_python_driver.errors import error_of
from kafka_python_driver.settings import build
from probe.driver_contract import driver_pb2 as pb


def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce the records of the workload until closing is requested."""
    client, effective = build(KafkaProducer, start, reports, {})
    reports.ready(effective)
    work = Sender(start, reports, client)
    ticker = Ticker(start, work.send)
    work.ended = ticker.ended
    ticker.start(series_of(start), stop)
    stop.wait_until_asked()
    client.close(timeout=stop.remaining())


class Sender:
    """Sends records and reports their results."""

    def __init__(self, start: pb.Start, reports: Reports, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._client = client
        self.ended: Callable[[int, int], None] = lambda _, __: None
        """Called with partition and sequence, as sent, of every operation that ended."""

    def send(self, partition: int, sequence: int, clock: int) -> Any:
        """Send a record; blocks while the library waits for metadata. Return the future, None after an exception."""
        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            where = destination(self._start, partition, sequence)
            future = self._client.send(self._start.topic, value.encode(), **where)
        except Exception as error:  # noqa: BLE001  # the application gets any exception of send()
            self._failed(partition, sequence, error)
            return None
        future.add_callback(lambda done: self._delivered(partition, sequence, done))
        future.add_errback(lambda error: self._failed(partition, sequence, error))
        return future

    def _delivered(self, partition: int, sequence: int, done: Any) -> None:
        self._reports.acked(done.partition, sequence, done.offset)
        self.ended(partition, sequence)

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        self._reports.send_error(partition, sequence, error_of(error))
        self.ended(partition, sequence)
