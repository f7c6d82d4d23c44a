"""Storms in few lines, with nothing lost: what is told and what is counted is what passed."""

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


def tell(at: int, code: int = 0, topic: str = "t") -> Response:
    rows = (Row(topic=topic, partition=0, code=code, leader=1, offset=at),)
    return Response(at=at, conn=4, broker=2, corr=1, api=3, version=9, sent_at=at, size=30, rows=rows)


def run(*events: Wire, until: int = 10 * SPAN_US) -> list[Event]:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    for event in events:
        fold.take(event, out)
    fold.tick(until, out, final=True)
    assert fold.held == 0
    return out


def test_a_calm_connection_is_told_as_it_is() -> None:
    events = [ask(1 + number * SPAN_US // LIMIT) for number in range(200)]
    assert run(*events) == events


def test_a_storm_keeps_first_and_last_of_each_kind_and_counts_the_rest() -> None:
    events = [frame for at in range(1, 2001) for frame in (ask(at), tell(at, code=56 if at < 1000 else 0))]
    out = run(*events)
    folded = [event for event in out if isinstance(event, Folded)]
    told = [event for event in out if isinstance(event, (Request, Response))]
    assert told[:LIMIT] == events[:LIMIT]
    assert len(told) < LIMIT + 8
    assert tell(1000) in told  # the first good answer is told, and at once: everything before it is in `out` before it
    assert tell(999, code=56) in told
    assert (events[-2] in told, events[-1] in told) == (True, True)
    (line,) = folded
    assert (line.conn, line.broker, line.api, line.version) == (4, 2, 3, 9)
    assert line.requests + line.responses + len(told) == len(events)
    assert set(line.rows) == {Row(topic="t", partition=0, code=code, leader=1) for code in (56, 0)}
    assert 1 <= line.at <= line.until <= 2000


def test_firsts_pass_at_once() -> None:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    for at in range(1, 101):
        fold.take(ask(at), out)
    fold.take(tell(101, code=6), out)
    assert out[-1] == tell(101, code=6)
    assert fold.held == 100 - LIMIT - 1


def test_the_second_after_a_storm_is_told_again() -> None:
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
    told = len(out)
    for event in late:
        fold.take(event, out)
    assert out[told:] == late


def test_a_storm_lasts_from_its_third_second_until_a_calm_one() -> None:
    fold, out = Fold(4, 2, limit=LIMIT), list[Event]()
    seen = []
    for second, frames in enumerate((LIMIT, 50, 200, 200, CALM + 1, CALM, 3)):
        for frame in range(frames):
            fold.take(ask(1 + second * SPAN_US + frame), out)
        seen.append(fold.lasts)
    assert seen == [False, False, False, True, True, True, False]


def test_two_storms_apart_are_no_storm_that_lasts() -> None:
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
def test_nothing_is_lost_and_nothing_twice(steps: list[tuple[int, bool, int, str]]) -> None:
    at, events = 1, list[Wire]()
    for wait, asks, code, topic in steps:
        at += wait
        events.append(ask(at, topic, corr=at) if asks else tell(at, code, topic))
    out = run(*events, until=at)
    told = Counter(id(event) for event in out if not isinstance(event, Folded))
    assert set(told.values()) <= {1}
    counted = sum(event.requests + event.responses for event in out if isinstance(event, Folded))
    assert len(told) + counted == len(events)


@pytest.mark.parametrize("kinds", [MAX_KINDS, MAX_KINDS * 4])
def test_many_kinds_are_bounded(kinds: int) -> None:
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
