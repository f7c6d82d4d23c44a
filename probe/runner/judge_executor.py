"""Execution of the verdict on long histories outside the event loop, which must not be blocked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from weakref import WeakKeyDictionary

from probe.model import History
from probe.processes.scheduling import prefer_own_threads

Answer = TypeVar("Answer")
LONG_HISTORY = 1000
"""Histories with at least this many events are judged in a thread; shorter ones take some 10 ms at most."""
WORKERS = 2
"""Threads of the executor. Each more contends for the interpreter, for which the loop waits at every system call. With
only one, a flood of answers in one trial would delay all others."""
_readers = ThreadPoolExecutor(WORKERS, thread_name_prefix="reader", initializer=prefer_own_threads)
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def submit(question: Callable[[History], Answer], history: History) -> Answer:
    """Return the answer of `question`, a function of the verdict; only one short history is read per turn of the loop.

    Dozens of trials may wait for one event, such as the end of a control cell or of their cohort, and ask at once. All
    of their questions in one turn would block the loop.
    """
    if len(history.events) >= LONG_HISTORY:
        return await submit_to_thread(question, history)
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        answer = question(history)
        await asyncio.sleep(0)
        return answer


async def submit_to_thread(question: Callable[[History], Answer], history: History) -> Answer:
    """Return the answer from a thread, however short the history is: a whole cohort may ask at once."""
    return await asyncio.get_running_loop().run_in_executor(_readers, question, history)
