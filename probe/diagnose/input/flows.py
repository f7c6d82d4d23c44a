"""One captured TCP connection: its two directions, which side is the client, whether it speaks Kafka, its events."""

from __future__ import annotations

from probe.diagnose.input.boundaries import HEADER_SIZE, begins_request, is_alert, is_tls, request_start
from probe.diagnose.input.capture_connection import Overheard
from probe.diagnose.input.registry import Registry
from probe.diagnose.input.segments import sender
from probe.diagnose.observation import Mismatch, Source
from probe.model import Closed, Event, Opened
from probe.model.endpoint import Endpoint
from probe.protocol.frames import PREFIX

ENCRYPTED, OTHER, AMONG = "encrypted (TLS)", "not Kafka", "among brokers"
LOST, CUT_OFF = "lost in the capture", "cut off by the capture (snaplen)"
ENOUGH = PREFIX + HEADER_SIZE
"""Bytes of a client by which its first request is recognised."""
SEARCHED = 100
"""Pieces of a connection that are searched for a request. Of later ones only the start is looked at."""
TLS_RECORDS = 3
"""Pieces that begin with a record of TLS after which a connection counts as encrypted."""


HANDSHAKE_RECORD = 22
"""Content type of TLS records by which a client begins (RFC 8446, section 5.1)."""
SOON_US = 1_000_000
"""Time before now from which events may come."""


class Stream:
    """One direction of a connection."""

    __slots__ = ("acked", "flow", "held", "held_bytes", "key", "next", "peer", "start")

    def __init__(self, key: bytes) -> None:
        self.key = key
        self.flow: Flow
        self.peer: Stream
        self.next = -1
        """Sequence number of the next byte, -1 before the first."""
        self.start = -1
        """Sequence number of the first byte, -1 if it is not known."""
        self.held: dict[int, tuple[int, bytes, int]] = {}
        """Segments that wait: time, captured payload, length on the wire, by sequence number."""
        self.held_bytes = 0
        self.acked = -1
        """Sequence number up to which the other side has acknowledged, -1 before it did."""


