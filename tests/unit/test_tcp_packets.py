"""Packets that are written for captures: the fields that a reader finds, and checksums by the sum of RFC 1071."""

from __future__ import annotations

from ipaddress import ip_address
from struct import pack, unpack

import pytest

from probe.diagnose.input.segments import segment
from probe.protocol.tcp_packets import ACK, LINKTYPE_RAW, PSH, TCP, End, Numbers, packet

ENDS = [("10.0.0.7", "10.0.0.1"), ("fd00::7", "fd00::1")]


def sum_of(data: bytes) -> int:
    """Return the sum of 16-bit words with its carries, which is 0xFFFF over what has a correct checksum."""
    total = sum(unpack(f">{(len(data) + 1) // 2}H", data + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total


@pytest.mark.parametrize(("source", "target"), ENDS)
@pytest.mark.parametrize("data", [b"", b"odd", b"even", bytes(range(256)) * 100])
def test_a_reader_finds_the_fields_and_the_checksums_are_right(source: str, target: str, data: bytes) -> None:
    ends = [End(ip_address(text).packed, port) for text, port in ((source, 40_001), (target, 9092))]
    made = packet(*ends, Numbers(2**32 + 7, 11), PSH | ACK, data)
    addresses = b"".join(end.address for end in ends)
    start = len(made) - len(data)
    key = addresses + pack(">HH", 40_001, 9092)
    assert segment(LINKTYPE_RAW, made, 0, len(made), len(made)) == (key, 7, 11, PSH | ACK, start, len(made), len(data))
    tcp = made[start - 20 :]
    assert sum_of(addresses + pack(">IHH", len(tcp), 0, TCP) + tcp) == 0xFFFF
    assert made[0] >> 4 == 6 or sum_of(made[:20]) == 0xFFFF
