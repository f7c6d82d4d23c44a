"""Role producer: Producer.produce() to a given partition or with a key, delivery reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports
from driver_runtime.series import destination, series_of
from driver_runtime.workload import Ticker, value_of

from librdkafka_driver.errors import error_of, error_of_kafka
from librdkafka_driver.notices import Notices
from librdkafka_driver.settings import configure
from probe.driver_contract import driver_pb2 as pb

POLL_S = 0.1
"""Seconds that a poll waits for callbacks; it returns early if there are any."""


def build(start: pb.Start, notices: Notices, role: dict[str, str]) -> tuple[Any, dict[str, str]]:
    """Construct a Producer; return it and its effective settings. Raises Unsupported if librdkafka rejects them."""
    chosen, effective = configure(start, role)
    try:
        return Producer({**chosen, **notices.callbacks()}), effective
    except KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None


def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce the records of the workload until closing is requested."""
    notices = Notices(reports)
    client, effective = build(start, notices, {})
    reports.ready(effective)
    work = Sender(start, reports, client)
    ticker = Ticker(start, work.send)
    work.ended = ticker.ended
    stop.keep(client)
    ticker.start(series_of(start), stop)
    try:
        while not stop.asked:
            client.poll(POLL_S)
            notices.check()
        client.flush(stop.remaining())
    finally:
        work.release()


class Sender:
    """Sends records and reports their results."""

    def __init__(self, start: pb.Start, reports: Reports, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._client = client
        self.ended: Callable[[int, int], None] = lambda _, __: None
        """Called with partition and sequence, as sent, of every operation that ended."""

    def release(self) -> None:
        """Drop the client, which has no close() in older versions. Records that wait hold this object."""
        self._client = None

    def send(self, partition: int, sequence: int, clock: int) -> None:
        """Produce a record; the delivery report comes from poll()."""
        if (client := self._client) is None:
            return

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                place, offset = message.partition(), message.offset()
                place = partition if place is None else place
                self._reports.acked(place, sequence, -1 if offset is None else offset)
            else:
                self._reports.send_error(partition, sequence, error_of_kafka(error))
            self.ended(partition, sequence)

        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            where = destination(self._start, partition, sequence)
            client.produce(self._start.topic, value.encode(), on_delivery=delivered, **where)
        except (KafkaException, BufferError) as error:
            self._reports.send_error(partition, sequence, error_of(error))
            self.ended(partition, sequence)
