"""Verdicts that run outside of the event loop do not block it for long."""

from __future__ import annotations

import asyncio
import time

import uvloop

from probe.model import History
from probe.runner.judge_executor import LONG_HISTORY, submit
from tests.support.histories import history

READ_S = 0.01
ASKING = 40


def slow(seen: History) -> int:
    time.sleep(READ_S)
    return len(seen.events)


async def longest_turn() -> float:
    """Return the longest time in seconds for which the loop was blocked during many submissions."""
    asked = asyncio.gather(*(submit(slow, history()) for _ in range(ASKING)))
    longest, before = 0.0, time.monotonic()
    while not asked.done():
        await asyncio.sleep(0.001)
        now = time.monotonic()
        longest, before = max(longest, now - before), now
    assert len(set(await asked)) == 1
    return longest


def test_concurrent_verdicts_take_one_turn_each() -> None:
    assert len(history().events) < LONG_HISTORY
    for run in (asyncio.run, uvloop.run):
        assert run(longest_turn()) < ASKING * READ_S / 2
