"""Role producer: Producer.produce() to a given partition, delivery reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from confluent_kafka import KafkaError, KafkaException, Message, Producer
from driving.library import Stopping, Unsupported
from driving.reports import Reports
from driving.workload import Beats, value_of

from probe.driver_contract import driver_pb2 as pb
from rdk.channel import Channel
from rdk.errors import error_of, error_of_kafka
from rdk.settings import configure

POLL_S = 0.1
"""How long a poll waits for something to serve; it returns early if there is."""


def build(start: pb.Start, channel: Channel, role: dict[str, str]) -> tuple[Any, dict[str, str]]:
    """Construct a Producer; return it and its effective settings. Raises Unsupported if librdkafka refuses them."""
    chosen, effective = configure(start, role)
    try:
        return Producer({**chosen, **channel.callbacks()}), effective
    except KafkaException as error:
        raise Unsupported(f"librdkafka refuses these settings together: {error.args[0].str()}") from None


def producer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Produce on each partition, one record a beat, until asked to stop."""
    channel = Channel(reports)
    client, effective = build(start, channel, {})
    reports.ready(effective)
    work = Sending(start, reports, client)
    beats = Beats(start, work.send)
    work.ended = beats.ended
    beats.start(start.partitions, stop)
    while not stop.asked:
        client.poll(POLL_S)
        channel.check()
    client.flush(stop.remaining())


class Sending:
    """One record: produced, then reported by librdkafka."""

    def __init__(self, start: pb.Start, reports: Reports, client: Any) -> None:
        self._start = start
        self._reports = reports
        self._client = client
        self.ended: Callable[[int], None] = lambda _: None
        """Told of the partition of every operation that ended."""

    def send(self, partition: int, sequence: int, clock: int) -> None:
        """Produce one; the delivery report comes from poll()."""

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is None:
                self._reports.acked(partition, sequence, message.offset())
            else:
                self._reports.send_error(partition, sequence, error_of_kafka(error))
            self.ended(partition)

        value = value_of(self._start.instance, partition, sequence, clock)
        self._reports.sent(partition, sequence, clock)
        try:
            self._client.produce(self._start.topic, value.encode(), partition=partition, on_delivery=delivered)
        except (KafkaException, BufferError) as error:
            self._reports.send_error(partition, sequence, error_of(error))
            self.ended(partition)
