"""Read-back of a topic after the trial, past the relay, with librdkafka."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probe.errors import EngineError
from probe.model import Stored, Subject
from probe.model.endpoint import Endpoint, as_text
from probe.model.release_lines import Since, has
from probe.ports import ReadBack
from probe.toolchain.tools import ToolError

READ_S = 25.0
CALL_S = 10.0
BATCH = 500
EOF_CODE = -191
"""RD_KAFKA_RESP_ERR__PARTITION_EOF."""
QUIET = {"log_level": 0, "topic.metadata.refresh.interval.ms": 1000, "socket.nagle.disable": True}
READER = "probe-engine"
"""The engine's own group, which commits nothing."""
READING = {
    "group.id": READER,
    "enable.auto.commit": False,
    "isolation.level": "read_committed",
    "auto.offset.reset": "earliest",
    "enable.partition.eof": True,
    "fetch.wait.max.ms": 50,
}


@dataclass(frozen=True, slots=True)
class Brokers:
    """Brokers, with their addresses past the relay."""

    addresses: Sequence[Endpoint]
    version: str

    @property
    def settings(self) -> Mapping[str, object]:
        """Return librdkafka's settings for them. Brokers before 0.10 do not answer ApiVersions."""
        settings: dict[str, object] = {"bootstrap.servers": as_text(self.addresses)}
        if not has(self.version, Since.API_VERSIONS):
            settings |= {"api.version.request": False, "broker.version.fallback": self.version}
        return settings


async def read_back(where: Brokers, subject: Subject, partitions: Sequence[int]) -> ReadBack:
    """Read all committed records of a topic and a group's committed offsets. EngineError if that fails.

    Transactions that instances left open are aborted first, because they would hide later committed records.
    """
    given_up = threading.Event()
    try:
        return await asyncio.to_thread(_read_back, where, subject, partitions, given_up)
    except asyncio.CancelledError:
        given_up.set()  # otherwise the end of the run would wait for the thread
        raise


async def log_starts(where: Brokers, topic: str, partitions: Sequence[int]) -> Mapping[int, int]:
    """Return the log start offsets of a topic as its leaders report them. EngineError if one does not."""
    return await asyncio.to_thread(_log_starts, where, topic, partitions)


def _log_starts(where: Brokers, topic: str, partitions: Sequence[int]) -> dict[int, int]:
    kafka, found = load_library(), dict[int, int]()
    with _consumer(kafka, where, READER) as reader:
        for partition in partitions:
            try:
                ends = reader.get_watermark_offsets(kafka.TopicPartition(topic, partition), timeout=CALL_S)
            except kafka.KafkaException as error:
                raise EngineError(f"the log start of {topic}-{partition} cannot be read: {error}") from None
            if ends is None:
                raise EngineError(f"the log start of {topic}-{partition} was not answered within {CALL_S:.0f} s")
            found[partition] = ends[0]
    return found


def _read_back(where: Brokers, subject: Subject, partitions: Sequence[int], given_up: threading.Event) -> ReadBack:
    kafka = load_library()
    if subject.transactional_id:
        for one in filter(None, (subject.transactional_id, subject.bystander_key)):
            _end_open(kafka, where, one)
    with _consumer(kafka, where, READER) as reader:
        stored = tuple(_whole(kafka, reader, subject.topic, partitions, given_up))
    committed: Mapping[int, int] = {}
    if subject.groups:
        with _consumer(kafka, where, subject.group) as member:
            committed = _committed(kafka, member, subject.topic, partitions)
    return ReadBack(tuple(sorted(stored, key=lambda item: (item.partition, item.offset))), committed)


def _end_open(kafka: Any, where: Brokers, transactional_id: str) -> None:
    """Abort an id's open transaction, as its next producer would (InitProducerId)."""
    producer = kafka.Producer({**where.settings, **QUIET, "transactional.id": transactional_id})
    try:
        producer.init_transactions(CALL_S)
    except kafka.KafkaException as error:
        raise EngineError(f"what {transactional_id} left open cannot be ended: {error}") from None


def _whole(
    kafka: Any, reader: Any, topic: str, partitions: Sequence[int], given_up: threading.Event
) -> Iterator[Stored]:
    """Read every partition to its end."""
    reader.assign([kafka.TopicPartition(topic, partition, 0) for partition in partitions])
    left = set(partitions)
    end = time.monotonic() + READ_S
    while left and not given_up.is_set():
        if time.monotonic() > end:
            raise EngineError(f"{topic} could not be read back within {READ_S:.0f} s: no end of {sorted(left)}")
        for message in reader.consume(BATCH, timeout=0.5):
            error = message.error()
            if error is None:
                yield _stored(message)
            elif error.code() == EOF_CODE:
                left.discard(message.partition())
            elif error.fatal():
                raise EngineError(f"{topic} cannot be read back: {error.str()}")


def _committed(kafka: Any, member: Any, topic: str, partitions: Sequence[int]) -> dict[int, int]:
    asked = [kafka.TopicPartition(topic, partition) for partition in partitions]
    try:
        found = member.committed(asked, timeout=CALL_S)
    except kafka.KafkaException as error:
        raise EngineError(f"committed offsets cannot be read: {error}") from None
    return {item.partition: item.offset for item in found if item.offset >= 0}


def _stored(message: Any) -> Stored:
    value = (message.value() or b"").decode(errors="replace")
    return Stored.of(message.partition(), message.offset(), value)


@contextlib.contextmanager
def _consumer(kafka: Any, where: Brokers, group: str) -> Iterator[Any]:
    consumer = kafka.Consumer({**where.settings, **QUIET, **READING, "group.id": group})
    try:
        yield consumer
    finally:
        consumer.close()


def load_library() -> Any:
    """Return librdkafka's Python module; the first import takes a moment. ToolError if it is not installed."""
    try:
        import confluent_kafka  # noqa: PLC0415  # only real brokers need it
    except ImportError:
        raise ToolError("confluent-kafka, which reads topics back, is missing; run `python3 run.py setup`") from None
    return confluent_kafka
