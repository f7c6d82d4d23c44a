"""Every reader, tested with bodies of a test encoder, kio (new versions) and kafka-python (old ones)."""

from __future__ import annotations

import importlib
import pkgutil
import random
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import kio.index
import pytest
from kafka.protocol import old
from kafka.protocol.old.api import Request, Response
from kafka.protocol.old.types import Array, Schema
from kio.schema.errors import ErrorCode
from kio.serial import entity_reader

from probe.protocol.compiler import MALFORMED, compile_reader
from probe.protocol.layout import Item
from probe.protocol.names import api_name
from probe.protocol.schemas import KEPT_BYTES, REPEATED, keeping
from tests.support.protocol_wire import Body, as_read, encode, invent, schemas


def read(api: int, version: int, kind: str, data: bytes) -> tuple[Body, int]:
    spec = schemas().request(api, version) if kind == "Request" else schemas().response(api, version)
    assert spec is not None
    return spec.read(data, 0, len(data))


def bodies(count: int) -> Iterator[tuple[int, int, str, tuple[Item, ...], Body, bytes]]:
    """Generate `count` bodies per message and version."""
    rng = random.Random(20)
    for api, version, kind in schemas().pairs():
        layout = schemas().layout(api, version, kind)
        assert layout is not None
        for _ in range(count):
            body = invent(layout.items, rng)
            yield api, version, kind, layout.items, body, encode(layout, body)


def test_every_version_of_every_api_is_read_completely() -> None:
    pairs = set()
    for api, version, kind, items, body, data in bodies(5):
        assert read(api, version, kind, data) == (as_read(items, body), len(data)), (api_name(api), version, kind)
        pairs.add((api, version, kind))
    assert len(pairs) > 700


def test_a_truncated_body_is_malformed() -> None:
    rng = random.Random(4)
    for api, version, kind, _, _, data in bodies(1):
        if data:
            with pytest.raises(MALFORMED):
                read(api, version, kind, data[: rng.randrange(len(data))])


def same(theirs: Any, items: tuple[Item, ...], body: Body) -> int:
    """Compare an entity of kio with one of our bodies by field names; return the number of fields compared."""
    names = {name.replace("_", ""): name for name in theirs.__dataclass_fields__}
    compared = 0
    for item in items:
        name = names.get(item.name.lower()) or names.get(item.name.lower().removesuffix("ms"))
        if name is None or body.get(item.name) is None:
            continue
        value, ours = getattr(theirs, name), body[item.name]
        if item.type == "struct":
            pairs = zip(value, ours, strict=True) if item.array else [(value, ours)]
            compared += sum(same(one, item.items, mine) for one, mine in pairs)
        elif not isinstance(value, (timedelta, datetime, UUID)):
            assert as_wire(item, value) == ours, item.name
            compared += 1
    return compared


def as_wire(item: Item, value: Any) -> Any:
    if item.type == "records":
        return len(value)
    if item.array:
        return [element.bytes if isinstance(element, UUID) else element for element in value]
    return value.value if isinstance(value, ErrorCode) else value


def test_equal_answers_are_read_once_wherever_they_begin() -> None:
    calls: list[tuple[int, int]] = []

    def once(b: bytes, p: int, end: int) -> tuple[Body, int]:
        calls.append((p, end))
        if b[p:end] == b"bad":
            raise ValueError("bad")
        return {"Text": b[p : end - 1]}, end - 1

    read_once = keeping(once)
    first, stop = read_once(b"..body", 2, 6)
    again, later = read_once(b".....body...", 5, 9)
    assert (first, stop, again is first, later) == ({"Text": b"bod"}, 5, True, 8)
    assert read_once(b"..bodi", 2, 6) == ({"Text": b"bod"}, 5)
    for _ in range(2):
        with pytest.raises(ValueError, match="bad"):
            read_once(b"bad", 0, 3)
    assert calls == [(2, 6), (2, 6), (0, 3), (0, 3)]


