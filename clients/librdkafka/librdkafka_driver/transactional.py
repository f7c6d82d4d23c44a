"""Role transactional: the loop of librdkafka's documentation.

An error of a transactional call states its remedy (rdkafka.h, rd_kafka_error_t): call again if it is retriable, abort
if it requires that, close if it is fatal.
"""

from __future__ import annotations

import threading
from typing import Any

from confluent_kafka import Consumer, KafkaError, KafkaException, Producer, TopicPartition
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.reports import Reports
from driver_runtime.transactions import run_transactions

from librdkafka_driver.errors import error_of
from librdkafka_driver.notices import Notices
from librdkafka_driver.producer import POLL_S, Sender, build
from probe.driver_contract import driver_pb2 as pb


def transactional(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Run transactions until closing is requested."""
    if start.group and not hasattr(Producer, "send_offsets_to_transaction"):
        raise Unsupported("this binding of librdkafka sends no offsets with transactions")
    notices = Notices(reports)
    client, effective = build(start, notices, {"transactional.id": start.transactional_id})
    reports.ready(effective)
    # A commit waits for delivery reports, which this thread serves.
    threading.Thread(target=_serve, args=(client, stop), name=f"{start.instance}-poll", daemon=True).start()
    stop.keep(client)
    work = _Client(start, reports, client)
    try:
        run_transactions(start, reports, stop, work)
        client.flush(stop.remaining())
    finally:
        work.release()


def available() -> bool:
    """Return whether this version has transactions."""
    return hasattr(Producer, "init_transactions")


def _serve(client: Any, stop: Stopping) -> None:
    while not stop.asked:
        client.poll(POLL_S)


def metadata_of(group: str) -> Any:
    """Return the metadata of a group. Only a consumer makes it; this one sends no request."""
    consumer = Consumer({"group.id": group})
    found = consumer.consumer_group_metadata()
    consumer.close()
    return found


class Remedies:
    """The remedy of an error that librdkafka documents."""

    def error_of(self, error: BaseException) -> pb.Error:
        """Convert an exception to an error of driver.proto."""
        return error_of(error)

    def may_repeat(self, error: BaseException) -> bool:
        """Return whether the call may be repeated."""
        return (found := _kafka(error)) is not None and found.retriable()

    def is_final(self, error: BaseException) -> bool:
        """Return whether the producer can only be closed."""
        return (found := _kafka(error)) is None or found.fatal()


class _Client(Remedies, Sender):
    _members: Any = None

    def init(self) -> None:
        self._client.init_transactions()

    def begin(self) -> None:
        self._client.begin_transaction()

    def offsets(self, group: str, partition: int, offset: int) -> None:
        if self._members is None:
            self._members = metadata_of(group)
        self._client.send_offsets_to_transaction([TopicPartition(self._start.topic, partition, offset)], self._members)

    def commit(self) -> None:
        self._client.commit_transaction()

    def abort(self) -> None:
        self._client.abort_transaction()


def _kafka(error: BaseException) -> KafkaError | None:
    return error.args[0] if isinstance(error, KafkaException) else None
