"""Verdicts that run outside of the event loop do not block it for long."""

from __future__ import annotations

import asyncio

import uvloop

from probe.model import History
from probe.runner.judge_executor import LONG_HISTORY, submit
from tests.support.histories import history

ASKING = 40


async def most_in_a_turn() -> int:
    """Return how many verdicts a turn of the loop had at most, during many submissions."""
    done = most = before = 0

    def judge(seen: History) -> int:
        nonlocal done
        done += 1
        return len(seen.events)

    asked = asyncio.gather(*(submit(judge, history()) for _ in range(ASKING)))
    while not asked.done():
        await asyncio.sleep(0)
        most, before = max(most, done - before), done
    assert len(set(await asked)) == 1
    return most


def test_concurrent_verdicts_take_one_turn_each() -> None:
    assert len(history().events) < LONG_HISTORY
    for run in (asyncio.run, uvloop.run):
        assert run(most_in_a_turn()) == 1
