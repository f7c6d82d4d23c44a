"""Corrupt and split bytes: the same events for any split, no exception, and bounded memory."""

from __future__ import annotations

import random
import tracemalloc
from dataclasses import replace
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from probe.model import Event, Request, Response
from probe.protocol.conversation import Conversation
from probe.protocol.frames import KEEP, Splitter
from probe.protocol.schemas import EVERYDAY
from tests.support.protocol_wire import conversation, encode, framed, invent, request, response, schemas

QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def exchange(seed: int, pairs: int = 6) -> tuple[bytes, bytes]:
    """Return random valid bytes of both sides of a connection."""
    rng = random.Random(seed)
    versions = [pair[:2] for pair in schemas().pairs() if pair[2] == "Request" and pair[0] in EVERYDAY]
    requests, responses = b"", b""
    for corr in range(pairs):
        api, version = rng.choice(versions)
        for kind in ("Request", "Response"):
            layout = schemas().layout(api, version, kind)
            assert layout is not None
            body = invent(layout.items, rng)
            if kind == "Request":
                requests += request(api, version, body | ({"Acks": 1} if api == 0 else {}), corr=corr)
            else:
                responses += response(api, version, body, corr=corr)
    return requests, responses


def timeless(events: list[Event]) -> list[Event]:
    return [
        replace(event, at=0, sent_at=0) if isinstance(event, Response) else replace(event, at=0) for event in events
    ]


def talk_in_parts(talk: Conversation, requests: list[bytes], responses: list[bytes]) -> list[Event]:
    out: list[Event] = []
    for part in requests:
        out += talk.client_bytes(part, 1)
    for part in responses:
        out += talk.broker_bytes(part, 2)
    return out


def cut_at(data: bytes, places: list[int]) -> list[bytes]:
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[low:high] for low, high in pairwise(edges)]


@QUICK
@given(
    st.integers(0, 300), st.lists(st.integers(0, 1 << 20), max_size=30), st.lists(st.integers(0, 1 << 20), max_size=30)
)
def test_events_do_not_depend_on_how_bytes_are_split(seed: int, first: list[int], second: list[int]) -> None:
    requests, responses = exchange(seed)
    whole = talk_in_parts(conversation(), [requests], [responses])
    parts = talk_in_parts(conversation(), cut_at(requests, first), cut_at(responses, second))
    assert timeless(parts) == timeless(whole)
    assert len(whole) == 12
    assert all(event.error == "" for event in whole if isinstance(event, (Request, Response)))


@QUICK
@given(
    st.integers(0, 300),
    st.lists(st.tuples(st.integers(0, 1 << 20), st.integers(0, 255)), min_size=1, max_size=12),
    st.integers(1, 4000),
)
def test_corrupt_bytes_raise_no_exception_however_they_are_split(
    seed: int, changes: list[tuple[int, int]], step: int
) -> None:
    sides = []
    for data in map(bytearray, exchange(seed)):
        for place, value in changes:
            data[place % len(data)] = value
        sides.append(bytes(data))
    requests, responses = sides
    whole = talk_in_parts(conversation(), [requests], [responses])
    steps = [[side[at : at + step] for at in range(0, len(side), step)] for side in sides]
    assert timeless(talk_in_parts(conversation(), *steps)) == timeless(whole)


@QUICK
@given(st.binary(max_size=400), st.binary(max_size=400))
def test_random_bytes_raise_no_exception(requests: bytes, responses: bytes) -> None:
    events = talk_in_parts(conversation(), [requests, framed(requests)], [responses, framed(responses)])
    assert sum(isinstance(event, Request) and event.api == -1 for event in events) <= 1


@QUICK
@given(st.sampled_from(sorted(EVERYDAY)), st.integers(0, 12), st.binary(max_size=600))
def test_a_random_body_gives_an_error_or_rows(api: int, version: int, body: bytes) -> None:
    talk = conversation()
    head = api.to_bytes(2, "big") + version.to_bytes(2, "big") + b"\0\0\0\1" + b"\0\1c" + b"\0"
    (event,) = talk.client_bytes(framed(head + body), 1)
    assert isinstance(event, Request)
    (event_back,) = talk.broker_bytes(framed(b"\0\0\0\1" + body), 2) if talk.expected(1) >= 0 else (event,)
    assert isinstance(event_back, (Request, Response))


def test_a_huge_frame_is_counted_but_not_kept() -> None:
    talk = conversation()
    layout = schemas().layout(0, 7, "Request")
    assert layout is not None
    part = {"Index": 0, "Records": bytes(40 << 20)}
    body = {"TransactionalId": None, "Acks": -1, "TimeoutMs": 1, "TopicData": [{"Name": "t", "PartitionData": [part]}]}
    data = request(0, 7, body)
    assert len(encode(layout, body)) > 40 << 20
    tracemalloc.start()
    events = [event for at in range(0, len(data), 65536) for event in talk.client_bytes(data[at : at + 65536], 1)]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    (event,) = events
    assert isinstance(event, Request)
    assert event.size == len(data)
    assert "of which only the first" in event.error
    assert peak < 4 * KEEP
    (after,) = talk.client_bytes(request(12, 0, {"GroupId": "g", "GenerationId": 1, "MemberId": "m"}, corr=2), 2)
    assert isinstance(after, Request)
    assert after.rows[0].key == "g"


@QUICK
@given(st.binary(max_size=300), st.lists(st.integers(1, 40), min_size=1, max_size=30))
def test_position_gives_the_place_in_the_current_frame(payload: bytes, steps: list[int]) -> None:
    data = framed(b"abcd" + payload) * 3
    splitter, at = Splitter(4), 0
    for step in steps:
        splitter.feed(data[at : at + step])
        at = min(at + step, len(data))
        missing, head = splitter.position()
        inside = at % (len(payload) + 8)
        assert (missing, len(head)) == ((len(payload) + 8 - inside, 0) if inside >= 4 else (0, inside))


def test_oversized_array_lengths_are_rejected_at_once() -> None:
    talk = conversation()
    for version in (1, 9):
        claim = b"\x7f\xff\xff\xff" if version == 1 else b"\xff\xff\xff\xff\x07"
        head = b"\0\3" + version.to_bytes(2, "big") + b"\0\0\0\1" + b"\0\1c" + (b"\0" if version > 8 else b"")
        (event,) = talk.client_bytes(framed(head + claim + bytes(1 << 19)), 1)
        assert isinstance(event, Request)
        assert "does not fit" in event.error