class Flow:
    """A connection. `state` is what is known of it: nothing yet, Kafka's protocol, or a reason to ignore it."""

    __slots__ = (
        "_began", "_first", "_hello", "_pieces", "_registry", "_tls", "client", "closed_by", "file", "ignored",
        "last_at", "number", "opened_at", "streams", "talk",
    )  # fmt: skip

    def __init__(self, registry: Registry, file: str, at: int) -> None:
        self._registry, self.file = registry, file
        self.streams: tuple[Stream, Stream]
        self.client: Stream | None = None
        self.talk: Overheard | None = None
        self.number = 0
        """Number of the connection, 0 as long as nothing is known to be Kafka's."""
        self.opened_at = -1
        self.closed_by = ""
        """Side that ended it first."""
        self.ignored = ""
        """Why it is not decoded."""
        self.last_at = at
        self._began = False
        self._first: bytes | None = None
        self._pieces = self._tls = 0
        self._hello = False
        """The client began with TLS, and was not answered."""

    def begin(self, client: Stream, at: int) -> None:
        """Take note of the first packet of the connection."""
        self.client = client
        if self.opened_at < 0:
            self.opened_at, self._began, self._first = at, True, b""

    def take(self, stream: Stream, at: int, data: bytes, out: list[Event]) -> None:
        """Process the next bytes of one side."""
        talk = self.talk
        if talk is None:
            if self._hello and stream is not self.client:
                self._ignore(ENCRYPTED)
            elif not (self._hello or self.ignored):
                self._recognise(stream, at, data, out)
            return
        if stream is not self.client and not talk.responses and is_alert(data):
            self._alert(talk, at, out)
            return
        out += talk.client_bytes(data, at) if stream is self.client else talk.broker_bytes(data, at)
        if talk.log_in != self._registry.connections[self.number].log_in:
            self._registry.note(self.number, log_in=talk.log_in)
        if talk.among_brokers and self.client is not None:
            self._registry.among_brokers.add((sender(self.client.key)[0], talk.client_id))
            self._ignore(AMONG)

    def lose(self, stream: Stream, at: int, count: int, out: list[Event], reason: str = LOST) -> None:
        """Take note of bytes of one side that the capture lacks."""
        if self.talk is not None:
            self._registry.leave(self.file, reason, "bytes", count)
            out += self.talk.lose(count, at, client=stream is self.client)
        elif stream is self.client:
            self._first = None

    def end(self, at: int, out: list[Event]) -> None:
        """Process the end of the connection, or of the capture. `closed_by` is empty if the connection goes on."""
        if self.talk is not None:
            out += self.talk.tick(at, final=True)
            self._registry.keep(self.talk.handshake())
            if self.closed_by:
                out.append(Closed(at=at, conn=self.number, broker=self.talk.broker, by=self.closed_by))
        elif self._hello and not self.ignored:
            self._unanswered(at, out)
        elif not self.ignored and self._pieces:
            self._ignore(ENCRYPTED if self._tls else OTHER)
        self.talk = None

    def _recognise(self, stream: Stream, at: int, data: bytes, out: list[Event]) -> None:
        self._pieces += 1
        if self._first is None:
            self._search(stream, at, data, out)
        elif stream is self.client:
            self._first += data
            if len(self._first) >= ENOUGH or is_tls(self._first):
                self._decide(at, self._first, out)

    def _decide(self, at: int, first: bytes, out: list[Event]) -> None:
        """Recognise the protocol by the first bytes of the client."""
        self._first = None
        if is_tls(first):
            self._hello = first[0] == HANDSHAKE_RECORD
            if not self._hello:
                self._ignore(ENCRYPTED)
        elif begins_request(first, 0, self._registry.lenient) < 0:
            self._ignore(OTHER)
        else:
            self._start(at, first, out)

    def _search(self, stream: Stream, at: int, data: bytes, out: list[Event]) -> None:
        """Search for a request in a connection whose beginning is not in the capture."""
        if is_tls(data):
            self._tls += 1
            if self._tls >= TLS_RECORDS:
                self._ignore(ENCRYPTED)
        elif self.client in {None, stream}:
            registry = self._registry
            start = request_start(data, registry.ranges, registry.schemas, within=self._pieces <= SEARCHED)
            if start >= 0:
                self.client, self._began = stream, False
                self._start(at, data[start:], out)

    def _start(self, at: int, data: bytes, out: list[Event]) -> None:
        client = self.client
        assert client is not None
        registry = self._registry
        address = str(_endpoint(client.peer.key))
        broker = registry.broker(address)
        number = registry.next_number()
        talk = Overheard(number, broker, registry.schemas, registry.names, registry.sessions(broker), registry.ranges)
        talk.nodes = registry.nodes
        if not self._began:
            talk.seek(client=False)
        events = talk.client_bytes(data, at)
        if talk.among_brokers:
            registry.among_brokers.add((sender(client.key)[0], talk.client_id))
            self._ignore(AMONG)
            return
        registry.add(Source.CAPTURE, self.file, sender(client.key), address, began=self._began)
        self.talk, self.number = talk, number
        if self._began:
            out.append(Opened(at=self.opened_at, conn=number, broker=broker))
        out += events

    def _alert(self, talk: Overheard, at: int, out: list[Event]) -> None:
        """Note that a listener with TLS said no to a plaintext client, with which the connection ends."""
        self._registry.note(self.number, mismatch=Mismatch.PLAINTEXT_TO_TLS)
        self._registry.keep(talk.handshake())
        out += talk.tick(at, final=True)
        out.append(Closed(at=at, conn=self.number, broker=talk.broker, by="broker"))
        self.ignored, self.talk = Mismatch.PLAINTEXT_TO_TLS, None

    def _unanswered(self, at: int, out: list[Event]) -> None:
        """Note a connection that ends without an answer to its ClientHello.

        A plaintext listener of Kafka takes it for a size that is too large, and ends the connection at once
        (`org.apache.kafka.common.network.NetworkReceive`).
        """
        assert self.client is not None
        address = str(_endpoint(self.client.peer.key))
        if self.closed_by != "broker" and not (self.closed_by and self._registry.is_broker(address)):
            self._ignore(ENCRYPTED)
            return
        began = max(self.opened_at, at - SOON_US)
        added = self._registry.add(Source.CAPTURE, self.file, sender(self.client.key), address, began=True)
        self._registry.note(added.conn, mismatch=Mismatch.TLS_TO_PLAINTEXT)
        out.append(Opened(at=began, conn=added.conn, broker=added.broker))
        out.append(Closed(at=at, conn=added.conn, broker=added.broker, by=self.closed_by))

    def _ignore(self, reason: str) -> None:
        self.ignored, self.talk, self._first = reason, None, None
        self._registry.leave(self.file, reason, "connections")


def _endpoint(key: bytes) -> Endpoint:
    host, port = sender(key)
    return Endpoint(host=host, port=port)
