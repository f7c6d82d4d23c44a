"""Roles consumer and group: Consumer.assign() from the beginning, or subscribe() with explicit commits."""

from __future__ import annotations

import time
from typing import Any

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition
from driver_runtime.library import Stopping, Unsupported
from driver_runtime.profiles import AUTOCOMMIT
from driver_runtime.reports import Reports

from librdkafka_driver.errors import error_of, error_of_kafka
from librdkafka_driver.notices import Notices
from librdkafka_driver.settings import configure
from probe.driver_contract import driver_pb2 as pb

POLL_S = 0.1
COMMIT_S = 1.0
"""Seconds between commits. librdkafka retries an asynchronous commit as it retries a synchronous one."""


def consumer(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume the given partitions from their beginning."""
    notices = Notices(reports)
    # librdkafka's consumer needs a group id, also without joining a group.
    client = _build(start, reports, notices, {"group.id": start.group or start.client_id})
    client.assign([TopicPartition(start.topic, partition, OFFSET_BEGINNING) for partition in start.partitions])
    reports.assigned(start.partitions)
    while not stop.asked:
        report_polled(client.poll(POLL_S), reports)
        notices.check()
    client.close()


def group(start: pb.Start, reports: Reports, stop: Stopping) -> None:
    """Consume as a member of a group; commit delivered records asynchronously once per second."""
    notices = Notices(reports)
    commits = Commits(start, reports)
    role = {"group.id": start.group, "auto.offset.reset": "earliest"}
    client = _build(start, reports, notices, role, on_commit=commits.done)
    client.subscribe(
        [start.topic],
        on_assign=lambda _, partitions: reports.assigned([item.partition for item in partitions]),
        on_revoke=lambda _, partitions: commits.give_up(client, [item.partition for item in partitions], stop),
        on_lost=lambda _, partitions: commits.revoked([item.partition for item in partitions]),
    )
    while not stop.asked:
        message = client.poll(POLL_S)
        if report_polled(message, reports):
            if handler_s := reports.handling():
                stop.wait(handler_s)
            commits.note(message.partition(), message.offset() + 1)
        commits.commit_if_due(client)
        notices.check()
    client.close()


def report_polled(message: Any, reports: Reports) -> bool:
    """Report the result of poll(); return whether it was a record."""
    if message is None:
        return False
    if (error := message.error()) is None:
        reports.received(message.partition(), message.offset(), (message.value() or b"").decode(errors="replace"))
        return True
    if error.code() != KafkaError._PARTITION_EOF:  # noqa: SLF001  # the library's name of a public constant
        reports.receive_error(error_of_kafka(error), _partition(message))
    return False


class Commits:
    """Delivered offsets and their commits: an offset is committed again until its success was reported."""

    def __init__(self, start: pb.Start, reports: Reports) -> None:
        self._topic = start.topic
        self._reports = reports
        self._next: dict[int, int] = {}
        self._done: dict[int, int] = {}
        self._due = time.monotonic() + COMMIT_S
        self._by_library = start.profile == AUTOCOMMIT

    def note(self, partition: int, offset: int) -> None:
        """Keep the next offset of a partition."""
        self._next[partition] = offset

    def give_up(self, client: Any, partitions: list[int], stop: Stopping) -> None:
        """Commit before another member takes over. While closing, a lost coordinator would delay the close."""
        if not stop.asked and (new := self._new()):
            try:
                self.done(None, client.commit(offsets=self._offsets(new), asynchronous=False))
            except KafkaException as error:
                self._reports.commit_error(error_of(error))
        self.revoked(partitions)

    def revoked(self, partitions: list[int]) -> None:
        """Drop partitions that were revoked, and report that."""
        for partition in partitions:
            self._next.pop(partition, None)
            self._done.pop(partition, None)
        self._reports.revoked(partitions)

    def commit_if_due(self, client: Any) -> None:
        """Commit new records once per commit interval."""
        if time.monotonic() < self._due:
            return
        self._due = time.monotonic() + COMMIT_S
        if not (new := self._new()):
            return
        try:
            client.commit(offsets=self._offsets(new), asynchronous=True)
        except KafkaException as error:
            self._reports.commit_error(error_of(error))

    def _new(self) -> dict[int, int]:
        if self._by_library:
            return {}
        return {partition: offset for partition, offset in self._next.items() if self._done.get(partition) != offset}

    def _offsets(self, new: dict[int, int]) -> list[Any]:
        return [TopicPartition(self._topic, partition, offset) for partition, offset in new.items()]

    def done(self, error: KafkaError | None, partitions: list[Any]) -> None:
        """Report librdkafka's result of a commit; every partition may have its own error."""
        if error is not None:
            self._reports.commit_error(error_of_kafka(error))
            return
        for item in partitions:
            if item.error is not None:
                self._reports.commit_error(error_of_kafka(item.error))
            elif item.offset >= 0:
                self._done[item.partition] = item.offset
                self._reports.committed(item.partition, item.offset)


def _build(start: pb.Start, reports: Reports, notices: Notices, role: dict[str, str], **callbacks: Any) -> Any:
    chosen, effective = configure(start, role | {"enable.auto.commit": "false"})
    try:
        client = Consumer({**chosen, **notices.callbacks(), **callbacks})
    except KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None
    reports.ready(effective)
    return client


def _partition(message: Any) -> int:
    return -1 if message.partition() is None else message.partition()
