"""Bodies of request logs give the rows that the same bodies give on the wire, for every API that is read."""

from __future__ import annotations

import json
import random
import re
from base64 import urlsafe_b64encode
from typing import Any

import pytest

from probe.model import Event, Request, Response
from probe.protocol import apis
from probe.protocol.digest import ANSWERS, QUESTIONS
from probe.protocol.layout import Item, Layout
from probe.protocol.log_connection import LoggedConversation
from probe.protocol.log_requests import parse_line
from probe.protocol.names import api_name
from probe.protocol.sessions import FetchSessions
from tests.support.protocol_wire import Body, conversation, invent, request, response, schemas

PAIRS = [
    (api, version)
    for api, version, kind in schemas().pairs()
    if kind == "Request" and api in QUESTIONS and api in ANSWERS
]


def layout(api: int, version: int, kind: str) -> Layout:
    found = schemas().layout(api, version, kind)
    assert found is not None
    return found


def camel(item: Item) -> str:
    name = item.name[0].lower() + item.name[1:]
    return f"{name}SizeInBytes" if item.type == "records" else name


def snake(item: Item) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", item.name).lower()


def as_json(items: tuple[Item, ...], body: Body) -> Body:
    """Return a body as `kafka.network.RequestConvertToJson` writes it."""
    return {camel(item): _json(item, body[item.name]) for item in items if item.name in body}


def _json(item: Item, value: Any) -> Any:
    if value is None:
        return None
    if item.array:
        return [_json_one(item, element) for element in value]
    return _json_one(item, value)


def _json_one(item: Item, value: Any) -> Any:
    if item.type == "struct":
        return as_json(item.items, value)
    if item.type == "records":
        return len(value)
    return urlsafe_b64encode(value).decode().rstrip("=") if isinstance(value, bytes) else value


def as_text(items: tuple[Item, ...], body: Body, flexible: bool) -> str:
    """Return a body as `Struct.toString` of 2.x writes it."""
    plain = [f"{snake(item)}={_text(item, body[item.name], flexible)}" for item in items if item.tag < 0]
    return "{" + ",".join([*plain, *(["_tagged_fields={}"] if flexible else [])]) + "}"


def _text(item: Item, value: Any, flexible: bool) -> str:
    if value is None:
        return "null"
    if item.array:
        return "[" + ",".join(_text_one(item, element, flexible) or "k" for element in value) + "]"
    return _text_one(item, value, flexible)


def _text_one(item: Item, value: Any, flexible: bool) -> str:
    if item.type == "struct":
        return as_text(item.items, value, flexible)
    if item.type == "records":
        return f"MemoryRecords(size={len(value)}, buffer=java.nio.HeapByteBuffer[pos=0 lim={len(value)} cap=9])"
    if item.type == "bool":
        return str(value).lower()
    if item.type == "uuid":
        return urlsafe_b64encode(value).decode().rstrip("=")
    return "java.nio.HeapByteBuffer[pos=0 lim=1 cap=1]" if isinstance(value, bytes) else str(value)


def on_the_wire(api: int, version: int, asked: Body, answered: Body) -> list[Event]:
    talk = conversation({})
    return [
        *talk.client_bytes(request(api, version, asked), 1),
        *talk.broker_bytes(response(api, version, answered), 2),
    ]


def logged(line: str) -> list[Event]:
    out: list[Event] = []
    found = parse_line(line)
    assert found is not None
    LoggedConversation(1, 1, schemas(), {}, FetchSessions()).take(found, 2, out)
    return out


def check(api: int, version: int, asked: Body, answered: Body, line: str) -> None:
    wire, log = on_the_wire(api, version, asked, answered), logged(line)
    assert [type(event) for event in log] == [type(event) for event in wire]
    for ours, theirs in zip(log, wire, strict=True):
        assert isinstance(ours, Request | Response)
        assert isinstance(theirs, Request | Response)
        assert (ours.error, ours.rows) == (theirs.error, theirs.rows)
        if isinstance(ours, Response) and isinstance(theirs, Response):
            assert ours.code == theirs.code
        if isinstance(ours, Request) and isinstance(theirs, Request):
            assert (ours.everything, ours.acks) == (theirs.everything, theirs.acks)


def bodies(api: int, version: int, seed: int) -> tuple[Body, Body]:
    rng = random.Random(seed)
    asked, answered = (invent(layout(api, version, kind).items, rng) for kind in ("Request", "Response"))
    return asked | ({"Acks": 1} if api == apis.PRODUCE else {}), answered


@pytest.mark.parametrize(("api", "version"), PAIRS, ids=str)
def test_json_gives_what_the_wire_gives(api: int, version: int) -> None:
    for seed in range(4):
        asked, answered = bodies(api, version, seed)
        values = {
            "isForwarded": False,
            "requestHeader": {"requestApiKey": api, "requestApiVersion": version, "correlationId": 1, "clientId": "a"},
            "request": as_json(layout(api, version, "Request").items, asked),
            "response": as_json(layout(api, version, "Response").items, answered),
            "connection": "a:1-b:2-0",
            "totalTimeMs": 0.001,
        }
        check(api, version, asked, answered, f"Completed request:{json.dumps(values)}")


@pytest.mark.parametrize(("api", "version"), [pair for pair in PAIRS if pair[0] != apis.PRODUCE], ids=str)
def test_text_gives_what_the_wire_gives(api: int, version: int) -> None:
    for seed in range(4):
        asked, answered = bodies(api, version, seed)
        plans = layout(api, version, "Request"), layout(api, version, "Response")
        asked = untagged(plans[0].items, asked)
        answered = untagged(plans[1].items, answered)
        texts = as_text(plans[0].items, asked, plans[0].flexible), as_text(plans[1].items, answered, plans[1].flexible)
        head = f"RequestHeader(apiKey={api_name(api)}, apiVersion={version}, clientId=a, correlationId=1)"
        line = f"Completed request:{head} -- {texts[0]},response:{texts[1]} from connection a:1-b:2-0;totalTime:1"
        check(api, version, asked, answered, line)


def untagged(items: tuple[Item, ...], body: Body) -> Body:
    """Return a body without tagged fields: those that clients of 2.x knew are few."""
    return {item.name: _untagged(item, body[item.name]) for item in items if item.tag < 0}


def _untagged(item: Item, value: Any) -> Any:
    if item.array and item.type == "string" and value:
        return [one or "k" for one in value]  # "[]" is the text of no element, and of an empty one
    if item.type != "struct" or value is None:
        return value
    return [untagged(item.items, one) for one in value] if item.array else untagged(item.items, value)
