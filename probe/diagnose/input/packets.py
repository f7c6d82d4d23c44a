"""Packets of capture files, pcap and pcapng.

The formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. A file that is cut or damaged ends there, and its
`damage` says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from struct import Struct

from probe.diagnose.input.files import PCAPS, Format
from probe.diagnose.input.time_merge import Readable

CHUNK = 1 << 20
"""Bytes that are read at once."""
LONGEST = 16 << 20
"""Most bytes of a packet or block. Packets that network cards put together have at most 256 KiB."""
LATEST = 4_102_444_800_000_000
"""The year 2100. A packet with a later time is damaged, and has that of the packet before."""
CUT = "it ends within a packet"

Packet = tuple[int, int, bytes, int, int, int, str]
"""Microseconds since 1970, link type, bytes with the packet's start and end, its length on the wire, file's name."""

_PCAP_HEAD, _SECTION, _BLOCK = 24, b"\x0a\x0d\x0d\x0a", 12
_INTERFACE, _SIMPLE, _ENHANCED, _OLD, _STATISTICS = 1, 3, 6, 2, 5
_SELDOM = frozenset({_SIMPLE, _OLD, _STATISTICS})
_ORDERS = {b"\x4d\x3c\x2b\x1a": "<", b"\x1a\x2b\x3c\x4d": ">"}
_UNIT, _OFFSET, _END_TIME = 9, 14, 3
"""Options of an interface: if_tsresol, if_tsoffset; of its statistics: isb_endtime."""
_MILLION = 1_000_000


def read_packets(file: Readable) -> Iterator[Packet]:
    """Yield the packets of a capture, in their order in the file."""
    return _pcapng(file) if file.format is Format.PCAPNG else _pcap(file)


def _read_exactly(file: Readable, count: int) -> bytes:
    data = b""
    while len(data) < count and (more := file.read(count - len(data))):
        data += more
    return data


def _pcap(file: Readable) -> Iterator[Packet]:
    head = _read_exactly(file, _PCAP_HEAD)
    if len(head) < _PCAP_HEAD:
        file.damage = file.damage or "it ends within its header"
        return
    kind = PCAPS.index(head[:4])
    order = "<" if kind % 2 else ">"
    parts = 1 if kind < 2 else 1000
    link = Struct(order + "I").unpack_from(head, 20)[0] & 0xFFFF
    record = Struct(order + "IIII").unpack_from
    data, p, name = b"", 0, file.name
    while chunk := file.read(CHUNK):
        data, p = data[p:] + chunk, 0
        size = len(data)
        while size - p >= 16:
            seconds, part, kept, wire = record(data, p)
            if kept > LONGEST:
                file.damage = f"a packet of {kept} bytes is declared"
                return
            start = p + 16
            if start + kept > size:
                break
            p = start + kept
            yield seconds * _MILLION + part // parts, link, data, start, p, wire, name
    if p < len(data):
        file.damage = file.damage or CUT


class _Section:
    """Properties of the current section: byte order and interfaces."""

    def __init__(self) -> None:
        self.begin("<")

    def begin(self, order: str) -> None:
        self.order = order
        self.block = Struct(order + "II").unpack_from
        self.enhanced = Struct(order + "IIIII").unpack_from
        self.interfaces: list[tuple[int, int, int]] = []
        """Link type, time units per second, microseconds to add."""

    def add_interface(self, body: bytes) -> None:
        """Read an interface description block. Raises struct.error, IndexError where it does not fit."""
        (link,) = Struct(self.order + "H").unpack_from(body)
        units, offset, p = _MILLION, 0, 8
        option = Struct(self.order + "HH").unpack_from
        while p + 4 <= len(body):
            code, size = option(body, p)
            if code == _UNIT and size == 1:
                power = body[p + 4]
                units = 1 << (power & 0x7F) if power & 0x80 else 10 ** min(power, 30)
            elif code == _OFFSET and size == 8:
                offset = Struct(self.order + "q").unpack_from(body, p + 4)[0] * _MILLION
            elif code == 0:
                break
            p += 4 + size + -size % 4
        self.interfaces.append((link, units, offset))


def _pcapng(file: Readable) -> Iterator[Packet]:  # noqa: C901  # one loop; a call per block would double its time
    section = _Section()
    data, p, at = b"", 0, 0
    while chunk := file.read(CHUNK):
        data, p = data[p:] + chunk, 0
        size = len(data)
        while size - p >= _BLOCK:
            if data.startswith(_SECTION, p):
                if (order := _ORDERS.get(data[p + 8 : p + 12], "")) == "":
                    file.damage = "a section of unknown byte order begins"
                    return
                section.begin(order)
            kind, length = section.block(data, p)
            if length < _BLOCK or length % 4 or length > LONGEST:
                file.damage = f"a block of {length} bytes is declared"
                return
            stop = p + length
            if stop > size:
                break
            if kind == _ENHANCED and length >= 32:
                number, high, low, kept, wire = section.enhanced(data, p + 8)
                if number >= len(section.interfaces) or kept > length - 32:
                    file.damage = "a packet does not fit its block"
                    return
                link, units, offset = section.interfaces[number]
                moment = high << 32 | low
                if units != _MILLION:
                    moment = moment * _MILLION // units
                moment += offset
                at = moment if 0 <= moment <= LATEST else at
                yield at, link, data, p + 28, p + 28 + kept, wire, file.name
            elif kind == _INTERFACE and length >= 20:
                section.add_interface(data[p + 8 : stop - 4])
            elif kind in _SELDOM and (packet := _seldom(section, kind, data, p, stop, at, file.name)):
                yield packet
            p = stop
    if p < len(data):
        file.damage = file.damage or CUT


def _seldom(section: _Section, kind: int, data: bytes, p: int, stop: int, at: int, name: str) -> Packet | None:
    """Read a simple packet block, which has no time, a packet block, which is obsolete, or the end of a capture."""
    if not section.interfaces:
        return None
    if kind == _SIMPLE and stop - p >= 16:
        (wire,) = Struct(section.order + "I").unpack_from(data, p + 8)
        return at, section.interfaces[0][0], data, p + 12, min(p + 12 + wire, stop - 4), wire, name
    if kind == _OLD and stop - p >= 32:
        number, _, high, low, kept, wire = Struct(section.order + "HHIIII").unpack_from(data, p + 8)
        if number < len(section.interfaces) and kept <= stop - p - 32:
            link, units, offset = section.interfaces[number]
            moment = (high << 32 | low) * _MILLION // units + offset
            return moment if 0 <= moment <= LATEST else at, link, data, p + 28, p + 28 + kept, wire, name
    return _end(section, data, p, stop, at, name) if kind == _STATISTICS else None


def _end(section: _Section, data: bytes, p: int, stop: int, at: int, name: str) -> Packet | None:
    """Return a packet without bytes at the end of a capture, where its statistics tell it."""
    (number,), p = Struct(section.order + "I").unpack_from(data, p + 8), p + 20
    option = Struct(section.order + "HHII").unpack_from
    while p + 16 <= stop and number < len(section.interfaces):
        code, size, high, low = option(data, p)
        link, units, offset = section.interfaces[number]
        moment = (high << 32 | low) * _MILLION // units + offset
        if (code, size) == (_END_TIME, 8) and at <= moment <= LATEST:
            return moment, link, data, p, p, 0, name
        p += 4 + size + -size % 4
    return None
