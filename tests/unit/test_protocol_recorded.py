"""Bytes of real clients that the relay recorded; `recorded_wire.json` names the clients."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import kio.index
import pytest
from kio.serial import entity_reader

from probe.model import Event, Request, Response
from probe.protocol.conversation import Conversation
from probe.protocol.frames import Splitter
from tests.support.protocol_wire import conversation

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "recorded_wire.json").read_text())
CONNECTIONS: list[dict[str, Any]] = RECORDED["connections"]
NAMES: dict[bytes, str] = {}


def replay(connection: dict[str, Any], talk: Conversation) -> list[Event]:
    out: list[Event] = []
    for number, (side, data) in enumerate(connection["bytes"]):
        take = talk.client_bytes if side == "c" else talk.broker_bytes
        out += take(bytes.fromhex(data), number * 100_000)
    return out


@pytest.fixture(scope="module", autouse=True)
def learned() -> None:
    """Read all connections first, since topic ids are used on other connections than those that define them."""
    for connection in CONNECTIONS:
        replay(connection, conversation(NAMES))


@pytest.mark.parametrize("connection", CONNECTIONS, ids=lambda connection: connection["who"])
def test_recorded_bytes_are_read_completely(connection: dict[str, Any]) -> None:
    talk = conversation(NAMES)
    events = replay(connection, talk)
    assert [event.error for event in events if isinstance(event, (Request, Response)) and event.error] == []
    assert (talk.fault, talk.trailing) == ("", 0)
    topics = {row.topic for event in events if isinstance(event, (Request, Response)) for row in event.rows}
    assert topics <= {"", "orders"}
    requests, responses = ([event for event in events if isinstance(event, kind)] for kind in (Request, Response))
    assert [event.corr for event in responses] == [event.corr for event in requests][: len(responses)]


def test_recorded_requests_and_responses_have_their_fields() -> None:
    events = [event for connection in CONNECTIONS for event in replay(connection, conversation(NAMES))]
    versions = {(event.api, event.version) for event in events if isinstance(event, Request)}
    assert {(0, 3), (0, 10), (0, 13), (1, 4), (1, 5), (1, 16), (1, 18), (3, 0), (3, 13), (22, 4), (26, 1)} <= versions
    rows = [(event, row) for event in events if isinstance(event, (Request, Response)) for row in event.rows]
    produced = [row for event, row in rows if isinstance(event, Response) and event.api == 0]
    assert produced
    assert all(row.code == 0 and row.offset is not None and row.offset >= 0 for row in produced)
    assert {row.leader for event, row in rows if isinstance(event, Response) and event.api == 3} <= {0, 1, 2}
    assert any(row.size for event, row in rows if isinstance(event, Response) and event.api == 1)
    assert {row.key_type for event, row in rows if event.api == 10} == {0, 1}
    committed = [row for event, row in rows if isinstance(event, Request) and event.api == 8]
    assert committed
    assert all(row.key and row.topic == "orders" and row.offset is not None for row in committed)


@pytest.mark.parametrize("connection", CONNECTIONS, ids=lambda connection: connection["who"])
def test_kio_reads_the_same_requests(connection: dict[str, Any]) -> None:
    """Compares header and body for the versions that kio supports."""
    talk = conversation(NAMES)
    events = [event for event in replay(connection, talk) if isinstance(event, Request)]
    splitter = Splitter(8)
    frames = [
        frame for side, data in connection["bytes"] if side == "c" for frame in splitter.feed(bytes.fromhex(data))
    ]
    assert len(events) == len(frames)
    for event, frame in zip(events, frames, strict=True):
        try:
            schema = kio.index.load_request_schema(event.api, event.version)
        except kio.index.KioIndexError:
            continue
        payload = frame.data[frame.start : frame.end]
        header, size = entity_reader(schema.__header_schema__)(memoryview(payload), 0)
        _, body_size = entity_reader(schema)(memoryview(payload), size)
        assert size + body_size == len(payload)
        assert (header.correlation_id, header.client_id) == (event.corr, event.client_id)
