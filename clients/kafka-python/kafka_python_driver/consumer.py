"""Roles consumer and group: KafkaConsumer.assign() from the beginning, or subscribe() with explicit commits.

A KafkaConsumer is not thread-safe: all calls are made in the instance's thread.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import kafka
from driver_runtime.deliveries import Deliveries
from driver_runtime.library import Stopping
from driver_runtime.reports import Reports
from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

from kafka_python_driver.errors import error_of
from kafka_python_driver.settings import build
from probe.driver_contract import driver_pb2 as pb

POLL_MS = 500
"""As in applications; poll() returns as soon as there are records."""
JOIN_MS = 8000
"""The same before the first records; `for record in consumer` waits without a limit. 3.0.12 loses the second JoinGroup
of a leader that joined before it knew the topic, if poll() ends between that response and SyncGroup's
(coordinator/base.py, join_group_async: need_rejoin() is false by then)."""
PAUSE_S = 0.1
"""Seconds after an exception of poll(), against a busy loop."""
MAY_BLOCK = not hasattr(kafka, "AsyncConsumerRebalanceListener")
"""Whether a rebalance listener may call commit(); from 3.0 on it runs in the I/O thread, where that raises."""


def consumer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume the given partitions from their beginning."""
    client, effective = build(KafkaConsumer, start, reports, {"enable_auto_commit": False})
    reports.ready(effective)
    partitions = [TopicPartition(start.topic, partition) for partition in start.partitions]
    client.assign(partitions)
    client.seek_to_beginning(*partitions)
    reports.assigned(start.partitions)
    while not stop.asked:
        poll_once(client, reports, stop)
    client.close()


def group(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume as a member of a group; commit delivered records once per second and before a revocation.

    Commits use commit(), which retries what can be retried; commit_async() is documented not to.
    """
    role = {"group_id": start.group, "auto_offset_reset": "earliest", "enable_auto_commit": False}
    client, effective = build(KafkaConsumer, start, reports, role)
    reports.ready(effective)
    commits = Commits(client, reports, stop)
    deliveries = commits.deliveries
    client.subscribe(topics=[start.topic], listener=commits)
    while not stop.asked:
        poll_once(client, reports, stop, deliveries.note, POLL_MS if deliveries.any else JOIN_MS)
        commits.commit_if_due()
    client.close()


def poll_once(
    client: Any,
    reports: Reports,
    stop: Stopping,
    note: Callable[[TopicPartition, int], None] = lambda *_: None,
    wait_ms: int = POLL_MS,
) -> None:
    """Poll once and report the result."""
    try:
        batches = client.poll(timeout_ms=wait_ms)
    except Exception as error:  # noqa: BLE001  # the application gets any exception of poll()
        reports.receive_error(error_of(error))
        stop.wait(PAUSE_S)
        return
    for partition, records in batches.items():
        for record in records:
            reports.received(partition.partition, record.offset, (record.value or b"").decode(errors="replace"))
            if handler_s := reports.handling():
                stop.wait(handler_s)
            note(partition, record.offset + 1)


class Commits(ConsumerRebalanceListener):  # type: ignore[misc]  # the library has no types
    """Commits what was delivered. It is also the rebalance listener."""

    def __init__(self, client: Any, reports: Reports, stop: Stopping) -> None:
        self._client = client
        self._reports = reports
        self._stop = stop
        self._by_library = client.config["enable_auto_commit"]
        self.deliveries = Deliveries(reports)

    def commit_if_due(self) -> None:
        """Commit new records once per commit interval."""
        if not self._by_library and self.deliveries.is_due():
            self._commit()
            self.deliveries.schedule()

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Report partitions assigned to this member."""
        self._reports.assigned([item.partition for item in assigned])

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Commit before another member takes over. While closing, a lost coordinator would delay the close."""
        gone = list(revoked)
        if not self._stop.asked and not self._by_library:
            if MAY_BLOCK:
                self._commit()
            else:
                self._send(gone)
        self.deliveries.forget(gone)

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        """Drop partitions that another member has already (3.0 and later)."""
        self.deliveries.forget(lost)

    def _send(self, partitions: Iterable[TopicPartition]) -> None:
        """Commit what these partitions delivered, without waiting for the result."""
        next_offsets = self.deliveries.uncommitted()
        new = {item: committable(next_offsets[item]) for item in partitions if item in next_offsets}
        if new:
            self._client.commit_async(new, self._sent)

    def _sent(self, offsets: dict[TopicPartition, OffsetAndMetadata], outcome: object) -> None:
        if isinstance(outcome, BaseException):
            self._reports.commit_error(error_of(outcome))
            return
        for partition, committed in offsets.items():
            self._reports.committed(partition.partition, committed.offset)

    def _commit(self) -> None:
        if not (new := self.deliveries.uncommitted()):
            return
        try:
            self._client.commit({partition: committable(offset) for partition, offset in new.items()})
        except Exception as error:  # noqa: BLE001  # the application gets any exception of commit()
            self._reports.commit_error(error_of(error))
        else:
            self.deliveries.committed(new)


def committable(offset: int) -> OffsetAndMetadata:
    """Return a committable offset; the third field, the leader epoch, came in 2.1."""
    return OffsetAndMetadata(offset, "", *([-1] if "leader_epoch" in OffsetAndMetadata._fields else []))
