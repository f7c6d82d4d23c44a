"""Folding of storms: every frame is either emitted or counted."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from probe.model import Event, Folded, Request, Response, Row
from probe.protocol.fold import CALM, MAX_KINDS, SPAN_US, Fold, Wire

LIMIT = 10


def ask(at: int, topic: str = "t", corr: int = 1) -> Request:
    return Request(at=at, conn=4, broker=2, corr=corr, api=3, version=9, size=20, rows=(Row(topic=topic),))


def respond(at: int, code: int = 0, topic: str = "t") -> Response:
    rows = (Row(topic=topic, partition=0, code=code, leader=1, offset=at),)
    return Response(at=at, conn=4, broker=2, corr=1, api=3, version=9, sent_at=at, size=30, rows=rows)


def run(*events: Wire, until: int = 10 * SPAN_US) -> list[Event]:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    for event in events:
        fold.take(event, out)
    fold.tick(until, out, final=True)
    assert fold.held == 0
    return out


def test_a_calm_connection_is_not_folded() -> None:
    events = [ask(1 + number * SPAN_US // LIMIT) for number in range(200)]
    assert run(*events) == events


def test_a_storm_keeps_the_first_and_last_of_every_kind() -> None:
    events = [frame for at in range(1, 2001) for frame in (ask(at), respond(at, code=56 if at < 1000 else 0))]
    out = run(*events)
    folded = [event for event in out if isinstance(event, Folded)]
    emitted = [event for event in out if isinstance(event, (Request, Response))]
    assert emitted[:LIMIT] == events[:LIMIT]
    assert len(emitted) < LIMIT + 8
    assert respond(1000) in emitted  # the first response without an error is emitted at once
    assert respond(999, code=56) in emitted
    assert (events[-2] in emitted, events[-1] in emitted) == (True, True)
    (line,) = folded
    assert (line.conn, line.broker, line.api, line.version) == (4, 2, 3, 9)
    assert line.requests + line.responses + len(emitted) == len(events)
    assert set(line.rows) == {Row(topic="t", partition=0, code=code, leader=1) for code in (56, 0)}
    assert 1 <= line.at <= line.until <= 2000


def test_the_first_frame_of_a_kind_is_emitted_at_once() -> None:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    for at in range(1, 101):
        fold.take(ask(at), out)
    fold.take(respond(101, code=6), out)
    assert out[-1] == respond(101, code=6)
    assert fold.held == 100 - LIMIT - 1


def test_after_a_storm_frames_are_emitted_again() -> None:
    storm = [ask(at) for at in range(1, 101)]
    late = [ask(3 * SPAN_US + at) for at in range(3)]
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    for event in storm:
        fold.take(event, out)
    fold.tick(SPAN_US // 2, out)
    assert fold.folding
    fold.tick(2 * SPAN_US, out)
    fold.tick(3 * SPAN_US, out)
    assert not fold.folding
    emitted = len(out)
    for event in late:
        fold.take(event, out)
    assert out[emitted:] == late


def test_a_storm_lasts_from_its_third_second_to_a_calm_one() -> None:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    seen = []
    for second, frames in enumerate((LIMIT, 50, 200, 200, CALM + 1, CALM, 3)):
        for frame in range(frames):
            fold.take(ask(1 + second * SPAN_US + frame), out)
        seen.append(fold.lasts)
    assert seen == [False, False, False, True, True, True, False]


def test_separate_storms_are_no_lasting_storm() -> None:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    for second in (0, 3, 6, 9):
        for frame in range(2 * LIMIT):
            fold.take(ask(1 + second * SPAN_US + frame), out)
        assert not fold.lasts


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, SPAN_US // 6), st.booleans(), st.sampled_from([0, 6, 56]), st.sampled_from("abc")),
        max_size=200,
    )
)
def test_no_frame_is_lost_or_emitted_twice(steps: list[tuple[int, bool, int, str]]) -> None:
    at, events = 1, list[Wire]()
    for wait, asks, code, topic in steps:
        at += wait
        events.append(ask(at, topic, corr=at) if asks else respond(at, code, topic))
    out = run(*events, until=at)
    emitted = Counter(id(event) for event in out if not isinstance(event, Folded))
    assert set(emitted.values()) <= {1}
    counted = sum(event.requests + event.responses for event in out if isinstance(event, Folded))
    assert len(emitted) + counted == len(events)


@pytest.mark.parametrize("kinds", [MAX_KINDS, MAX_KINDS * 4])
def test_memory_for_many_kinds_is_bounded(kinds: int) -> None:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    for number in range(5000):
        fold.take(ask(number, topic=f"t{number % kinds}"), out)
    assert fold.held <= 5000
    assert len(fold._last) <= MAX_KINDS
    fold.tick(5000, out, final=True)
    assert (
        sum(event.requests for event in out if isinstance(event, Folded))
        + sum(isinstance(event, Request) for event in out)
        == 5000
    )
