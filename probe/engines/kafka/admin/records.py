"""Records in the formats of all release lines, and the Produce requests that carry them. Pure.

Kafka's message formats: v2 since 0.11 (KIP-98), v1 with a timestamp since 0.10 (KIP-32), v0 before.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import crc32c

from probe.engines.kafka.admin.requests import Partition
from probe.engines.kafka.admin.wire import Reader, Writer
from probe.model.release_lines import Since, has

NO_PRODUCER = -1
"""Producer id, epoch and sequence of a producer that is not idempotent."""
LEADER_ONLY, ALL = 1, -1
"""acks"""


def produce_version(version: str) -> int:
    """Return the oldest version of Produce that carries the newest message format of these brokers."""
    return 3 if has(version, Since.BATCHES) else 2 if has(version, Since.TIMESTAMPS) else 1


@dataclass(frozen=True, slots=True)
class Numbering:
    """Numbers of an idempotent producer for the records of a batch."""

    producer_id: int = NO_PRODUCER
    epoch: int = NO_PRODUCER
    sequence: int = NO_PRODUCER
    """Number of the first record."""


NOT_IDEMPOTENT = Numbering()


def request(
    version: int,
    records: Mapping[Partition, Sequence[bytes]],
    at_ms: int,
    timeout_ms: int,
    *,
    acks: int = LEADER_ONLY,
    numbering: Numbering = NOT_IDEMPOTENT,
) -> Writer:
    """Return the body of a Produce request: these values per partition, without keys."""
    body = Writer()
    if version >= 3:
        body.string(None)  # no transactional id
    body.pack("hi", acks, timeout_ms)
    topics: dict[str, list[tuple[int, bytes]]] = {}
    for (topic, partition), values in records.items():
        if version >= 3:
            whole = batch(values, at_ms, numbering)
        else:
            whole = message_set(values, at_ms if version >= 2 else None)
        topics.setdefault(topic, []).append((partition, whole))
    return body.array(list(topics.items()), _topic)


def _topic(body: Writer, item: tuple[str, list[tuple[int, bytes]]]) -> None:
    topic, partitions = item
    body.string(topic).pack("i", len(partitions))
    for partition, whole in partitions:
        body.pack("ii", partition, len(whole))
        body.data += whole


def base_offsets(version: int, answer: Reader) -> dict[Partition, int | None]:
    """Return the offset of the first record per partition, from an answer to Produce; None = refused."""
    found: dict[Partition, int | None] = {}
    for _ in range(answer.number("i")):
        topic = answer.string()
        for _ in range(answer.number("i")):
            partition, code, offset = answer.number("i"), answer.number("h"), answer.number("q")
            if version >= 2:
                answer.number("q")
            found[topic, partition] = None if code else offset
    return found


def batch(values: Sequence[bytes], at_ms: int, numbering: Numbering = NOT_IDEMPOTENT) -> bytes:
    """Return a record batch (format v2) of values without keys, all with this timestamp."""
    records = b"".join(_record(value, delta) for delta, value in enumerate(values))
    last = len(values) - 1
    producer = (numbering.producer_id, numbering.epoch, numbering.sequence)
    rest = struct.pack(">hiqqqhii", 0, last, at_ms, at_ms, *producer, len(values)) + records
    head = struct.pack(">ibI", NO_PRODUCER, 2, crc32c.crc32c(rest))
    return struct.pack(">qi", 0, len(head) + len(rest)) + head + rest


def _record(value: bytes, delta: int) -> bytes:
    body = b"\0\0" + _zigzag(delta) + _zigzag(-1) + _zigzag(len(value)) + value + _zigzag(0)
    return _zigzag(len(body)) + body


def _zigzag(number: int) -> bytes:
    """Return a signed number of variable length."""
    return bytes(Writer().varint(number << 1 ^ number >> 31).data)


def message_set(values: Sequence[bytes], at_ms: int | None) -> bytes:
    """Return messages of format v1, or of v0 if there is no timestamp."""
    head = struct.pack(">bb", 0, 0) if at_ms is None else struct.pack(">bbq", 1, 0, at_ms)
    found = []
    for value in values:
        rest = head + struct.pack(">ii", -1, len(value)) + value
        found.append(struct.pack(">qiI", 0, len(rest) + 4, zlib.crc32(rest)) + rest)
    return b"".join(found)
