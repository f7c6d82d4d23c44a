"""The recorder, the clocks of drivers and the lag of the event loop."""

from __future__ import annotations

import asyncio
import time

import pytest

from probe.drivers import clock as clocks
from probe.drivers.clock import Clock
from probe.model import (
    App,
    AppKind,
    Cell,
    Engine,
    Expectation,
    Header,
    Limits,
    MarkKind,
    Reaction,
    Response,
    Role,
    Row,
    Subject,
    Symptom,
    Target,
)
from probe.model.clock import now_us
from probe.protocol.apis import OFFSET_COMMIT
from probe.recorder import Recorder
from probe.runner.loop_lag import LoopLag
from probe.runner.trial.client_limits import refresh_ms
from tests.support import virtual_time

HEADER = Header(
    cell=Cell("demo", "1.0", Role.PRODUCER, "isolated", "steady", Engine.EMBEDDED, "3.9"),
    trial=0,
    seed=1,
    play=Expectation(kind=Symptom.NONE, expects=Reaction.NOTHING, target=Target.NONE),
    limits=Limits(back_off_ms=100),
    subject=Subject(topic="t", affected=0, bystander=1, instance="i", client_id="i"),
)


def acked(at: int, partition: int = 0) -> App:
    return App(at=at, kind=AppKind.ACKED, instance="i", partition=partition)


def test_histories_are_ordered_and_immutable() -> None:
    recorder = Recorder()
    recorder.add(acked(30))
    recorder.add(acked(10))
    first = recorder.history(HEADER)
    recorder.add(acked(20))
    assert [event.at for event in first.events] == [10, 30]
    assert [event.at for event in recorder.history(HEADER).events] == [10, 20, 30]


def test_tallies_count_the_events() -> None:
    recorder = Recorder()
    recorder.add(App(at=1, kind=AppKind.READY, instance="i", settings={"acks": "1"}))
    recorder.add(acked(2))
    recorder.add(acked(3, partition=1))
    recorder.add(App(at=4, kind=AppKind.CLOSED, instance="i"))
    assert recorder.settings == {"acks": "1"}
    assert dict(recorder.successes) == {0: 1, 1: 1}
    assert recorder.ending is not None
    assert recorder.ending.kind is AppKind.CLOSED


def test_until_wakes_on_an_event_and_has_a_time_limit() -> None:
    async def play() -> tuple[bool, bool, float]:
        recorder = Recorder()
        asyncio.get_running_loop().call_later(0.05, recorder.add, acked(1))
        came = await recorder.until(lambda now: now.successes[0] > 0, 5.0)
        started = time.monotonic()
        missed = await recorder.until(lambda now: now.successes[0] > 1, 0.1)
        return came, missed, time.monotonic() - started

    came, missed, waited = virtual_time.run(play())
    assert came
    assert not missed
    assert waited < 2


def test_marks_have_the_current_time() -> None:
    recorder = Recorder()
    before = now_us()
    at = recorder.mark(MarkKind.WARM)
    assert before <= at <= now_us()


def test_the_clock_keeps_its_best_measurement() -> None:
    clock = Clock()
    first = clock.ping()
    clock.pong(first, now_us() - 500)
    error, offset = clock.error_us, clock.offset_us
    assert 400 <= offset <= 500 + 2 * error
    slow = clock.ping()
    time.sleep(0.05)
    clock.pong(slow, 0)
    assert (clock.error_us, clock.offset_us) == (error, offset)


def test_an_old_measurement_is_not_replaced_by_a_bad_one(monkeypatch: pytest.MonkeyPatch) -> None:
    time_us = [1_000_000]
    monkeypatch.setattr(clocks, "now_us", lambda: time_us[0])

    def ping(clock: Clock, round_trip_us: int) -> None:
        number = clock.ping()
        time_us[0] += round_trip_us
        clock.pong(number, time_us[0])  # the answer took no time, so the middle is off by half the round trip

    clock = Clock()
    ping(clock, 200)
    assert (clock.offset_us, clock.error_us) == (-100, 100)
    time_us[0] += 60_000_000
    ping(clock, 200_000)
    assert (clock.offset_us, clock.error_us) == (-100, 100)
    ping(clock, 2_000)
    assert (clock.offset_us, clock.error_us) == (-1000, 1000)


def test_a_new_measurement_keeps_the_order_of_times() -> None:
    clock = Clock()
    clock.offset_us = 5_000
    first, second = clock.at(1_000), clock.at(2_000)
    clock.offset_us = -100_000
    third, early = clock.at(3_000), clock.at(2_900)
    assert [first, second, third] == [6_000, 7_000, 7_000]
    assert second - 100 <= early <= third
    clock.offset_us = 5_000
    assert clock.at(4_000) == 9_000


def test_the_error_bound_is_that_of_reported_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound of a history covers its own events, and not the times of later ones."""
    time_us = [1_000_000]
    monkeypatch.setattr(clocks, "now_us", lambda: time_us[0])
    clock = Clock()
    number = clock.ping()
    time_us[0] += 400_000
    clock.pong(number, time_us[0])
    assert not clock.trusted
    early = clock.at(time_us[0])
    assert (early - time_us[0], clock.bound_us) == (-200_000, 200_000)
    number = clock.ping()
    time_us[0] += 2_000
    clock.pong(number, time_us[0] - 1_000)
    assert clock.trusted
    assert clock.at(time_us[0]) == time_us[0]
    assert clock.bound_us == 1_000
    clock.offset_us = -50_000
    assert clock.at(time_us[0] + 10) == time_us[0]
    assert clock.bound_us == 1_000 + 49_990


def test_a_stalled_loop_is_measured() -> None:
    async def play() -> tuple[int, int]:
        lag = LoopLag()
        async with lag.measuring():
            await asyncio.sleep(0.1)
            start = now_us()
            time.sleep(0.4)  # noqa: ASYNC251  # the stall that the test is about
            await asyncio.sleep(0.1)
            end = now_us()
            return lag.worst_ms(start, end), lag.worst_ms(end + 1, end + 2)

    inside, outside = virtual_time.run(play())
    assert inside >= 350
    assert outside == 0


def test_a_disabled_refresh_has_no_interval() -> None:
    assert refresh_ms({"refresh_ms": "-1"}) == 0
    assert refresh_ms({"refresh_ms": "1000"}) == 1000


def test_commits_that_the_library_makes_are_counted_on_the_wire() -> None:
    answer = Response(
        at=1,
        conn=1,
        broker=1,
        corr=1,
        api=OFFSET_COMMIT,
        version=8,
        sent_at=0,
        rows=(Row(topic="t", partition=0), Row(topic="t", partition=1, code=25)),
    )
    for by_wire, count in ((True, 1), (False, 0)):
        recorder = Recorder(commits_by_wire=by_wire)
        recorder.add(answer)
        assert recorder.kinds[AppKind.COMMITTED] == count
