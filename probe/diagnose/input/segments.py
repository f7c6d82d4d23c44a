"""TCP segments out of packets: link layers, IPv4 and IPv6.

Link types: https://www.tcpdump.org/linktypes.html. Headers: RFC 791, RFC 8200, RFC 9293.
"""

from __future__ import annotations

from socket import AF_INET, AF_INET6, inet_ntop
from struct import Struct

from probe.protocol.tcp_packets import TCP

ETHERNET, COOKED, COOKED_2 = 1, 113, 276
BEFORE_IP = {0: 4, 108: 4, 12: 0, 14: 0, 101: 0, 228: 0, 229: 0}
"""Link type to the bytes before the IP header: BSD loopback, OpenBSD loopback, raw IP under its five numbers."""
_VLAN = frozenset({b"\x81\x00", b"\x88\xa8", b"\x91\x00"})
_IPV4 = b"\x08\x00"
_IP = frozenset({_IPV4, b"\x86\xdd"})
_TYPE_AT = {ETHERNET: (12, 14), COOKED: (14, 16), COOKED_2: (0, 20)}
"""Position of the protocol's number, and of what follows the header."""

_LENGTHS = {0: 8, 43: 8, 60: 8, 51: 4}
"""IPv6 extension headers that can be passed over, to the unit of their length."""
_FRAGMENT = 44
_UNKNOWN = -2
_V4 = Struct(">HHH").unpack_from
_HEAD = Struct(">IIBB").unpack_from

Segment = tuple[bytes, int, int, int, int, int, int]
"""Addresses and ports of both sides, sequence number, acknowledged number, flags, start and end of the captured
payload, length of the payload on the wire."""
NO_TCP, UNKNOWN_LINK, IN_FRAGMENTS, SHORT = -1, -2, -3, -4
"""Why a packet gives no segment."""


def segment(link: int, data: bytes, p: int, end: int, wire: int) -> Segment | int:
    """Return the segment in `data[p:end]`, of `wire` bytes on the wire, or why there is none."""
    plain = link == ETHERNET and data[p + 12 : p + 14] == _IPV4  # what most packets are
    ip = p + 14 if plain else _network(link, data, p, end)
    if ip < 0 or ip + 20 > end:
        return UNKNOWN_LINK if ip == _UNKNOWN else NO_TCP
    read = _READERS.get(data[ip] >> 4, _no_ip)
    kind, t, addresses, stop = read(data, ip, end)
    if kind != TCP:
        return kind
    if t + 20 > end:
        return SHORT
    seq, ack, offset, flags = _HEAD(data, t + 4)
    start = t + (offset >> 4) * 4
    if stop < 0:  # the network card cuts the packet later
        stop = p + wire
    if start > stop:
        return NO_TCP
    return addresses + data[t : t + 4], seq, ack, flags, min(start, end), min(end, stop), stop - start


Transport = tuple[int, int, bytes, int]
"""TCP, or why there is none; its position; both addresses; the end of the IP packet, -1 where its header has none."""


def _v4(data: bytes, ip: int, _: int) -> Transport:
    total, _, part = _V4(data, ip + 2)
    kind = NO_TCP if data[ip + 9] != TCP else IN_FRAGMENTS if part & 0x3FFF else TCP
    return kind, ip + (data[ip] & 15) * 4, data[ip + 12 : ip + 20], ip + total if total else -1


def _v6(data: bytes, ip: int, end: int) -> Transport:
    if ip + 40 > end:
        return NO_TCP, 0, b"", 0
    kind, t = _transport(data, ip, end)
    if kind != TCP:
        kind = IN_FRAGMENTS if kind == _FRAGMENT else NO_TCP
    total = data[ip + 4] << 8 | data[ip + 5]
    return kind, t, data[ip + 8 : ip + 40], ip + 40 + total if total else -1


def _no_ip(*_: object) -> Transport:
    return NO_TCP, 0, b"", 0


_READERS = {4: _v4, 6: _v6}


def _network(link: int, data: bytes, p: int, end: int) -> int:
    """Return the position of the IP header; negative for other protocols, `_UNKNOWN` for an unknown link type."""
    if link in BEFORE_IP:
        return p + BEFORE_IP[link]
    if link not in _TYPE_AT:
        return _UNKNOWN
    at, after = _TYPE_AT[link]
    kind = data[p + at : p + at + 2]
    p += after
    while kind in _VLAN and p + 4 <= end:
        kind = data[p + 2 : p + 4]
        p += 4
    return p if kind in _IP else -1


def _transport(data: bytes, ip: int, end: int) -> tuple[int, int]:
    """Return the number of the protocol behind the IPv6 header and its extensions, and its position."""
    kind, t = data[ip + 6], ip + 40
    while kind in _LENGTHS and t + 8 <= end:
        unit = _LENGTHS[kind]
        kind, t = data[t], t + 8 + data[t + 1] * unit
    if kind == _FRAGMENT and t + 8 <= end and not (data[t + 2] << 8 | data[t + 3]) & 0xFFF9:
        kind, t = data[t], t + 8
    return kind, t


def reversed_key(key: bytes) -> bytes:
    """Return the key of the other direction."""
    half = (len(key) - 4) // 2
    return key[half:-4] + key[:half] + key[-2:] + key[-4:-2]


def sender(key: bytes) -> tuple[str, int]:
    """Return address and port of the side that sends."""
    half = (len(key) - 4) // 2
    return inet_ntop(AF_INET if half == 4 else AF_INET6, key[:half]), int.from_bytes(key[-4:-2], "big")
