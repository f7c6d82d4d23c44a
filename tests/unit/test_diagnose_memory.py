"""A diagnosis keeps little of a long input, and its counts stay exact."""

from __future__ import annotations

from probe.diagnose.event_retention import FIRST, LAST, LEAD, Kept
from probe.diagnose.findings import Status
from probe.diagnose.observation import Wire
from probe.model import Closed, Folded, Opened, Request, Response, Row
from tests.support.wire_script import WireScript

ROW = Row(topic="orders", partition=0, code=56)


def request(at: int, api: int = 0) -> Request:
    return Request(at=at, conn=1, broker=11, corr=at, api=api, version=7, size=10, rows=(ROW,))


def test_before_a_trouble_only_the_last_seconds_are_kept() -> None:
    kept = Kept()
    for second in range(100):
        kept.add(request(second * 1_000_000))
    assert [event.at // 1_000_000 for event in kept.events()] == list(range(89, 100))


def test_a_fast_client_keeps_a_bounded_number_of_events() -> None:
    kept = Kept()
    for number in range(5 * LEAD):
        kept.add(request(number))
    assert len(kept.events()) == LEAD


def test_the_middle_of_a_long_trouble_becomes_counts_that_lose_no_frame() -> None:
    kept = Kept()
    kept.add(request(0))
    kept.begin()
    frames = FIRST + LAST + 5_000
    for number in range(1, frames):
        kept.add(request(number))
    found = kept.events()
    assert len(found) <= 1 + FIRST + LAST + 1
    assert [event.at for event in found] == sorted(event.at for event in found)
    (middle,) = [event for event in found if isinstance(event, Folded)]
    assert sum(isinstance(event, Request) for event in found) + middle.requests == frames
    assert middle.bytes == 10 * middle.requests
    assert middle.rows == (ROW,)


def test_opened_connections_and_other_kinds_of_frames_are_counted_apart() -> None:
    kept = Kept()
    kept.begin()
    answer = Response(at=0, conn=1, broker=11, corr=1, api=0, version=7, sent_at=0, size=5, rows=(ROW,))
    kinds: list[Wire] = [
        request(1),
        answer,
        Opened(at=2, conn=1, broker=11),
        Closed(at=3, conn=1, broker=11, by="client"),
    ]
    for _ in range(FIRST + LAST):
        for event in kinds:
            kept.add(event)
    (middle,) = [event for event in kept.events() if isinstance(event, Folded)]
    assert middle.requests == middle.responses > 0


def test_a_trouble_that_is_over_is_judged_and_forgotten() -> None:
    script = WireScript()
    talk = script.client()
    talk.asks()
    for _ in range(50):
        talk.works(40)
        talk.fails(6)
        talk.works(40)
    (one,) = script.only().findings
    assert (one.status, one.times) == (Status.RECOVERED, 50)


def test_an_hour_of_errors_is_counted_exactly() -> None:
    script = WireScript()
    talk = script.client()
    talk.works(10)
    talk.fails(56, times=20_000, every_ms=180)
    (one,) = script.only().findings
    assert one.errors[0].count == 20_000
    assert one.status is Status.STUCK
