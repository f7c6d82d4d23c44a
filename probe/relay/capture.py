"""Bytes that passed through the relay, for `--capture`: kept per connection, written as pcapng for Wireshark. Sans-io.

Payloads and credentials are overwritten (`probe.relay.redaction`). The other bytes, and the times, are those of the
client's side of the relay, where events are stamped. The TCP and IP headers are synthetic: one segment per forwarded
piece, none of them lost, repeated or out of order.
The format: https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-04.html, sections 4.1 to 4.3.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import itemgetter
from struct import pack

from probe.model import Closed, Event, Opened
from probe.model.clock import now_us
from probe.ports import Pcapng
from probe.protocol.conversation import Conversation
from probe.protocol.schemas import Schemas
from probe.protocol.tcp_packets import ACK, FIN, LINKTYPE_RAW, LONGEST, PSH, RST, SYN, End, Numbers, packet
from probe.relay.redaction import ANSWER, ASK, Piece, Plans, blanked

LIMIT = 64 << 20
"""Most bytes that a relay keeps; a comment in the file says if more were dropped."""
CLIENT_PORTS = range(61_000, 65_536)
"""Above the ports that Linux assigns by default, so that a synthetic client port is no listener's."""
COMMENT, IF_NAME, IF_TSRESOL, USERAPPL = 1, 2, 9, 4
MICROSECONDS = b"\x06"

Packet = tuple[int, bytes, str]
"""Microseconds, the packet, a comment."""


@dataclass(eq=False, slots=True)
class ConnectionCapture:
    """The captured bytes of one connection."""

    conn: int
    broker: int
    port: int
    """The relay's port that the client connected to."""
    client_id: str = ""
    opened: int = -1
    closed: int = -1
    by: str = ""
    pieces: list[Piece] = field(default_factory=list)
    """(microseconds, `ASK` or `ANSWER`, bytes), in order."""


class Capture:
    """Keeps the bytes that one relay forwards."""

    def __init__(self, schemas: Schemas, limit: int = LIMIT) -> None:
        self._plans = Plans(schemas)
        self._left = limit
        self._limit = limit
        self._cut = False
        self._tapes: dict[int, ConnectionCapture] = {}
        self._since_1970 = time.time_ns() // 1000 - now_us()
        """Microseconds to add to our clock for the time of day; the same for every packet."""

    def begin(self, conn: int, broker: int, port: int) -> ConnectionCapture:
        """Start the capture of a connection."""
        tape = self._tapes[conn] = ConnectionCapture(conn, broker, port)
        return tape

    def take(self, tape: ConnectionCapture, at: int, proxy: int, data: bytes) -> None:
        """Keep forwarded bytes."""
        if tape.conn not in self._tapes:
            return
        if self._cut or len(data) > self._left:  # bytes after a gap could not be decoded
            self._cut = True
            return
        self._left -= len(data)
        tape.pieces.append((at, proxy, data))

    def note(self, event: Event) -> None:
        """Keep when a connection began or ended."""
        if not isinstance(event, Opened | Closed) or event.conn not in self._tapes:
            return
        tape = self._tapes[event.conn]
        if isinstance(event, Opened):
            tape.opened = event.at
        else:
            tape.closed, tape.by = event.at, event.by

    def hand_out(self, names: Sequence[str] = ()) -> Pcapng:
        """Remove the captures of these clients (all, without names), and return a function that writes them."""
        mine = [tape for tape in self._tapes.values() if not names or _belongs(tape.client_id, names)]
        for tape in mine:
            del self._tapes[tape.conn]
            self._left += sum(len(data) for _, _, data in tape.pieces)
        cut = f"Only the first {self._limit >> 20} MiB were captured." if self._cut else ""
        self._cut = self._cut and bool(self._tapes)

        def written(comment: str) -> bytes:
            kept = [replace(tape, pieces=blanked(tape.pieces, self._plans)) for tape in mine]
            return pcapng(kept, "\n".join(filter(None, (comment, cut))), self._since_1970)

        return written


def _belongs(client_id: str, names: Iterable[str]) -> bool:
    """Return whether a client id is one of these, or one with a dash and a suffix, as of second instances."""
    return any(client_id == name or client_id.startswith(f"{name}-") for name in names)