def test_few_bytes_of_answers_are_kept() -> None:
    calls = 0

    def once(_: bytes, __: int, end: int) -> tuple[Body, int]:
        nonlocal calls
        calls += 1
        return {}, end

    read_once = keeping(once)
    half, whole = KEPT_BYTES // 2, KEPT_BYTES + 1
    for size, expected in (
        (half, 1),
        (half, 1),
        (half - 1, 2),
        (half, 2),
        (half - 2, 3),
        (half, 4),
        (whole, 5),
        (whole, 6),
    ):
        read_once(bytes(size), 0, size)
        assert calls == expected


@pytest.mark.parametrize("api", sorted(REPEATED))
def test_kept_answers_are_those_of_the_reader(api: int) -> None:
    for key, version, kind, _, _, data in bodies(3):
        if (key, kind) == (api, "Response"):
            plan = schemas().layout(api, version, kind)
            assert plan is not None
            assert (
                read(api, version, kind, data)
                == read(api, version, kind, data)
                == compile_reader(plan)(data, 0, len(data))
            )


def test_kio_reads_the_same_values() -> None:
    pairs = compared = 0
    for api, version, kind, items, body, data in bodies(2):
        try:
            load = kio.index.load_request_schema if kind == "Request" else kio.index.load_response_schema
            entity, size = entity_reader(load(api, version))(memoryview(data), 0)
        except kio.index.KioIndexError:
            continue  # versions that KIP-896 removed, and messages between brokers
        assert size == len(data), (api_name(api), version, kind)
        compared += same(entity, items, as_read(items, body))
        pairs += 1
    assert pairs > 900
    assert compared > 5000


WRONG = {"DescribeAclsRequest_v2", "DescribeAclsResponse_v2", "DescribeLogDirsRequest_v0", "DescribeLogDirsRequest_v1"}
"""Differ from Kafka's definition: encoded as not flexible, or with one partition instead of an array."""


def old_messages() -> Iterator[type[Any]]:
    """Yield the hand-written messages of kafka-python, for versions that its generated code no longer has."""
    for module in pkgutil.iter_modules(old.__path__, f"{old.__name__}."):
        for cls in vars(importlib.import_module(module.name)).values():
            message = isinstance(cls, type) and issubclass(cls, (Request, Response)) and "API_VERSION" in vars(cls)
            if message and cls.__name__ not in WRONG:
                yield cls


def old_value(kind: Any, rng: random.Random) -> Any:
    """Generate a value of a kafka-python type."""
    if isinstance(kind, Schema):
        return tuple(old_value(field, rng) for field in kind.fields)
    if isinstance(kind, Array):
        return [old_value(kind.array_of, rng) for _ in range(rng.choice((0, 1, 2)))]
    name = (kind if isinstance(kind, type) else type(kind)).__name__
    if name == "TaggedFields":
        return {}
    makers = {"String": "text", "CompactString": "text", "Bytes": b"abc", "CompactBytes": b"abc", "Boolean": True}
    if name == "BitField":
        return frozenset()
    return makers.get(name, rng.choice((0, 1, 77)))


def leaves(value: Any) -> Iterator[Any]:
    """Yield all values in wire order; records appear as their size."""
    if isinstance(value, dict):  # our bodies; kafka-python's dictionaries are empty tagged fields
        value = tuple(value.values())
    if isinstance(value, (list, tuple)):
        for element in value:
            yield from leaves(element)
    else:
        yield value


def test_old_kafka_python_messages_are_read_correctly() -> None:
    rng, seen = random.Random(3), set()
    for cls in old_messages():
        kind = "Request" if issubclass(cls, Request) else "Response"
        values = tuple(old_value(field, rng) for field in cls.SCHEMA.fields)
        data = cls.SCHEMA.encode(values)
        body, size = read(cls.API_KEY, cls.API_VERSION, kind, data)
        assert size == len(data), cls.__name__
        theirs = [0 if value == frozenset() else value for value in leaves(values)]
        records = cls.API_KEY in {0, 1}
        assert [3 if records and v == b"abc" else v for v in theirs] == list(leaves(body)), cls.__name__
        seen.add((cls.API_KEY, cls.API_VERSION, kind))
    assert {(0, v, "Request") for v in range(3)} | {(1, v, "Response") for v in range(4)} <= seen
    assert len(seen) > 100
