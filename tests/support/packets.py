"""Captures for tests, from an encoder that shares no code with the reader: all link layers, both kinds of files."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import ip_address

from tests.support.protocol_wire import plain, request, response

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
CLIENT, BROKER = ("10.0.0.7", 40_001), ("10.0.0.1", 9092)
START = 1_700_000_000_000_000
"""Microseconds since 1970 of the first packet."""
ETHERNET, NULL, RAW, LOOP, COOKED, COOKED_2 = 1, 0, 101, 108, 113, 276

End = tuple[str, int]


@dataclass(frozen=True)
class Packet:
    """One packet from its IP header on."""

    at: int
    data: bytes
    cut: int = 0
    """Bytes at the end that the capture does not have."""


def tcp(source: End, target: End, seq: int, ack: int, flags: int, data: bytes = b"", options: bytes = b"") -> bytes:
    """Return an IP packet with a TCP segment; check sums are left out, as network cards compute them later."""
    head = struct.pack(
        ">HHIIBBHHH", source[1], target[1], seq % 2**32, ack % 2**32, (5 + len(options) // 4) << 4, flags, 512, 0, 0
    )
    body = head + options + data
    first, second = ip_address(source[0]).packed, ip_address(target[0]).packed
    if len(first) == 16:
        return struct.pack(">IHBB", 6 << 28, len(body), 6, 64) + first + second + body
    return struct.pack(">BBHHHBBH", 0x45, 0, 20 + len(body), 1, 0x4000, 64, 6, 0) + first + second + body


@dataclass
class Talk:
    """Packets of one connection. Times advance by a millisecond."""

    client: End = CLIENT
    broker: End = BROKER
    at: int = START
    seqs: list[int] = field(default_factory=lambda: [0xFFFFFF00, 5000])
    packets: list[Packet] = field(default_factory=list)

    def open(self) -> Talk:
        self._add(0, SYN, step=1)
        self._add(1, SYN | ACK, step=1)
        return self._add(0, ACK)

    def ask(self, data: bytes, size: int = 1448) -> Talk:
        return self._say(0, data, size)

    def answer(self, data: bytes, size: int = 1448) -> Talk:
        return self._say(1, data, size)

    def close(self) -> Talk:
        self._add(0, FIN | ACK, step=1)
        self._add(1, FIN | ACK, step=1)
        return self._add(0, ACK)

    def reset(self) -> Talk:
        return self._add(1, RST | ACK)

    def _say(self, side: int, data: bytes, size: int) -> Talk:
        for start in range(0, len(data), size):
            self._add(side, PSH | ACK, data[start : start + size])
        return self

    def _add(self, side: int, flags: int, data: bytes = b"", step: int = 0) -> Talk:
        ends = (self.client, self.broker) if side == 0 else (self.broker, self.client)
        made = tcp(*ends, self.seqs[side], self.seqs[1 - side] if flags & ACK else 0, flags, data)
        self.packets.append(Packet(self.at, made))
        self.seqs[side] += len(data) + step
        self.at += 1000
        return self


def framed(link: int, packet: bytes, vlan: bool = False) -> bytes:
    """Return a packet with its link layer."""
    six = packet[0] >> 4 == 6
    kind = b"\x86\xdd" if six else b"\x08\x00"
    tagged = b"\x81\x00\x00\x05" + kind if vlan else kind
    heads = {
        ETHERNET: bytes(12) + tagged,
        NULL: struct.pack("<I", 24 if six else 2),
        LOOP: struct.pack(">I", 24 if six else 2),
        RAW: b"",
        COOKED: b"\0\0\x03\x04\0\x06" + bytes(8) + kind,
        COOKED_2: kind + bytes(18),
    }
    return heads[link] + packet


def pcap(
    packets: Iterable[Packet], link: int = ETHERNET, order: str = "<", nano: bool = False, vlan: bool = False
) -> bytes:
    magic, unit = (0xA1B23C4D, 1000) if nano else (0xA1B2C3D4, 1)
    out = [struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262_144, link)]
    for one in packets:
        data = framed(link, one.data, vlan)
        kept = data[: len(data) - one.cut]
        seconds, part = divmod(one.at, 1_000_000)
        out += [struct.pack(order + "IIII", seconds, part * unit, len(kept), len(data)), kept]
    return b"".join(out)


def pcapng(
    packets: Iterable[Packet], link: int = ETHERNET, order: str = "<", power: int = 6, obsolete: bool = False
) -> bytes:
    """Return a file whose times have a resolution of 10 to the power -`power`."""

    def block(kind: int, body: bytes) -> bytes:
        body += bytes(-len(body) % 4)
        size = struct.pack(order + "I", len(body) + 12)
        return struct.pack(order + "I", kind) + size + body + size

    out = [
        block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1)),
        block(1, struct.pack(order + "HHIHHB3xI", link, 0, 0, 9, 1, power, 0)),
        block(4, struct.pack(order + "HH", 0, 0)),
    ]
    for one in packets:
        data = framed(link, one.data)
        kept = data[: len(data) - one.cut]
        high, low = divmod(one.at * 10**power // 10**6, 1 << 32)
        head = (0, 0, high, low) if obsolete else (0, high, low)
        form = "HHIIII" if obsolete else "IIIII"
        out.append(block(2 if obsolete else 6, struct.pack(order + form, *head, len(kept), len(data)) + kept))
    return b"".join(out)


def ordinary(pairs: int = 4, **ends: End) -> Talk:
    """Return a connection that asks for metadata, produces, and is closed."""
    talk = Talk(**ends).open()  # type: ignore[arg-type]  # the ends only
    for corr in range(pairs):
        talk.ask(produce(corr)).answer(produced(corr))
    return talk.close()


def produce(corr: int, records: bytes = b"secret" * 50, version: int = 9) -> bytes:
    body = plain(0, version, "Request", Acks=-1, TimeoutMs=1000)
    body["TopicData"] = [{"Name": "orders", "PartitionData": [{"Index": 2, "Records": records}]}]
    return request(0, version, body, corr=corr, client_id="shop")


def produced(corr: int, code: int = 6, version: int = 9) -> bytes:
    part = {"Index": 2, "ErrorCode": code, "BaseOffset": -1}
    topics = [{"Name": "orders", "PartitionResponses": [part]}]
    return response(0, version, plain(0, version, "Response", Responses=topics), corr=corr)


def twice(packets: Sequence[Packet]) -> list[Packet]:
    """Return every packet two times, as on `lo` with `-i any`."""
    return [one for packet in packets for one in (packet, replace(packet, at=packet.at + 1))]