class CapturingConversation(Conversation):
    """A conversation that is captured."""

    capture: Capture
    tape: ConnectionCapture

    def keep(self, capture: Capture, port: int) -> CapturingConversation:
        """Start the capture and return this conversation."""
        self.capture, self.tape = capture, capture.begin(self.conn, self.broker, port)
        return self

    def client_bytes(self, data: bytes, at: int) -> list[Event]:
        """Take bytes that the client sent."""
        self.capture.take(self.tape, at, ASK, bytes(data))
        found = super().client_bytes(data, at)
        self.tape.client_id = self.client_id
        return found

    def broker_bytes(self, data: bytes, at: int) -> list[Event]:
        """Take bytes that were forwarded to the client."""
        self.capture.take(self.tape, at, ANSWER, bytes(data))
        return super().broker_bytes(data, at)


def pcapng(tapes: Sequence[ConnectionCapture], comment: str, since_1970: int = 0) -> bytes:
    """Return connections as a pcapng file; `since_1970` microseconds turn their clock into the time of day."""
    ports = sorted({tape.port for tape in tapes})
    decode = "".join(f" -d tcp.port=={port},kafka" for port in ports)
    about = f"{comment}\nTCP and IP headers are synthetic. To decode: tshark -r FILE{decode}"
    packets = sorted(chain.from_iterable(map(_packets, tapes)), key=itemgetter(0))
    return b"".join(chain((_section(about), _interface()), (_enhanced(one, since_1970) for one in packets)))


def _packets(tape: ConnectionCapture) -> Iterator[Packet]:
    """Yield the synthetic segments of a connection."""
    start = tape.opened if tape.opened >= 0 else tape.pieces[0][0] if tape.pieces else tape.closed
    if start < 0:
        return
    sent = [0, 0]
    about = f"connection {tape.conn} to broker {tape.broker}, client id {tape.client_id or 'unknown'}"
    yield start, _segment(tape, ASK, SYN, sent), about
    sent[ASK] = 1
    yield start, _segment(tape, ANSWER, SYN | ACK, sent), ""
    sent[ANSWER] = 1
    yield start, _segment(tape, ASK, ACK, sent), ""
    for at, proxy, data in tape.pieces:
        for begin in range(0, len(data), LONGEST):
            part = data[begin : begin + LONGEST]
            yield at, _segment(tape, proxy, PSH | ACK, sent, part), ""
            sent[proxy] += len(part)
    yield from _ending(tape, sent)


def _ending(tape: ConnectionCapture, sent: list[int]) -> Iterator[Packet]:
    """Yield the last segments: a reset by the relay, or a FIN of each side, of the first to close first."""
    if tape.closed < 0:
        return
    if tape.by == "relay":
        yield tape.closed, _segment(tape, ANSWER, RST | ACK, sent), "cut by the relay"
        return
    first = ASK if tape.by == "client" else ANSWER
    for proxy in (first, 1 - first):
        yield tape.closed, _segment(tape, proxy, FIN | ACK, sent), f"ended by the {tape.by}" if proxy is first else ""
        sent[proxy] += 1


def _segment(tape: ConnectionCapture, proxy: int, flags: int, sent: Sequence[int], data: bytes = b"") -> bytes:
    row, column = divmod(tape.conn, len(CLIENT_PORTS))
    ours = End(pack(">BBBB", 127, 0, row & 0xFF, 1), CLIENT_PORTS[column])
    theirs = End(b"\x7f\x00\x00\x01", tape.port)
    source, target = (ours, theirs) if proxy == ASK else (theirs, ours)
    return packet(source, target, Numbers(sent[proxy], sent[1 - proxy] if flags & ACK else 0), flags, data)


def _section(comment: str) -> bytes:
    body = pack("<IHHq", 0x1A2B3C4D, 1, 0, -1)
    return _block(0x0A0D0D0A, body + _options((COMMENT, _text(comment)), (USERAPPL, b"kafka metadata probe")))


def _interface() -> bytes:
    body = pack("<HHI", LINKTYPE_RAW, 0, 0)
    return _block(1, body + _options((IF_NAME, b"relay"), (IF_TSRESOL, MICROSECONDS)))


def _enhanced(stamped: Packet, since_1970: int) -> bytes:
    at, data, comment = stamped
    high, low = divmod(at + since_1970, 1 << 32)
    body = pack("<IIIII", 0, high, low, len(data), len(data)) + _padded(data)
    return _block(6, body + (_options((COMMENT, _text(comment))) if comment else b""))


def _options(*options: tuple[int, bytes]) -> bytes:
    return b"".join(pack("<HH", code, len(value)) + _padded(value) for code, value in options) + pack("<HH", 0, 0)


def _text(text: str) -> bytes:
    return text.encode("utf-8", "replace")[:0xFFFF]


def _block(kind: int, body: bytes) -> bytes:
    size = pack("<I", len(body) + 12)
    return pack("<I", kind) + size + body + size


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)
