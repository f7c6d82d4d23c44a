"""Frames for tests of the protocol, from an encoder that shares no code with the decoder."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from probe.protocol.conversation import Conversation
from probe.protocol.layout import Item, Layout
from probe.protocol.schemas import Schemas
from probe.toolchain.maven_jars import fetch
from probe.toolchain.tools import cache_root

JARS = ("org.apache.kafka:kafka-clients:3.9.2", "org.apache.kafka:kafka-clients:4.4.0")
FORMS = {"bool": ">?", "int8": ">b", "int16": ">h", "uint16": ">H", "int32": ">i", "uint32": ">I", "int64": ">q"}
ID = bytes(range(16))

Value = Any
Body = dict[str, Any]


@cache
def schemas() -> Schemas:
    """Return the definitions of the last release line with old API versions, and of a new one."""
    found = fetch(JARS, cache_root())
    return Schemas([found[name] for name in JARS])


def conversation(names: dict[bytes, str] | None = None) -> Conversation:
    return Conversation(1, 1, schemas(), {} if names is None else names)


def varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def length(size: int | None, flexible: bool, form: str) -> bytes:
    if flexible:
        return varint(0 if size is None else size + 1)
    return struct.pack(form, -1 if size is None else size)


def encode(layout: Layout, body: Mapping[str, Value]) -> bytes:
    """Encode a body. `records` are bytes; absent tagged fields are omitted."""
    return _struct(layout.items, body, layout.flexible)


def _struct(items: tuple[Item, ...], body: Mapping[str, Value], flexible: bool) -> bytes:
    out = b"".join(_field(item, body[item.name], flexible) for item in items if item.tag < 0)
    if not flexible:
        return out
    tagged = sorted(
        (item.tag, _field(item, body[item.name], flexible)) for item in items if item.name in body and item.tag >= 0
    )
    return out + varint(len(tagged)) + b"".join(varint(tag) + varint(len(data)) + data for tag, data in tagged)


def _field(item: Item, value: Value, flexible: bool) -> bytes:
    if item.array:
        head = length(None if value is None else len(value), flexible, ">i")
        return head + b"".join(_one(item, element, flexible) for element in value or ())
    if item.type == "struct" and item.nullable:
        return b"\xff" if value is None else b"\x01" + _struct(item.items, value, flexible)
    return _one(item, value, flexible)


def _one(item: Item, value: Value, flexible: bool) -> bytes:
    if item.type == "struct":
        return _struct(item.items, value, flexible)
    if item.type in FORMS:
        return struct.pack(FORMS[item.type], value)
    if item.type == "float64":
        return struct.pack(">d", value)
    if item.type == "uuid":
        return bytes(value)
    data = value.encode() if isinstance(value, str) else value
    return length(None if data is None else len(data), flexible, ">h" if item.type == "string" else ">i") + (
        data or b""
    )


def invent(items: tuple[Item, ...], rng: random.Random) -> Body:
    """Return a random body. Tagged fields are omitted half of the time, nullable ones are sometimes null."""
    return {item.name: _invent(item, rng) for item in items if item.tag < 0 or rng.random() < 0.5}


def _invent(item: Item, rng: random.Random) -> Value:
    if item.nullable and item.tag < 0 and rng.random() < 0.2:
        return None
    if item.array:
        return [_invent_one(item, rng) for _ in range(rng.choice((0, 1, 1, 2, 3)))]
    return _invent_one(item, rng)


def _invent_one(item: Item, rng: random.Random) -> Value:
    if item.type == "struct":
        return invent(item.items, rng)
    if item.name.endswith("ErrorCode"):
        return rng.choice((0, 0, 3, 6, 56))
    makers: dict[str, Callable[[], Value]] = {
        "bool": lambda: rng.random() < 0.5,
        "string": lambda: rng.choice(("", "t", "orders", "ä€" * 80)),
        "bytes": lambda: rng.randbytes(rng.choice((0, 3, 200))),
        "records": lambda: rng.randbytes(rng.choice((0, 61, 300))),
        "uuid": lambda: rng.randbytes(16),
        "float64": lambda: float(rng.randint(0, 9)),
        "int8": lambda: rng.randint(-1, 3),
    }
    return makers[item.type]() if item.type in makers else rng.choice((0, 1, 2, 1000, 30000))


def as_read(items: tuple[Item, ...], body: Body) -> Body:
    """Return the value that the decoder should give for a body: `records` become their size."""
    return {item.name: _as_read(item, body[item.name]) for item in items if item.name in body}


def _as_read(item: Item, value: Value) -> Value:
    if value is None:
        return None
    if item.type == "records":
        return len(value)
    if item.type != "struct":
        return value
    return [as_read(item.items, element) for element in value] if item.array else as_read(item.items, value)


def framed(payload: bytes) -> bytes:
    return struct.pack(">i", len(payload)) + payload


def request(api: int, version: int, body: Body, *, corr: int = 1, client_id: str = "probe-1") -> bytes:
    """Return the frame of a request with its header."""
    layout = schemas().layout(api, version, "Request")
    assert layout is not None
    name = client_id.encode()
    head = struct.pack(">hhih", api, version, corr, len(name)) + name + (b"\0" if layout.flexible else b"")
    return framed(head + encode(layout, body))


def response(api: int, version: int, body: Body, *, corr: int = 1) -> bytes:
    """Return the frame of a response with its header."""
    layout = schemas().layout(api, version, "Response")
    assert layout is not None
    head = struct.pack(">i", corr) + (b"\0" if layout.flexible and api != 18 else b"")
    return framed(head + encode(layout, body))


def plain(api: int, version: int, kind: str, **given: Value) -> Body:
    """Return a body with the given values; all others are zeros, empty strings and empty arrays."""
    layout = schemas().layout(api, version, kind)
    assert layout is not None
    return filled(layout.items, given)


def filled(items: tuple[Item, ...], given: Mapping[str, Value]) -> Body:
    """Add the values that are not given, also in nested structs."""
    unknown = given.keys() - {item.name for item in items}
    assert not unknown, unknown
    return {item.name: _filled(item, given.get(item.name)) for item in items if item.tag < 0 or item.name in given}


def _filled(item: Item, value: Value) -> Value:
    zeros: dict[str, Value] = {"string": "", "bytes": b"", "records": b"", "uuid": bytes(16), "bool": False}
    if item.array:
        return [filled(item.items, element) for element in value or ()] if item.type == "struct" else value or []
    if item.type == "struct":
        return None if item.nullable and value is None else filled(item.items, value or {})
    return zeros.get(item.type, 0) if value is None else value
