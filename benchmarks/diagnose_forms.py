"""Forms of a trial's capture, as people have them: one broker alone, a part of the time, with log-ins (SASL).

A capture is that of a trial up to the end of its window (`tests.support.stored_captures`): pcapng with one packet per
block, IPv4. Times are microseconds since 1970.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from probe.diagnose.input.segments import BEFORE_IP, ETHERNET, segment
from probe.protocol.apis import SASL_AUTHENTICATE, SASL_HANDSHAKE
from probe.protocol.compiler import MALFORMED
from probe.protocol.frames import PREFIX
from probe.protocol.tcp_packets import ACK, SYN
from tests.support.protocol_wire import plain, request, response

INTERFACE, ENHANCED, STATISTICS = 1, 6, 5
"""Types of blocks."""
PACKET_AT = 28
"""Position of a packet in its block."""
CORRELATION = 1 << 30
"""Number of the first request of a log-in; no client gets that far in a trial."""
END_TIME = 3
"""The option isb_endtime."""


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a pcapng file."""

    kind: int
    data: bytes

    @property
    def at(self) -> int:
        """Return the time of a packet."""
        high, low = struct.unpack_from("<II", self.data, 12)
        return int(high << 32 | low)

    @property
    def packet(self) -> bytes:
        """Return a packet with its link layer."""
        (size,) = struct.unpack_from("<I", self.data, 20)
        return self.data[PACKET_AT : PACKET_AT + size]

    def holding(self, packet: bytes) -> bytes:
        """Return the block with another packet."""
        body = self.data[8:20] + struct.pack("<II", len(packet), len(packet)) + packet + bytes(-len(packet) % 4)
        size = struct.pack("<I", len(body) + 12)
        return self.data[:4] + size + body + size


def blocks(capture: bytes) -> Iterator[Block]:
    """Yield the blocks of a file."""
    p = 0
    while p < len(capture):
        kind, size = struct.unpack_from("<II", capture, p)
        yield Block(kind, capture[p : p + size])
        p += size


def at_port(capture: bytes, port: int) -> bytes:
    """Return what a capture at one broker's port holds."""

    def is_its(block: Block) -> bool:
        packet, (ip, tcp, _) = block.packet, _places(block.packet, _link(capture))
        return ip >= 0 and port in struct.unpack_from(">HH", packet, tcp)

    return _kept(capture, is_its)


def between(capture: bytes, begin: int, end: int) -> bytes:
    """Return what was recorded between two times; the file says when it ends."""
    return _kept(capture, lambda block: begin <= block.at <= end, end)


def with_log_ins(capture: bytes) -> bytes:
    """Return a capture in which every connection begins with a log-in by PLAIN, whose packets count in its numbers."""
    link, talks, out = _link(capture), {}, []
    for block in blocks(capture):
        places = _places(block.packet, link) if block.kind == ENHANCED else (-1, 0, 0)
        if places[0] < 0:
            out.append(block.data)
            continue
        packet, (_, tcp, _) = block.packet, places
        ports = struct.unpack_from(">HH", packet, tcp)
        if packet[tcp + 13] & (SYN | ACK) == SYN:
            talks[frozenset(ports)] = _Talk(ports[0])
        talk = talks.get(frozenset(ports))
        if talk is not None:
            out += talk.log_in(block, places)
        out.append(block.data if talk is None else block.holding(talk.shifted(packet, places)))
    return b"".join(out)


