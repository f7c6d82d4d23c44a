"""Role producer: KafkaProducer.send() to a given partition, results by callbacks of its future."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from driving.library import Stopping
from driving.reports import Reports
from driving.workload import Beats, value_of
from kafka import KafkaProducer

from kpy.errors import error_of
from kpy.settings import build
from probe.driver_contract import driver_pb2 as pb


def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce on each partition, one record a beat, until asked to stop."""
    client, effective = build(KafkaProducer, start, reports, {})
    reports.ready(effective)
    work = Sending(start, reports, client)
    beats = Beats(start, work.send)
    work.ended = beats.ended
    beats.start(start.partitions, stop)
    stop.wait_long()
    client.close(timeout=stop.remaining())


class Sending:
    """One record: handed to send(), then reported by its future."""

    def __init__(self, start: pb.Start, reports: Reports, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._client = client
        self.ended: Callable[[int], None] = lambda _: None
        """Told of the partition of every operation that ended."""

    def send(self, partition: int, sequence: int, clock: int) -> Any:
        """Hand one over; this blocks while the library waits for metadata. Return the future, or None if it threw."""
        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            future = self._client.send(self._start.topic, value.encode(), partition=partition)
        except Exception as error:  # noqa: BLE001  # whatever send() throws is what the application meets
            self._failed(partition, sequence, error)
            return None
        future.add_callback(lambda done: self._delivered(partition, sequence, done.offset))
        future.add_errback(lambda error: self._failed(partition, sequence, error))
        return future

    def _delivered(self, partition: int, sequence: int, offset: int) -> None:
        self._reports.acked(partition, sequence, offset)
        self.ended(partition)

    def _failed(self, partition: int, sequence: int, error: BaseException) -> None:
        self._reports.send_error(partition, sequence, error_of(error))
        self.ended(partition)
