"""The APIs of share groups (KIP-932) that a small client needs, as `wire` has the others. All are flexible versions."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from kafka.record import MemoryRecords

from tests.support.misbehaving.wire import FETCH_WAIT_MS, MAX_BYTES, Line, Reader, RefusedError

SHARE_GROUP_HEARTBEAT, SHARE_FETCH = (76, 1), (78, 1)
MAX_RECORDS = 10
ACCEPT, RELEASE = 1, 2
NO_TAGS = b"\0"


@dataclass(frozen=True)
class Membership:
    """The answer to a heartbeat."""

    epoch: int
    topics: tuple[bytes, ...] = ()
    """Ids of the topics in a new assignment."""


@dataclass(frozen=True)
class Given:
    """The records that a fetch gave, and the error of what it acknowledged."""

    records: list[tuple[int, str]] = field(default_factory=list)
    """(offset, value)"""
    refused: int = 0


def heartbeat(line: Line, group: str, member: str, epoch: int, topic: str) -> Membership:
    """Tell the coordinator that a member lives; epoch 0 joins. Raises GoneError, RefusedError."""
    subscribed = _array([_text(topic)]) if epoch == 0 else b"\0"
    body = NO_TAGS + _text(group) + _text(member) + struct.pack(">i", epoch) + b"\0" + subscribed + NO_TAGS
    answer = _answer(line, SHARE_GROUP_HEARTBEAT, body)
    _nullable(answer)
    given = answer.take("i")
    answer.take("i")
    if answer.take("b") < 0:
        return Membership(given)
    topics = []
    for _ in _each(answer):
        topics.append(answer.bytes(16))
        for _ in _each(answer):
            answer.take("i")
        answer.take("b")
    return Membership(given, tuple(topics))


def share_fetch(
    line: Line, who: tuple[str, str], epoch: int, topic: bytes, partition: int, acknowledged: Sequence[tuple[int, int]]
) -> Given:
    """Acknowledge (offset, type), then fetch records of one partition. Raises GoneError, RefusedError."""
    group, member = who
    batches = [struct.pack(">qq", offset, offset) + _array([bytes([kind])]) + NO_TAGS for offset, kind in acknowledged]
    row = struct.pack(">i", partition) + _array(batches) + NO_TAGS
    named = _array([topic + _array([row]) + NO_TAGS])
    numbers = struct.pack(">iiiiii", epoch, FETCH_WAIT_MS, 1, MAX_BYTES, MAX_RECORDS, MAX_RECORDS)
    body = NO_TAGS + _text(group) + _text(member) + numbers + named + _array([]) + NO_TAGS
    answer = _answer(line, SHARE_FETCH, body)
    answer.take("i")
    found = Given()
    for _ in _each(answer):
        answer.bytes(16)
        for _ in _each(answer):
            found = _row(answer)
        answer.take("b")
    return found


def _row(answer: Reader) -> Given:
    answer.take("i")
    code = answer.take("h")
    _nullable(answer)
    refused = answer.take("h")
    _nullable(answer)
    answer.take("i"), answer.take("i"), answer.take("b")
    data = answer.bytes(_length(answer))
    offsets = set()
    for _ in _each(answer):
        first, last = answer.take("q"), answer.take("q")
        offsets |= set(range(first, last + 1))
        answer.take("h"), answer.take("b")
    answer.take("b")
    if code:
        raise RefusedError(code)
    return Given([item for item in _records(data) if item[0] in offsets], refused)


def _records(data: bytes) -> Iterable[tuple[int, str]]:
    records = MemoryRecords(data)
    while (batch := records.next_batch()) is not None:
        yield from ((item.offset, (item.value or b"").decode()) for item in batch)


def _answer(line: Line, what: tuple[int, int], body: bytes) -> Reader:
    answer = line.ask(what, body)
    answer.take("b"), answer.take("i")
    code = answer.take("h")
    _nullable(answer)
    if code:
        raise RefusedError(code)
    return answer


def _varint(value: int) -> bytes:
    low = bytes([value & 0x7F | (0x80 if value > 0x7F else 0)])
    return low + (_varint(value >> 7) if value > 0x7F else b"")


def _length(answer: Reader) -> int:
    """Read an unsigned varint, which is one more than a length; null and nothing have 0 items."""
    value = shift = 0
    while True:
        part = answer.take("B")
        value |= (part & 0x7F) << shift
        shift += 7
        if part < 0x80:
            return max(0, value - 1)


def _each(answer: Reader) -> Iterable[int]:
    return range(_length(answer))


def _nullable(answer: Reader) -> None:
    answer.bytes(_length(answer))


def _text(value: str) -> bytes:
    return _varint(len(value.encode()) + 1) + value.encode()


def _array(items: Sequence[bytes]) -> bytes:
    return _varint(len(items) + 1) + b"".join(items)
