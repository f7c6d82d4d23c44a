"""CPU priorities: the probe's own threads, which take timestamps, run before clients and clusters."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import shutil
import sys
from collections.abc import AsyncIterator, Iterator, Sequence
from pathlib import Path

from probe.processes.tasks import beside

THREADS = Path("/proc/self/task")
OWN_PRIORITY = -10
"""Niceness of this process where it gets no real-time priority."""
CHILD_NICENESS = min(19, os.getpriority(os.PRIO_PROCESS, 0) + 3)
"""Niceness of clients and clusters: three more than that with which this process was started."""
TURN_S = 0.0001
"""Longest time for which other threads keep the interpreter, which the loop releases at each system call."""
RESET = getattr(os, "SCHED_RESET_ON_FORK", 0)
BATCH = getattr(os, "SCHED_BATCH", 0)
"""Policy of clients and clusters: a process that wakes up does not preempt others of them (sched(7)). Brokers and
clients that wake each other thousands of times a second then cost less."""
LOOP, BESIDE = 2, 1
"""Real-time priorities: of the loop's thread, and of our other threads, which the loop's preempts at once."""
NEWCOMERS_S = 0.2
"""Interval of checks for new threads: gRPC, ZooKeeper's client and Arrow start some at any time."""


def prefer_own_threads() -> None:
    """Give all threads of this process priority over others, as far as this user is allowed to.

    All threads matter: one that holds the interpreter without having a core blocks the loop. Real-time priority is used
    where it is allowed, because niceness alone does not prevent long waits on full cores. Children, and threads that
    start later, do not inherit the priority.
    """
    sys.setswitchinterval(TURN_S)
    for thread in _threads():
        with contextlib.suppress(OSError):
            if not _in_real_time(thread, RESET, LOOP if thread in {0, os.getpid()} else BESIDE):
                os.setpriority(os.PRIO_PROCESS, thread, OWN_PRIORITY)


@contextlib.asynccontextmanager
async def preferring_own_threads() -> AsyncIterator[None]:
    """Prefer threads that start inside the block, too.

    A thread of gRPC or of ZooKeeper's client that holds a lock, or the interpreter, without having a core blocks the
    loop.
    """
    prefer_own_threads()
    async with beside(_raise_newcomers()):
        yield


async def _raise_newcomers() -> None:
    known: frozenset[int] = frozenset()
    while True:
        there = _threads()
        if there - known:
            prefer_own_threads()
        known = there
        await asyncio.sleep(NEWCOMERS_S)


def _threads() -> frozenset[int]:
    """Return the threads of this process; only 0, the calling thread, where the system does not list them."""
    return frozenset(int(thread.name) for thread in THREADS.iterdir()) if THREADS.is_dir() else frozenset({0})


def _in_real_time(thread: int, flags: int, priority: int) -> bool:
    """Give a thread real-time priority; return whether that is allowed."""
    if not hasattr(os, "sched_setscheduler"):
        return False
    try:
        os.sched_setscheduler(thread, os.SCHED_RR | flags, os.sched_param(priority))
    except PermissionError:
        return False
    return True


@contextlib.contextmanager
def starting(argv: Sequence[str]) -> Iterator[Sequence[str]]:
    """Yield the command line that starts a child quickly; `lower_child` then reduces its priority.

    From vfork to exec a child blocks its parent and the interpreter, for long if it has a low priority on full cores.
    So it inherits our priority until exec, and `chrt`, the first program that it executes, drops the priority.
    """
    chrt = _chrt()
    ours = hasattr(os, "sched_getscheduler") and os.sched_getscheduler(0) & ~RESET == os.SCHED_RR
    there = shutil.which(argv[0]) is not None  # otherwise the caller must get the usual error
    if chrt is None or not ours or not there or not _in_real_time(0, 0, LOOP):
        yield argv
        return
    try:
        yield [chrt, "--batch", "0", *argv]
    finally:
        _in_real_time(0, RESET, LOOP)


@functools.cache
def _chrt() -> str | None:
    return shutil.which("chrt")


def lower_child(process: int) -> None:
    """Let a child, and what it starts from now on, run after us and without preempting its own kind."""
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, process, CHILD_NICENESS)
        if BATCH:
            os.sched_setscheduler(process, BATCH, os.sched_param(0))
