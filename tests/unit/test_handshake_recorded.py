"""Handshakes of real clients whose bytes the relay recorded; `recorded_wire.json` names the clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from probe.model import Event, Request, Subject
from probe.model.handshake import FirstProduce, Handshake, Purpose
from probe.model.rows import header_json
from probe.protocol.conversation import Conversation
from tests.support.protocol_wire import conversation
from tests.support.synthetic_rows import header

DISCOVERY = Purpose.DISCOVERY
RECORDED: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "data" / "recorded_wire.json").read_text(encoding="utf-8")
)["connections"]


def replayed(who: str) -> Iterator[tuple[Conversation, list[Event]]]:
    """Yield the connections of a recorded client, with their events."""
    for connection in RECORDED:
        if connection["who"] == who:
            talk, events = conversation(), list[Event]()
            for number, (side, data) in enumerate(connection["bytes"]):
                take = talk.client_bytes if side == "c" else talk.broker_bytes
                events += take(bytes.fromhex(data), number * 100_000)
            yield talk, events


def recorded(who: str) -> tuple[Handshake, ...]:
    """Return the handshakes of a recorded client; all its connections have the same number."""
    return tuple(found for talk, _ in replayed(who) if (found := talk.handshake()) is not None)


def recorded_requests(who: str) -> list[Request]:
    return [event for _, events in replayed(who) for event in events if isinstance(event, Request)]


WHO = sorted({connection["who"] for connection in RECORDED})


def test_recorded_clients_have_different_handshakes() -> None:
    """Java 0.11 and 4.4, kafka-python 1.4.7 and 3.0.12, librdkafka: none shares a purpose's handshake with another."""
    seen: dict[Handshake, str] = {}
    for who in WHO:
        for one in recorded(who):
            if one.purposes != (DISCOVERY,):
                assert seen.setdefault(one, who) == who
    assert len(set(seen.values())) == len(WHO)


@pytest.mark.parametrize("who", WHO)
def test_recorded_handshakes_hold_no_topic_group_or_client_id(who: str) -> None:
    text = header_json(header(handshakes=recorded(who), subject=Subject(**BARE)))
    ids = {event.client_id for event in recorded_requests(who)} - {""}
    keys = {row.key for event in recorded_requests(who) for row in event.rows} - {""}
    assert ids
    assert [name for name in ("orders", *ids, *keys) if json.dumps(name)[1:-1] in text] == []


BARE: dict[str, Any] = {"topic": "", "affected": 0, "bystander": 1, "instance": "", "client_id": ""}


def test_recorded_requests_have_the_fields_of_their_clients() -> None:
    """The values are the defaults that the clients document: fetch.max.wait.ms, fetch.min.bytes, acks and others."""
    java = [one for one in recorded("Java kafka-clients 4.4.0, group consumer") if one.fetch is not None]
    assert {(one.software_name, one.software_version) for one in java} == {("apache-kafka-java", "4.4.0")}
    assert java[0].fetch is not None
    assert (java[0].fetch.max_wait_ms, java[0].fetch.min_bytes, java[0].fetch.max_bytes) == (500, 1, 52_428_800)
    assert (java[0].fetch.isolation_level, java[0].fetch.session_epoch) == (0, 0)
    (made,) = [one.produce for one in recorded("Java kafka-clients 4.4.0, producer") if one.produce is not None]
    assert made == FirstProduce(acks=-1, timeout_ms=30_000, compression="none")
    old = [one for one in recorded("kafka-python 1.4.7, producer") if one.produce is not None]
    assert [(one.software_name, one.produce) for one in old] == [
        (None, FirstProduce(acks=1, timeout_ms=30_000, compression="none"))
    ]
