"""The number of trials that run at once follows their results."""

from __future__ import annotations

import asyncio

from probe.planning.plan import WAITING_PER_JOB
from probe.runner.schedule.adaptive_limit import MIN_LIMIT, AdaptiveLimit


def crowd(most: int) -> tuple[AdaptiveLimit, list[float]]:
    now = [0.0]
    return AdaptiveLimit(most, lambda: now[0]), now


def test_one_stall_cuts_the_limit_once_and_not_below_the_least() -> None:
    many, now = crowd(100)
    now[0] = 5.0
    many.failed(entered=1.0)
    now[0] = 90.0
    many.failed(entered=2.0)  # the same stall, observed for longer
    assert many.limit == 70
    many.failed(entered=6.0)
    assert many.limit == 49
    for _ in range(50):
        now[0] += 1
        many.failed(entered=now[0] - 0.5)
    assert many.limit == MIN_LIMIT
    few, _ = crowd(2)
    few.failed(entered=0.0)
    assert few.limit == 2


def test_a_round_of_successes_raises_the_limit_by_one() -> None:
    many, _ = crowd(20)
    many.failed(entered=0.0)
    assert many.limit == 14
    for _ in range(15):
        many.went_well()
    assert many.limit == 15
    for _ in range(1000):
        many.went_well()
    assert many.limit == 20


def test_recovery_is_fast_at_first_and_slow_near_the_failed_limit() -> None:
    def rounds(many: AdaptiveLimit, limit: int) -> int:
        count = 0
        while many.limit < limit:
            count += 1
            for _ in range(many.limit):
                many.went_well()
        return count

    many, now = crowd(100)
    for _ in range(2):
        now[0] += 1
        many.failed(entered=now[0] - 0.5)
    assert many.limit == 49
    assert rounds(many, 63) <= 5
    assert rounds(many, 74) >= 8
    assert rounds(many, 100) <= 15


def test_a_trial_waits_for_room_under_the_current_limit() -> None:
    async def play() -> list[str]:
        many, _ = crowd(10)
        permits = [await many.enter() for _ in range(10)]
        many.failed(entered=0.0)  # from now on eight may run
        events: list[str] = []

        async def enter() -> None:
            await many.enter()
            events.append("entered")

        waiting = asyncio.create_task(enter())
        for number, permit in enumerate(permits[:4]):
            await asyncio.sleep(0)
            events.append(f"{number} left")
            permit.release()
            await asyncio.sleep(0.01)
        await asyncio.wait_for(waiting, 5)
        return events

    assert asyncio.run(play()) == ["0 left", "1 left", "2 left", "entered", "3 left"]


def test_a_downgraded_permit_makes_room_up_to_a_bound() -> None:
    async def play() -> int:
        many, _ = crowd(2)
        inside = 0
        for _ in range(WAITING_PER_JOB * 2):
            permit = await asyncio.wait_for(many.enter(), 1)
            permit.downgrade()
            permit.downgrade()
            inside += 1
        last = [await asyncio.wait_for(many.enter(), 1) for _ in range(2)]
        inside += len(last)
        blocked = asyncio.create_task(many.enter())
        await asyncio.sleep(0.01)
        assert not blocked.done()
        permit.release()
        permit.release()
        await asyncio.sleep(0.01)
        assert not blocked.done(), "a downgraded permit was released, but two full permits remain"
        last[0].release()
        await asyncio.wait_for(blocked, 1)
        return inside

    assert asyncio.run(play()) == (WAITING_PER_JOB + 1) * 2
