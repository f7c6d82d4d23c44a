"""Captures whose TLS tshark decrypts by a key log: its fields of each packet to a capture of plain connections. Pure.

tshark puts segments in order and decrypts records. A connection of which it decrypts anything becomes one without TLS:
its plain bytes are segments with numbers of their own, at the time of the packet that completed a record. Any other
connection stays as it was captured.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from struct import pack
from typing import NamedTuple

from probe.protocol.tcp_packets import ACK, FIN, LINKTYPE_RAW, LONGEST, RST, SYN, End, Numbers, packet

FIELDS = (
    "frame.time_epoch", "tcp.stream", "ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport",
    "tcp.seq_raw", "tcp.ack_raw", "tcp.flags", "tcp.payload", "data.data",
)  # fmt: skip
"""Fields of tshark 3.2 and later, one column each; several values of one are separated by commas."""
STREAM_FIELDS = ("tcp.stream", "data.data")
"""Fields of packets with TLS, which show the connections that can be decrypted."""
SEPARATOR = "\t"


class Streams(NamedTuple):
    """Connections over TLS, by tshark's numbers."""

    encrypted: frozenset[str]
    readable: frozenset[str]
    """Those of which something could be decrypted."""


def streams_of(lines: Iterable[str]) -> Streams:
    """Return the connections over TLS, of lines with `STREAM_FIELDS`."""
    encrypted, readable = set(), set()
    for line in lines:
        stream, _, data = line.rstrip("\n").partition(SEPARATOR)
        encrypted.add(stream)
        if data:
            readable.add(stream)
    return Streams(frozenset(encrypted - {""}), frozenset(readable - {""}))


def pcap_head() -> bytes:
    """Return the beginning of a pcap file with times in microseconds."""
    return pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, LINKTYPE_RAW)


def plain_packets(lines: Iterable[str], readable: frozenset[str]) -> Iterator[bytes]:
    """Yield the records of a pcap file, of lines with `FIELDS`. Lines without all numbers, as of UDP, are left out."""
    numbers: defaultdict[tuple[str, End], int] = defaultdict(int)
    for line in lines:
        columns = line.rstrip("\n").split(SEPARATOR)
        if len(columns) != len(FIELDS) or not all((columns[0], columns[1], columns[4], columns[8])):
            continue
        yield from _records(columns, readable, numbers)


def _records(
    columns: list[str], readable: frozenset[str], numbers: defaultdict[tuple[str, End], int]
) -> Iterator[bytes]:
    *heads, payload, data = columns
    outer = (text.partition(",")[0] for text in heads)  # of a tunnel: as the capture's reader takes it
    at, stream, source_4, source_6, source, target_4, target_6, target, seq, ack, flags = outer
    ends = _end(source_4 or source_6, source), _end(target_4 or target_6, target)
    seconds, _, part = at.partition(".")
    when = pack("<II", int(seconds), int(f"{part:0<6.6}"))
    bits = int(flags, 16) & 0xFF
    if stream not in readable:
        yield _record(when, packet(*ends, Numbers(int(seq), int(ack or 0)), bits, _bytes(payload)))
        return
    own, theirs = ((stream, end) for end in ends)
    if bits & SYN:
        numbers[own] = int(seq)
    plain = _bytes(data)
    pieces = [plain[start : start + LONGEST] for start in range(0, len(plain), LONGEST)]
    if not pieces and bits & (SYN | FIN | RST):
        pieces = [b""]
    for left, piece in zip(reversed(range(len(pieces))), pieces, strict=True):
        kept = bits & ~(FIN | RST) if left else bits
        at_both = Numbers(numbers[own], numbers[theirs] if kept & ACK else 0)
        yield _record(when, packet(*ends, at_both, kept, piece))
        numbers[own] = (numbers[own] + len(piece) + bool(kept & SYN) + bool(kept & FIN)) % 2**32


def _end(address: str, port: str) -> End:
    return End(ip_address(address).packed, int(port))


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace(",", "").replace(":", ""))


def _record(when: bytes, data: bytes) -> bytes:
    return when + pack("<II", len(data), len(data)) + data
