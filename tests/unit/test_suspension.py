"""A stopped process goes on in any case: after its block, after an error in it, and when the probe is killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time

import pytest
import uvloop

from probe.processes.children import child
from probe.processes.suspension import suspended
from tests.support.deadlines import LONGEST_S
from tests.unit.test_children import ENDS_WITH_PIPE, gone, state

HARNESS = f"""
import asyncio, sys
from probe.processes.children import child
from probe.processes.suspension import suspended

async def work():
    async with child([sys.executable, "-c", {ENDS_WITH_PIPE!r}]) as running:
        await running.read_line({LONGEST_S})
        async with suspended(running.pid):
            print(running.pid, flush=True)
            await asyncio.sleep(600)

asyncio.run(work())
"""


def reaches(pid: int, letters: str, within_s: float = LONGEST_S) -> bool:
    """Return whether a process comes into one of these states."""
    deadline = time.monotonic() + within_s
    while state(pid) not in set(letters) and time.monotonic() < deadline:
        time.sleep(0.02)
    return state(pid) in set(letters)


@pytest.mark.parametrize("error", [None, ValueError("in the block")])
def test_a_process_is_stopped_inside_the_block_only(error: Exception | None) -> None:
    async def play() -> int:
        async with child([sys.executable, "-c", ENDS_WITH_PIPE]) as running:
            await running.read_line(LONGEST_S)
            with contextlib.suppress(ValueError):
                async with suspended(running.pid):
                    assert reaches(running.pid, "T")
                    if error:
                        raise error
            assert reaches(running.pid, "SR")
            return running.pid

    assert gone(uvloop.run(play()))


def test_a_process_that_is_gone_needs_no_end_of_its_stop() -> None:
    async def play() -> None:
        async with child([sys.executable, "-c", ENDS_WITH_PIPE]) as running:
            await running.read_line(LONGEST_S)
            async with suspended(running.pid):
                running.kill()
                assert reaches(running.pid, "Z")

    uvloop.run(play())


def test_nothing_stays_stopped_when_the_probe_is_killed() -> None:
    probe = subprocess.Popen([sys.executable, "-c", HARNESS], stdout=subprocess.PIPE, text=True)
    assert probe.stdout is not None
    pid = int(probe.stdout.readline())
    assert reaches(pid, "T")
    os.kill(probe.pid, signal.SIGKILL)
    probe.wait()
    probe.stdout.close()
    assert gone(pid), "it was continued, and ended with its pipe"
