"""Who gets a core first: we, who stamp the times; not the clients and clusters that we start."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

THREADS = Path("/proc/self/task")
OWN_PRIORITY = -10
"""Niceness of this process where it gets no real-time priority."""
CHILD_NICENESS = 3
"""Niceness of clients and clusters."""
TURN_S = 0.0001
"""The loop gives the interpreter away at each system call: other threads may keep it for so long."""
RESET = getattr(os, "SCHED_RESET_ON_FORK", 0)
BATCH = getattr(os, "SCHED_BATCH", 0)
"""Of clients and clusters: who wakes takes no core from another of them before its turn ends, which is 3 ms at the most
(sched(7)). Brokers and clients that wake each other thousands of times a second took cores from each other half as
often, and all that they did cost a twentieth less."""
LOOP, BESIDE = 2, 1
"""Real-time priorities: the loop's thread, and others of ours, which give it their core at once."""
NEWCOMERS_S = 0.2
"""gRPC, ZooKeeper's client and Arrow begin threads of their own whenever they like."""


def prefer_own_threads() -> None:
    """Let the thread that stamps the times have its turn before others, and its core, where this user may ask.

    All threads of the process: one that holds the interpreter while it has no core keeps the loop waiting for both.
    With real-time priority where that is allowed: on full cores Linux kept a thread of niceness -15 waiting for 100 ms
    several times a minute, and none that had it. Children, and threads that are started later, do not take after us.
    """
    sys.setswitchinterval(TURN_S)
    for thread in _threads():
        with contextlib.suppress(OSError):
            if not _in_real_time(thread, RESET, LOOP if thread in {0, os.getpid()} else BESIDE):
                os.setpriority(os.PRIO_PROCESS, thread, OWN_PRIORITY)


@contextlib.asynccontextmanager
async def preferring_own_threads() -> AsyncIterator[None]:
    """Let threads that begin while inside come first, too.

    One of gRPC's or of ZooKeeper's client that holds a lock, or the interpreter, and has no core keeps the loop waiting
    as clients keep it: for 0.3 to 0.9 s on full cores.
    """
    prefer_own_threads()
    task = asyncio.create_task(_raise_newcomers())
    try:
        yield
    finally:
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task


async def _raise_newcomers() -> None:
    known: frozenset[int] = frozenset()
    while True:
        there = _threads()
        if there - known:
            prefer_own_threads()
        known = there
        await asyncio.sleep(NEWCOMERS_S)


def _threads() -> frozenset[int]:
    """Return the threads of this process; 0, who asks, where nobody lists them."""
    return frozenset(int(thread.name) for thread in THREADS.iterdir()) if THREADS.is_dir() else frozenset({0})


def _in_real_time(thread: int, flags: int, priority: int) -> bool:
    """Give a thread real-time priority; say whether that is allowed here."""
    if not hasattr(os, "sched_setscheduler"):
        return False
    try:
        os.sched_setscheduler(thread, os.SCHED_RR | flags, os.sched_param(priority))
    except PermissionError:
        return False
    return True


@contextlib.contextmanager
def starting(argv: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the command line to start a child with, at once: it goes last only when it is there.

    From vfork to exec a child keeps its parent and the interpreter waiting; one without our priority did so for 0.3 to
    0.9 s on full cores. So it takes after us until then, and `chrt`, the program it becomes first, gives that up.
    """
    chrt = shutil.which("chrt")
    ours = hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) & ~RESET == os.SCHED_RR
    there = shutil.which(argv[0]) is not None  # else the caller learns it as ever
    if chrt is None or not ours or not there or not _in_real_time(0, 0, LOOP):
        yield argv
        return
    try:
        yield [chrt, "--batch", "0", *argv]
    finally:
        _in_real_time(0, RESET, LOOP)


def lower_child(process: int) -> None:
    """Let a child, and what it starts from now on, have a core after us, and keep it for its turn."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, CHILD_NICENESS)
        if BATCH:
            os.sched_setscheduler(process, BATCH, os.sched_param(0))
