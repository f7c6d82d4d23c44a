"""The part of Kafka's wire format that a small client needs. It shares no code with the probe's decoder."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kafka.record import MemoryRecords
from kafka.record.default_records import DefaultRecordBatchBuilder

PRODUCE, FETCH, METADATA, OFFSET_COMMIT, FIND_COORDINATOR = (0, 7), (1, 6), (3, 1), (8, 2), (10, 0)
LIST_OFFSETS, OFFSET_FETCH = (2, 1), (9, 1)
"""(API key, version) pairs, all with header version 1."""
T = TypeVar("T")
MAX_BYTES = 1 << 20
EARLIEST = -2
"""Timestamp that asks for the first offset."""
FETCH_WAIT_MS = 200
TIMEOUT_S = 30.0


class GoneError(Exception):
    """The connection is lost or cannot be opened."""


class RefusedError(Exception):
    """A broker answered with an error code."""

    def __init__(self, code: int) -> None:
        super().__init__(f"error code {code}")
        self.code = code


def text(value: str) -> bytes:
    data = value.encode()
    return struct.pack(">h", len(data)) + data


def array(items: Sequence[bytes]) -> bytes:
    return struct.pack(">i", len(items)) + b"".join(items)


class Reader:
    """A cursor over a response."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 0

    def take(self, form: str) -> int:
        (value,) = struct.unpack_from(f">{form}", self._data, self._at)
        self._at += struct.calcsize(f">{form}")
        return int(value)

    def bytes(self, length: int) -> bytes:
        self._at += max(length, 0)
        return self._data[self._at - max(length, 0) : self._at]

    def text(self) -> str:
        return self.bytes(self.take("h")).decode()

    def each(self) -> Iterable[int]:
        return range(self.take("i"))


class Line:
    """A connection to one broker with one request at a time."""

    def __init__(self, address: tuple[str, int], client_id: str) -> None:
        self._client_id, self._corr = client_id, 0
        try:
            self._socket = socket.create_connection(address, timeout=TIMEOUT_S)
        except OSError as error:
            raise GoneError(str(error)) from None
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, what: tuple[int, int], body: bytes) -> Reader:
        """Send a request and wait for its response. Raises GoneError."""
        self._corr += 1
        frame = struct.pack(">hhi", *what, self._corr) + text(self._client_id) + body
        try:
            self._socket.sendall(struct.pack(">i", len(frame)) + frame)
            (length,) = struct.unpack(">i", self._exactly(4))
            answer = Reader(self._exactly(length))
        except OSError as error:
            raise GoneError(str(error)) from None
        if answer.take("i") != self._corr:
            raise GoneError("a response to another request")
        return answer

    def close(self) -> None:
        self._socket.close()

    def _exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self._socket.recv(count - len(data))
            if not part:
                raise OSError("the broker closed the connection")
            data += part
        return data


@dataclass(frozen=True)
class View:
    """The part of a Metadata response about one topic."""

    brokers: dict[int, tuple[str, int]]
    leaders: dict[int, int]


def metadata(line: Line, topic: str) -> View:
    answer = line.ask(METADATA, array([text(topic)]))
    brokers = {}
    for _ in answer.each():
        node, host, port = answer.take("i"), answer.text(), answer.take("i")
        brokers[node] = (host, port)
        answer.text()
    answer.take("i")
    leaders = {}
    for _ in answer.each():
        answer.take("h"), answer.text(), answer.take("b")
        for _ in answer.each():
            answer.take("h")
            partition, leader = answer.take("i"), answer.take("i")
            leaders[partition] = leader
            for _ in (0, 1):
                answer.bytes(4 * answer.take("i"))
    return View(brokers, leaders)


def produce(line: Line, topic: str, partition: int, value: str, acks: int) -> int:
    """Write a record and return its offset. Raises GoneError, RefusedError."""
    builder = DefaultRecordBatchBuilder(2, 0, 0, -1, -1, -1, MAX_BYTES)
    builder.append(0, int(time.time() * 1000), None, value.encode(), [])
    batch = bytes(builder.build())
    rows = array([struct.pack(">ii", partition, len(batch)) + batch])
    body = struct.pack(">hhi", -1, acks, 10000) + array([text(topic) + rows])
    answer = line.ask(PRODUCE, body)
    answer.take("i"), answer.text(), answer.take("i"), answer.take("i")
    code, offset = answer.take("h"), answer.take("q")
    if code:
        raise RefusedError(code)
    return offset


def fetch(line: Line, topic: str, partition: int, offset: int) -> list[tuple[int, str]]:
    """Return (offset, value) of records from an offset on. Raises GoneError, RefusedError."""
    row = struct.pack(">iqqi", partition, offset, -1, MAX_BYTES)
    body = struct.pack(">iiiib", -1, FETCH_WAIT_MS, 1, MAX_BYTES, 1) + array([text(topic) + array([row])])
    answer = line.ask(FETCH, body)
    answer.take("i"), answer.take("i"), answer.text(), answer.take("i"), answer.take("i")
    code = answer.take("h")
    if code:
        raise RefusedError(code)
    answer.take("q"), answer.take("q"), answer.take("q")
    for _ in range(max(0, answer.take("i"))):
        answer.take("q"), answer.take("q")
    records = MemoryRecords(answer.bytes(answer.take("i")))
    found = []
    while (batch := records.next_batch()) is not None:
        found += [(item.offset, (item.value or b"").decode()) for item in batch if item.offset >= offset]
    return found


def earliest(line: Line, topic: str, partition: int) -> int:
    """Return the first offset of a partition's log. Raises GoneError, RefusedError."""
    body = struct.pack(">i", -1) + array([text(topic) + array([struct.pack(">iq", partition, EARLIEST)])])
    answer = line.ask(LIST_OFFSETS, body)
    answer.take("i"), answer.text(), answer.take("i"), answer.take("i")
    if code := answer.take("h"):
        raise RefusedError(code)
    answer.take("q")
    return answer.take("q")


def committed(line: Line, group: str, topic: str, partition: int) -> int:
    """Return the committed offset of a group, -1 without one. Raises GoneError, RefusedError."""
    answer = line.ask(OFFSET_FETCH, text(group) + array([text(topic) + array([struct.pack(">i", partition)])]))
    answer.take("i"), answer.text(), answer.take("i"), answer.take("i")
    offset = answer.take("q")
    answer.text()
    if code := answer.take("h"):
        raise RefusedError(code)
    return offset


def coordinator(line: Line, group: str) -> tuple[str, int]:
    """Return the address of a group's coordinator. Raises GoneError, RefusedError."""
    answer = line.ask(FIND_COORDINATOR, text(group))
    if code := answer.take("h"):
        raise RefusedError(code)
    answer.take("i")
    return answer.text(), answer.take("i")


def commit(line: Line, group: str, topic: str, offsets: dict[int, int]) -> None:
    """Commit offsets without being a member of the group. Raises GoneError, RefusedError."""
    rows = [struct.pack(">iq", partition, offset) + text("") for partition, offset in offsets.items()]
    body = text(group) + struct.pack(">i", -1) + text("") + struct.pack(">q", -1) + array([text(topic) + array(rows)])
    answer = line.ask(OFFSET_COMMIT, body)
    answer.take("i"), answer.text()
    for _ in answer.each():
        answer.take("i")
        if code := answer.take("h"):
            raise RefusedError(code)
