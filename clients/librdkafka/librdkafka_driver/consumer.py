"""Roles consumer and group: Consumer.assign() from the beginning, or subscribe() with explicit commits."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
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
    client = build(Consumer, start, reports, {"group.id": start.group or start.client_id}, notices.callbacks())
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
    client = build(Consumer, start, reports, role, {**notices.callbacks(), "on_commit": commits.done})
    client.subscribe(
        [start.topic],
        on_assign=lambda _, partitions: reports.assigned([item.partition for item in partitions]),
        on_revoke=lambda _, partitions: _give_up(client, commits, [item.partition for item in partitions], stop),
        on_lost=lambda _, partitions: commits.revoked([item.partition for item in partitions]),
    )
    while not stop.asked:
        message = client.poll(POLL_S)
        if report_polled(message, reports):
            if handler_s := reports.handling():
                stop.wait(handler_s)
            commits.note(message.partition(), message.offset() + 1)
        if due := commits.due():
            _commit(client, commits, due, asynchronous=True)
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


def _give_up(client: Any, commits: Commits, partitions: list[int], stop: Stopping) -> None:
    """Commit before another member takes over. While closing, a lost coordinator would delay the close."""
    if not stop.asked and (new := commits.new()):
        _commit(client, commits, new, asynchronous=False)
    commits.revoked(partitions)


def _commit(client: Any, commits: Commits, offsets: list[Any], *, asynchronous: bool) -> None:
    try:
        done = client.commit(offsets=offsets, asynchronous=asynchronous)
    except KafkaException as error:
        commits.failed(error)
    else:
        commits.done(None, done or [])


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

    def revoked(self, partitions: list[int]) -> None:
        """Drop partitions that were revoked, and report that."""
        for partition in partitions:
            self._next.pop(partition, None)
            self._done.pop(partition, None)
        self._reports.revoked(partitions)

    def due(self) -> list[Any]:
        """Return what is to be committed, once per commit interval."""
        if time.monotonic() < self._due:
            return []
        self._due = time.monotonic() + COMMIT_S
        return self.new()

    def new(self) -> list[Any]:
        """Return the offsets that are not committed yet; none where the library commits by itself."""
        if self._by_library:
            return []
        new = ((partition, offset) for partition, offset in self._next.items() if self._done.get(partition) != offset)
        return [TopicPartition(self._topic, partition, offset) for partition, offset in new]

    def failed(self, error: KafkaException) -> None:
        """Report a commit that raised."""
        self._reports.commit_error(error_of(error))

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


def build(
    make: Callable[[dict[str, Any]], Any],
    start: pb.Start,
    reports: Reports,
    role: dict[str, str],
    callbacks: Mapping[str, Any],
) -> Any:
    """Construct a consumer and report it as ready. Raises Unsupported if librdkafka rejects its settings."""
    chosen, effective = configure(start, role | {"enable.auto.commit": "false"})
    try:
        client = make({**chosen, **callbacks})
    except KafkaException as error:
        raise Unsupported(f"librdkafka rejects these settings together: {error.args[0].str()}") from None
    reports.ready(effective)
    return client


def _partition(message: Any) -> int:
    return -1 if message.partition() is None else message.partition()
