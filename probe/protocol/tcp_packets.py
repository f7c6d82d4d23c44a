"""TCP segments in IP packets, as the captures that are written here have them (RFC 791, RFC 8200, RFC 9293)."""

from __future__ import annotations

from struct import pack
from typing import NamedTuple

FIN, SYN, RST, PSH, ACK = 0x01, 0x02, 0x04, 0x08, 0x10
TCP = 6
"""TCP's number in IP headers."""
LINKTYPE_RAW = 101
"""The link type of packets that begin with their IP header: https://www.tcpdump.org/linktypes.html."""
LONGEST = 32 << 10
"""Most bytes of a segment that is written here; less than an IP packet can hold."""
HOPS, WINDOW, NOT_FRAGMENTED = 64, 0xFFFF, 0x4000
_HEAD, _LINE = 20, 5 << 4
"""Bytes of a TCP header without options, and its length as the header has it."""


class End(NamedTuple):
    """One side of a connection."""

    address: bytes
    """4 bytes or 16, by the version of IP."""
    port: int


class Numbers(NamedTuple):
    """Positions in both streams."""

    sent: int
    acknowledged: int = 0


def packet(source: End, target: End, numbers: Numbers, flags: int, data: bytes = b"") -> bytes:
    """Return a packet with one segment and correct checksums."""
    size = _HEAD + len(data)
    addresses = source.address + target.address
    fields = (source.port, target.port, *(number & 0xFFFFFFFF for number in numbers), _LINE, flags, WINDOW)
    around = addresses + pack(">IHH", size, 0, TCP)
    plain = pack(">HHIIBBHHH", *fields, 0, 0)
    segment = pack(">HHIIBBHHH", *fields, _checksum(around + plain + data), 0) + data
    if len(source.address) > 4:
        return pack(">IHBB", 6 << 28, size, TCP, HOPS) + addresses + segment
    ip = (0x45, 0, 20 + size, 0, NOT_FRAGMENTED, HOPS, TCP)
    return pack(">BBHHHBBH", *ip, _checksum(pack(">BBHHHBBH", *ip, 0) + addresses)) + addresses + segment


def _checksum(data: bytes) -> int:
    """Return the checksum of RFC 1071: the sum is the number modulo 65535, which Python computes fast."""
    return 0xFFFF - (int.from_bytes(data + b"\0" * (len(data) % 2), "big") % 0xFFFF)
