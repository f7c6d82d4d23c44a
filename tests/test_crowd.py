"""How many trials are in flight follows what becomes of them."""

from __future__ import annotations

import asyncio

from probe.runner.crowd import LEAST, QUIET_S, Crowd


def crowd(most: int) -> tuple[Crowd, list[float]]:
    now = [0.0]
    return Crowd(most, lambda: now[0]), now


def test_failures_of_one_cause_count_once_and_the_limit_never_falls_below_the_least() -> None:
    many, now = crowd(100)
    many.failed()
    many.failed()
    assert many.limit == 70
    for _ in range(50):
        now[0] += QUIET_S
        many.failed()
    assert many.limit == LEAST
    few, _ = crowd(2)
    few.failed()
    assert few.limit == 2


def test_a_round_of_successes_adds_one_up_to_what_the_user_allows() -> None:
    many, _ = crowd(20)
    many.failed()
    assert many.limit == 14
    for _ in range(15):
        many.went_well()
    assert many.limit == 15
    for _ in range(1000):
        many.went_well()
    assert many.limit == 20


def test_who_enters_waits_until_there_is_room_under_the_limit_of_then() -> None:
    async def play() -> list[str]:
        many, _ = crowd(10)
        for _ in range(10):
            await many.enter()
        many.failed()  # eight may stay from now on
        told: list[str] = []

        async def enter() -> None:
            await many.enter()
            told.append("entered")

        waiting = asyncio.create_task(enter())
        for place in range(4):
            await asyncio.sleep(0)
            told.append(f"{place} left")
            await many.leave()
            await asyncio.sleep(0.01)
        await asyncio.wait_for(waiting, 5)
        return told

    assert asyncio.run(play()) == ["0 left", "1 left", "2 left", "entered", "3 left"]
