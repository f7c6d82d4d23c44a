"""Questions to the verdict, and what they leave of the loop's time."""

from __future__ import annotations

import asyncio
import time

import uvloop

from probe.model import History
from probe.runner.judge_executor import LONG_HISTORY, submit
from tests.support.histories import history

READ_S = 0.01
ASKING = 40


def slow(told: History) -> int:
    time.sleep(READ_S)
    return len(told.events)


async def longest_turn() -> float:
    """Return how long the loop was kept at the most while many ask at once."""
    asked = asyncio.gather(*(submit(slow, history()) for _ in range(ASKING)))
    longest, before = 0.0, time.monotonic()
    while not asked.done():
        await asyncio.sleep(0.001)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    assert len(set(await asked)) == 1
    return longest


def test_who_asks_at_once_is_answered_one_in_a_turn_of_the_loop() -> None:
    assert len(history().events) < LONG_HISTORY
    for run in (asyncio.run, uvloop.run):
        assert run(longest_turn()) < ASKING * READ_S / 2
