"""Scheduling priorities of the probe's threads and children."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from probe.processes.scheduling import CHILD_NICENESS, LOOP, OWN_PRIORITY, lower_child


def output_of(program: str) -> Any:
    """Run a program in a separate process, because it changes its own scheduling; return its JSON."""
    argv = [sys.executable, "-c", program]
    return json.loads(subprocess.run(argv, capture_output=True, check=True).stdout)


def test_own_threads_get_priority_and_children_do_not_inherit_it() -> None:
    program = """
import json, os, subprocess, sys, threading
from probe.processes.scheduling import prefer_own_threads, starting
stop = threading.Event()
other = threading.Thread(target=stop.wait)
other.start()
prefer_own_threads()
threads = [threading.get_native_id(), other.native_id]
mine = [[os.sched_getscheduler(one) & ~os.SCHED_RESET_ON_FORK, os.getpriority(os.PRIO_PROCESS, one)] for one in threads]
stop.set()
ask = [sys.executable, "-c", "import os; print(os.sched_getscheduler(0))"]
children = [subprocess.run(ask, capture_output=True, check=True).stdout]
with starting(ask) as command:
    children.append(subprocess.run(command, capture_output=True, check=True).stdout)
children.append(subprocess.run(ask, capture_output=True, check=True).stdout)
print(json.dumps({"mine": mine, "children": [int(text) for text in children]}))
"""
    output = output_of(program)
    before, started, after = output["children"]
    assert before == after == os.SCHED_OTHER
    assert started in {os.SCHED_OTHER, os.SCHED_BATCH}
    first, second = output["mine"]
    assert first == second
    assert os.geteuid() != 0 or first[0] == os.SCHED_RR or first[1] == OWN_PRIORITY


def test_a_child_gets_a_low_batch_priority() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        lower_child(child.pid)
        assert os.getpriority(os.PRIO_PROCESS, child.pid) == CHILD_NICENESS
        assert os.sched_getscheduler(child.pid) == os.SCHED_BATCH
        child.communicate(b"\n")


def test_a_child_waits_for_more_than_its_command_does() -> None:
    program = """
import os
own = os.nice({})
from probe.processes.scheduling import CHILD_NICENESS
print([own, CHILD_NICENESS])
"""
    own, child = output_of(program.format(5))
    assert child == min(19, own + 3)
    assert output_of(program.format(19)) == [19, 19]


@pytest.mark.skipif(not hasattr(os, "SCHED_RR") or os.geteuid() != 0, reason="real-time priority needs root here")
def test_new_threads_get_priority_below_the_event_loop() -> None:
    program = """
import asyncio, json, os, threading, time
from probe.processes.scheduling import preferring_own_threads

def policy(thread):
    return [os.sched_getscheduler(thread) & ~os.SCHED_RESET_ON_FORK, os.sched_getparam(thread).sched_priority]

async def main():
    async with preferring_own_threads():
        stop = threading.Event()
        late = threading.Thread(target=stop.wait)
        late.start()
        deadline = time.monotonic() + 10
        while policy(late.native_id)[0] != os.SCHED_RR and time.monotonic() < deadline:
            await asyncio.sleep(0.02)
        print(json.dumps([policy(0), policy(late.native_id)]))
        stop.set()

asyncio.run(main())
"""
    loop, late = output_of(program)
    if loop[0] != os.SCHED_RR:
        pytest.skip("this machine grants no real-time priority")
    assert loop == [os.SCHED_RR, LOOP]
    assert late[0] == os.SCHED_RR
    assert late[1] < LOOP
