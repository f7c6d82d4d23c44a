"""The number of trials that run at once follows the machine and their results."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from probe.model import Client
from probe.planning.plan import WAITING_PER_JOB
from probe.runner.capacity import CALM_MS, Machine
from probe.runner.schedule.adaptive_limit import (
    DECREASE_FACTOR,
    FIRST_CUT_FROM,
    MIN_LIMIT,
    PATIENCE_S,
    AdaptiveLimit,
    AdmissionLimits,
    StartingSlots,
    no_machine,
)
from probe.runner.trial_limit import MOST
from tests.support import virtual_time


def crowd(most: int | None, machine: Callable[[], Machine] = no_machine) -> tuple[AdaptiveLimit, list[float]]:
    now = [0.0]
    return AdaptiveLimit(AdmissionLimits(jobs=most), machine, clock=lambda: now[0]), now


async def filled(many: AdaptiveLimit, count: int, now: list[float]) -> None:
    for _ in range(count):
        now[0] += 1
        await asyncio.wait_for(many.enter(), 1)


def test_one_stall_cuts_the_limit_once_and_not_below_the_least() -> None:
    many, now = crowd(100)
    virtual_time.run(filled(many, 100, now))
    many.failed(entered=1.0)
    now[0] += 85.0
    many.failed(entered=2.0)  # the same stall, observed for longer
    assert many.limit == 70
    many.failed(entered=now[0] - 1)
    assert many.limit == 49
    for _ in range(50):
        now[0] += 1
        many.failed(entered=now[0] - 0.5)
    assert many.limit == MIN_LIMIT
    few, _ = crowd(2)
    few.failed(entered=0.0)
    assert few.limit == 2


def test_without_jobs_a_failure_cuts_from_the_trials_that_were_busy() -> None:
    many, now = crowd(None)
    assert many.limit == MOST
    virtual_time.run(filled(many, 60, now))
    many.failed(entered=now[0])
    assert many.limit == int(60 * DECREASE_FACTOR)
    early, now = crowd(None)
    virtual_time.run(filled(early, 3, now))
    early.failed(entered=now[0])
    assert early.limit == int(FIRST_CUT_FROM * DECREASE_FACTOR), "three trials are no limit of the machine"


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
    virtual_time.run(filled(many, 100, now))
    for _ in range(2):
        now[0] += 1
        many.failed(entered=now[0] - 0.5)
    assert many.limit == 49
    assert rounds(many, 63) <= 5
    assert rounds(many, 74) >= 8
    assert rounds(many, 100) <= 15


def test_a_trial_waits_for_room_under_the_current_limit() -> None:
    async def play() -> list[str]:
        many = AdaptiveLimit(AdmissionLimits(jobs=10))
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
            await asyncio.sleep(0.05)
        await asyncio.wait_for(waiting, 5)
        return events

    assert virtual_time.run(play()) == ["0 left", "1 left", "2 left", "entered", "3 left"]


def test_a_downgraded_permit_makes_room_up_to_a_bound() -> None:
    async def play() -> int:
        many = AdaptiveLimit(AdmissionLimits(jobs=2))
        inside = 0
        for _ in range(WAITING_PER_JOB * 2):
            permit = await asyncio.wait_for(many.enter(), 1)
            permit.downgrade()
            permit.downgrade()
            inside += 1
        last = [await asyncio.wait_for(many.enter(), 1) for _ in range(2)]
        inside += len(last)
        blocked = asyncio.create_task(many.enter())
        await asyncio.sleep(0.05)
        assert not blocked.done()
        permit.release()
        permit.release()
        await asyncio.sleep(0.05)
        assert not blocked.done(), "a downgraded permit was released, but two full permits remain"
        last[0].release()
        await asyncio.wait_for(blocked, 1)
        return inside

    assert virtual_time.run(play()) == (WAITING_PER_JOB + 1) * 2


def test_a_trial_waits_for_a_punctual_loop_and_the_cause_is_shown() -> None:
    async def play() -> tuple[str, str, str]:
        state = [Machine(cores=2, idle=1.0)]
        many, now = crowd(None, lambda: state[0])
        await many.enter()
        now[0], state[0] = 1.0, Machine(cores=2, idle=1.0, lag_ms=CALM_MS)
        waiting = asyncio.create_task(many.enter())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        held = many.standing()
        state[0] = Machine(cores=2, idle=1.0)
        await asyncio.wait_for(waiting, 1)
        before = many.standing()
        many.all_admitted()
        return held, before, many.standing()

    assert virtual_time.run(play()) == (
        "1 in flight, limited by event loop",
        "2 in flight, limited by event loop",
        "2 in flight",
    )


def test_a_machine_that_others_keep_busy_does_not_stop_a_run() -> None:
    async def play() -> None:
        many, now = crowd(None, lambda: Machine(cores=2, idle=0.0, runnable=50))
        waiting = asyncio.create_task(many.enter())
        await asyncio.sleep(0.05)
        assert not waiting.done()
        now[0] += PATIENCE_S
        await asyncio.wait_for(waiting, 1)

    virtual_time.run(play())


def test_memory_per_trial_is_what_trials_were_seen_to_take() -> None:
    async def play(taken_mb: float) -> int:
        trials = [0]
        many, now = crowd(None, lambda: Machine(cores=2, idle=1.0, memory_mb=1800 - taken_mb * trials[0]))
        for _ in range(200):
            now[0] += 1
            try:
                await asyncio.wait_for(many.enter(Client("java", "4.4.0")), 0.1)
            except TimeoutError:
                break
            trials[0] += 1
        return trials[0]

    light, heavy = virtual_time.run(play(20)), asyncio.run(play(120))
    assert 1800 - 20 * light > 200
    assert 1800 - 120 * heavy > 200
    assert light > 3 * heavy > 3 * 8


def test_an_exact_number_ignores_machine_failures_and_rest() -> None:
    async def play() -> None:
        many = AdaptiveLimit(AdmissionLimits(exactly=3), lambda: Machine(cores=1, idle=0.0, runnable=99, lag_ms=999))
        permits = [await asyncio.wait_for(many.enter(), 1) for _ in range(3)]
        many.failed(entered=permits[-1].entered)
        permits[0].downgrade()
        blocked = asyncio.create_task(many.enter())
        await asyncio.sleep(0.05)
        assert not blocked.done()
        permits[0].release()
        await asyncio.wait_for(blocked, 1)

    virtual_time.run(play())


def test_slots_of_starting_trials_are_counted() -> None:
    async def play() -> list[int]:
        slots, seen = StartingSlots(2), []
        await slots.acquire()
        await slots.acquire()
        seen.append(slots.taken)
        third = asyncio.create_task(slots.acquire())
        await asyncio.sleep(0)
        assert not third.done()
        slots.release()
        await third
        seen.append(slots.taken)
        slots.release()
        slots.release()
        return [*seen, slots.taken]

    assert virtual_time.run(play()) == [2, 2, 0]
