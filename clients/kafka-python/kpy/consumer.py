"""Roles consumer and group: KafkaConsumer.assign() from the beginning, or subscribe() with commits of its own.

A KafkaConsumer is not thread-safe: everything is called in the instance's thread.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

import kafka
from driving.library import Stopping
from driving.reports import Reports
from kafka import ConsumerRebalanceListener, KafkaConsumer, TopicPartition
from kafka.structs import OffsetAndMetadata

from kpy.errors import error_of
from kpy.settings import build
from probe.driver_contract import driver_pb2 as pb

POLL_MS = 500
"""As applications do; returns as soon as there are records."""
JOIN_MS = 8000
"""The same before the first records. `for record in consumer` waits without end. 3.0.12 forgets the second JoinGroup of
a leader that joined before it knew the topic, for ever, if poll() ends between that answer and SyncGroup's
(coordinator/base.py, join_group_async: need_rejoin() is false by then)."""
PAUSE_S = 0.1
"""After an exception of poll(), so that a client that always throws does not spin."""
COMMIT_S = 1.0
"""The application commits what it was given, so often."""
MAY_BLOCK = not hasattr(kafka, "AsyncConsumerRebalanceListener")
"""Whether a rebalance listener may call commit(); from 3.0 on it runs in the I/O thread, where that is refused."""


def consumer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume the given partitions from their beginning."""
    client, effective = build(KafkaConsumer, start, reports, {"enable_auto_commit": False})
    reports.ready(effective)
    partitions = [TopicPartition(start.topic, partition) for partition in start.partitions]
    client.assign(partitions)
    client.seek_to_beginning(*partitions)
    reports.assigned(start.partitions)
    while not stop.asked:
        take(client, reports, stop)
    client.close()


def group(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume as a member of a group; commit once a second, and before a partition is given up, what was delivered.

    It commits with commit(), which retries what can be retried; commit_async() is documented not to.
    """
    role = {"group_id": start.group, "auto_offset_reset": "earliest", "enable_auto_commit": False}
    client, effective = build(KafkaConsumer, start, reports, role)
    reports.ready(effective)
    commits = Commits(client, reports, stop)
    client.subscribe(topics=[start.topic], listener=commits)
    while not stop.asked:
        take(client, reports, stop, commits.note, POLL_MS if commits.any else JOIN_MS)
        commits.beat()
    client.close()


def take(
    client: Any,
    reports: Reports,
    stop: Stopping,
    note: Callable[[TopicPartition, int], None] = lambda *_: None,
    wait_ms: int = POLL_MS,
) -> None:
    """Poll once and report what came."""
    try:
        batches = client.poll(timeout_ms=wait_ms)
    except Exception as error:  # noqa: BLE001  # whatever poll() throws is what the application meets
        reports.receive_error(error_of(error))
        stop.wait(PAUSE_S)
        return
    for partition, records in batches.items():
        for record in records:
            reports.received(partition.partition, record.offset, (record.value or b"").decode(errors="replace"))
            note(partition, record.offset + 1)


class Commits(ConsumerRebalanceListener):  # type: ignore[misc]  # the library has no types
    """Offsets handed to the application, and their commits."""

    def __init__(self, client: Any, reports: Reports, stop: Stopping) -> None:
        self._client = client
        self._reports = reports
        self._stop = stop
        self._next: dict[TopicPartition, int] = {}
        self.any = False
        """Whether any record came."""
        self._due = time.monotonic() + COMMIT_S

    def note(self, partition: TopicPartition, offset: int) -> None:
        """Remember the next offset of a partition."""
        self.any = True
        self._next[partition] = offset

    def beat(self) -> None:
        """Commit what is new, if it is time to."""
        if time.monotonic() >= self._due:
            self._commit()
            self._due = time.monotonic() + COMMIT_S

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        """Report partitions given to this member."""
        self._reports.assigned([item.partition for item in assigned])

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        """Commit before others take over, but not while closing: a lost coordinator must not hold the close up."""
        gone = list(revoked)
        if not self._stop.asked:
            if MAY_BLOCK:
                self._commit()
            else:
                self._send(gone)
        self._forget(gone)

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        """Forget what belongs to somebody else already (3.0 and later)."""
        self._forget(lost)

    def _forget(self, partitions: Iterable[TopicPartition]) -> None:
        gone = list(partitions)
        for partition in gone:
            self._next.pop(partition, None)
        self._reports.revoked([item.partition for item in gone])

    def _send(self, partitions: Iterable[TopicPartition]) -> None:
        """Commit what these partitions delivered without waiting for it."""
        new = {item: committable(self._next[item]) for item in partitions if item in self._next}
        if new:
            self._client.commit_async(new, self._sent)

    def _sent(self, offsets: dict[TopicPartition, OffsetAndMetadata], outcome: object) -> None:
        if isinstance(outcome, BaseException):
            self._reports.commit_error(error_of(outcome))
            return
        for partition, committed in offsets.items():
            self._reports.committed(partition.partition, committed.offset)

    def _commit(self) -> None:
        new = dict(self._next)
        if not new:
            return
        try:
            self._client.commit({partition: committable(offset) for partition, offset in new.items()})
        except Exception as error:  # noqa: BLE001  # whatever commit() throws is what the application meets
            self._reports.commit_error(error_of(error))
            return
        for partition, offset in new.items():
            self._reports.committed(partition.partition, offset)
            if self._next.get(partition) == offset:
                del self._next[partition]


def committable(offset: int) -> OffsetAndMetadata:
    """Return a committable offset; a third field, the leader epoch, came in 2.1."""
    return OffsetAndMetadata(offset, "", *([-1] if "leader_epoch" in OffsetAndMetadata._fields else []))
