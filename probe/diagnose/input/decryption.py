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

from probe.diagnose.input.segments import ACK, FIN, RST, SYN

FIELDS = (
    "frame.time_epoch", "tcp.stream", "ip.src", "ipv6.src", "tcp.srcport", "ip.dst", "ipv6.dst", "tcp.dstport",
    "tcp.seq_raw", "tcp.ack_raw", "tcp.flags", "tcp.payload", "data.data",
)  # fmt: skip
"""Fields of tshark 3.2 and later, one column each; several values of one are separated by commas."""
STREAM_FIELDS = ("tcp.stream", "data.data")
"""Fields of packets with TLS, which show the connections that can be decrypted."""
SEPARATOR = "\t"
RAW_IP = 101
"""The link type of packets that begin with their IP header (LINKTYPE_RAW)."""
PIECE = 32_768
"""Most bytes of a segment, below the longest IP packet."""
_TCP_HEAD, _TCP = 20, 6


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
    return pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262_144, RAW_IP)


def plain_packets(lines: Iterable[str], readable: frozenset[str]) -> Iterator[bytes]:
    """Yield the records of a pcap file, of lines with `FIELDS`. Lines without all numbers, as of UDP, are left out."""
    numbers: defaultdict[tuple[str, str, int], int] = defaultdict(int)
    for line in lines:
        columns = line.rstrip("\n").split(SEPARATOR)
        if len(columns) != len(FIELDS) or not all((columns[0], columns[1], columns[4], columns[8])):
            continue
        yield from _records(columns, readable, numbers)


def _records(
    columns: list[str], readable: frozenset[str], numbers: defaultdict[tuple[str, str, int], int]
) -> Iterator[bytes]:
    *heads, payload, data = columns
    outer = (text.partition(",")[0] for text in heads)  # of a tunnel: as the capture's reader takes it
    at, stream, source_4, source_6, source, target_4, target_6, target, seq, ack, flags = outer
    ends = source_4 or source_6, int(source), target_4 or target_6, int(target)
    seconds, _, part = at.partition(".")
    when = pack("<II", int(seconds), int(f"{part:0<6.6}"))
    bits = int(flags, 16)
    if stream not in readable:
        yield _record(when, _packet(ends, int(seq), int(ack or 0), bits, _bytes(payload)))
        return
    own, theirs = (stream, *ends[:2]), (stream, *ends[2:])
    if bits & SYN:
        numbers[own] = int(seq)
    plain = _bytes(data)
    pieces = [plain[start : start + PIECE] for start in range(0, len(plain), PIECE)]
    if not pieces and bits & (SYN | FIN | RST):
        pieces = [b""]
    for left, piece in zip(reversed(range(len(pieces))), pieces, strict=True):
        kept = bits & ~(FIN | RST) if left else bits
        yield _record(when, _packet(ends, numbers[own], numbers[theirs] if kept & ACK else 0, kept, piece))
        numbers[own] = (numbers[own] + len(piece) + bool(kept & SYN) + bool(kept & FIN)) % 2**32


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace(",", "").replace(":", ""))


def _packet(ends: tuple[str, int, str, int], seq: int, ack: int, flags: int, data: bytes) -> bytes:
    source, source_port, target, target_port = ends
    head = pack(">HHIIBBHHH", source_port, target_port, seq, ack, 5 << 4, flags & 0xFF, 512, 0, 0)
    addresses = ip_address(source).packed + ip_address(target).packed
    size = _TCP_HEAD + len(data)
    if len(addresses) > 8:
        return pack(">IHBB", 6 << 28, size, _TCP, 64) + addresses + head + data
    return pack(">BBHHHBBH", 0x45, 0, 20 + size, 1, 0x4000, 64, _TCP, 0) + addresses + head + data


def _record(when: bytes, packet: bytes) -> bytes:
    return when + pack("<II", len(packet), len(packet)) + packet
