"""Records and partitions, copied out of and into the C library's structures."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Sequence
from typing import Any

from confluent_kafka.clib import C, CMessage, text
from confluent_kafka.errors import KafkaError

OFFSET_BEGINNING = -2
OFFSET_INVALID = -1001


class TopicPartition:
    """A partition with an offset and its own error of a call."""

    def __init__(self, topic: str, partition: int = -1, offset: int = OFFSET_INVALID, code: int = 0) -> None:
        self.topic = topic
        self.partition = partition
        self.offset = offset
        self.error = KafkaError(code) if code else None


class Message:
    """A delivered or consumed record, or an error in its place."""

    def __init__(self, raw: CMessage) -> None:
        self._value = ctypes.string_at(raw.payload, raw.len) if raw.payload else None
        self._partition: int = raw.partition
        self._offset: int = raw.offset
        # The payload of an error is its text (rd_kafka_message_errstr in rdkafka.h).
        self._error = KafkaError(raw.err, text(self._value)) if raw.err else None

    def error(self) -> KafkaError | None:
        """Return the error, None for a record."""
        return self._error

    def value(self) -> bytes | None:
        """Return the record's value."""
        return self._value

    def partition(self) -> int:
        """Return the partition, -1 if there is none."""
        return self._partition

    def offset(self) -> int:
        """Return the offset, below zero if unknown."""
        return self._offset


@contextlib.contextmanager
def listed(items: Sequence[TopicPartition]) -> Iterator[Any]:
    """Create a C list of partitions, freed at exit."""
    made = C.topic_partition_list_new(len(items))
    try:
        for item in items:
            C.topic_partition_list_add(made, item.topic.encode(), item.partition).contents.offset = item.offset
        yield made
    finally:
        C.topic_partition_list_destroy(made)


def read(made: Any) -> list[TopicPartition]:
    """Return the items of a C list; none for a null pointer."""
    if not made:
        return []
    found = [made.contents.elems[index] for index in range(made.contents.cnt)]
    return [TopicPartition(text(item.topic), item.partition, item.offset, item.err) for item in found]
