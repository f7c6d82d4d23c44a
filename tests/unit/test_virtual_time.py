"""The clock of tests that wait for nothing from outside."""

from __future__ import annotations

import asyncio
import threading
import time

from tests.support import virtual_time


def test_the_clock_jumps_to_the_next_timer() -> None:
    async def story() -> float:
        before = time.monotonic()
        await asyncio.sleep(3600)
        time.sleep(60)  # noqa: ASYNC251  # jumps, too
        return time.monotonic() - before

    assert 3660 <= virtual_time.run(story()) < 3661


def test_waits_of_other_threads_do_not_move_the_clock() -> None:
    ended = threading.Event()

    def other() -> None:
        time.sleep(0.05)
        ended.set()

    async def story() -> float:
        before = time.monotonic()
        threading.Thread(target=other).start()
        assert ended.wait(10)
        return time.monotonic() - before

    assert virtual_time.run(story()) == 0