@dataclass(slots=True)
class _Talk:
    """One connection, and the bytes that were written before its own: the client's, and the broker's."""

    client_port: int
    added: list[int] = field(default_factory=lambda: [0, 0])

    def log_in(self, block: Block, places: tuple[int, int, int]) -> Iterator[bytes]:
        """Yield the packets of a log-in before the first bytes of the client."""
        packet, (_, tcp, start) = block.packet, places
        if any(self.added) or start >= len(packet) or struct.unpack_from(">H", packet, tcp) != (self.client_port,):
            return
        seq, ack = struct.unpack_from(">II", packet, tcp + 4)
        for side, data in enumerate(log_in_frames(_client_id(packet[start:]))):
            asks = side % 2 == 0
            head = bytearray(packet[:start])
            if not asks:
                _turn(head, places)
            own, other = seq + self.added[0], ack + self.added[1]
            own, other = (own, other) if asks else (other, own)
            struct.pack_into(">II", head, tcp + 4, own % 2**32, other % 2**32)
            yield block.holding(_sized(bytes(head) + data, places))
            self.added[not asks] += len(data)

    def shifted(self, packet: bytes, places: tuple[int, int, int]) -> bytes:
        """Return a packet of the connection with numbers that count the log-in."""
        _, tcp, _ = places
        if packet[tcp + 13] & SYN:
            return packet
        asks = struct.unpack_from(">H", packet, tcp) == (self.client_port,)
        own, other = self.added if asks else reversed(self.added)
        seq, ack = struct.unpack_from(">II", packet, tcp + 4)
        out = bytearray(packet)
        struct.pack_into(">II", out, tcp + 4, (seq + own) % 2**32, (ack + other) % 2**32)
        return bytes(out)


def log_in_frames(client_id: str) -> tuple[bytes, bytes, bytes, bytes]:
    """Return requests and answers of a log-in by PLAIN, in their order."""
    mechanism = plain(SASL_HANDSHAKE, 1, "Request", Mechanism="PLAIN")
    known = plain(SASL_HANDSHAKE, 1, "Response", Mechanisms=["PLAIN"])
    token = plain(SASL_AUTHENTICATE, 2, "Request", AuthBytes=b"\0user\0password")
    granted = plain(SASL_AUTHENTICATE, 2, "Response")
    return (
        request(SASL_HANDSHAKE, 1, mechanism, corr=CORRELATION, client_id=client_id),
        response(SASL_HANDSHAKE, 1, known, corr=CORRELATION),
        request(SASL_AUTHENTICATE, 2, token, corr=CORRELATION + 1, client_id=client_id),
        response(SASL_AUTHENTICATE, 2, granted, corr=CORRELATION + 1),
    )


def _client_id(data: bytes) -> str:
    """Return the client id of a request's beginning."""
    (length,) = struct.unpack_from(">h", data, PREFIX + 8) if len(data) >= PREFIX + 10 else (0,)
    return data[PREFIX + 10 : PREFIX + 10 + max(0, length)].decode("utf-8", "replace")


def _kept(capture: bytes, wanted: Callable[[Block], bool], end: int | None = None) -> bytes:
    """Return a file with some of its packets, which ends at a time."""
    out = [
        block.data
        for block in blocks(capture)
        if (wanted(block) if block.kind == ENHANCED else end is None or block.kind != STATISTICS)
    ]
    return b"".join(out if end is None else [*out, ended(end)])


def ended(at: int) -> bytes:
    """Return the block that says when a capture ends."""
    high, low = divmod(at, 1 << 32)
    body = struct.pack("<IIIHHIIHH", 0, high, low, END_TIME, 8, high, low, 0, 0)
    size = struct.pack("<I", len(body) + 12)
    return struct.pack("<I", STATISTICS) + size + body + size


def _link(capture: bytes) -> int:
    """Return the link type of a file with one interface."""
    return next(int(struct.unpack_from("<H", block.data, 8)[0]) for block in blocks(capture) if block.kind == INTERFACE)


def _places(packet: bytes, link: int) -> tuple[int, int, int]:
    """Return where the headers of IP and TCP and the payload begin; -1 each for another packet."""
    try:
        found = segment(link, packet, 0, len(packet), len(packet))
    except MALFORMED:
        return -1, -1, -1
    if isinstance(found, int):
        return -1, -1, -1
    ip = 14 if link == ETHERNET else BEFORE_IP[link]
    return ip, ip + (packet[ip] & 15) * 4, found[4]


def _turn(head: bytearray, places: tuple[int, int, int]) -> None:
    """Exchange both sides of a packet's headers."""
    ip, tcp, _ = places
    head[ip + 12 : ip + 20] = head[ip + 16 : ip + 20] + head[ip + 12 : ip + 16]
    head[tcp : tcp + 4] = head[tcp + 2 : tcp + 4] + head[tcp : tcp + 2]


def _sized(packet: bytes, places: tuple[int, int, int]) -> bytes:
    """Return a packet whose IP header has its length."""
    ip = places[0]
    return packet[: ip + 2] + struct.pack(">H", len(packet) - ip) + packet[ip + 4 :]
