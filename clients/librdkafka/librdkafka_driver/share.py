"""Role share: confluent-kafka's ShareConsumer, a member of a share group (KIP-932) that accepts each record."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import confluent_kafka
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports

from librdkafka_driver.consumer import POLL_S, report_polled
from librdkafka_driver.errors import error_of
from librdkafka_driver.notices import Notices
from librdkafka_driver.settings import configure
from probe.driver_contract import driver_pb2 as pb

AFTER_ERROR_S = 0.1
MODE = "share.acknowledgement.mode"


def available() -> bool:
    """Return whether this version has share consumers."""
    return hasattr(confluent_kafka, "ShareConsumer")


def share(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Accept records as the library does by default, with the next poll, or each one where the mode is explicit."""
    notices = Notices(reports)
    chosen, effective = configure(start, {"group.id": start.group})
    try:
        client = confluent_kafka.ShareConsumer({**chosen, **notices.callbacks()})
    except confluent_kafka.KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None
    reports.ready(effective)
    client.set_acknowledgement_commit_callback(lambda offsets, error: _acknowledged(reports, offsets, error))
    client.subscribe([start.topic])
    while not stop.asked:
        try:
            _deliver(client.poll(POLL_S), client, reports, stop, explicit=chosen.get(MODE) == "explicit")
        except confluent_kafka.KafkaException as error:
            reports.receive_error(error_of(error))
            stop.wait(AFTER_ERROR_S)
        notices.check()
    client.close()


def _deliver(messages: Iterable[Any], client: Any, reports: Reports, stop: Stopping, *, explicit: bool) -> None:
    for message in messages:
        if report_polled(message, reports):
            if handler_s := reports.handling():
                stop.wait(handler_s)
            if explicit:
                client.acknowledge(message)


def _acknowledged(reports: Reports, offsets: Mapping[Any, Iterable[int]], error: Any) -> None:
    for partition, every in offsets.items():
        for offset in sorted(every):
            if error is None:
                reports.committed(partition.partition, offset)
            else:
                reports.commit_error(error_of(error), partition.partition, offset)
