"""Questions to the verdict: long histories are read beside the loop, which must keep time."""

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
"""So many events are read within some 10 ms of a core."""
WORKERS = 2
"""Each reader more has its turns with the interpreter, for which the loop waits at each system call; with one alone, a
flood of half a million answers would keep all others waiting."""
_readers = ThreadPoolExecutor(WORKERS, thread_name_prefix="reader", initializer=prefer_own_threads)
_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def submit(question: Callable[[History], Answer], history: History) -> Answer:
    """Return the question's answer; of short histories one is read in a turn of the loop.

    Dozens of trials may wait for one thing, a control cell or the end of their cohort, and all ask when it comes: in
    one turn that kept the loop for 0.3 to 0.6 s.
    """
    if len(history.events) >= LONG_HISTORY:
        return await submit_to_thread(question, history)
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        answer = question(history)
        await asyncio.sleep(0)
        return answer


async def submit_to_thread(question: Callable[[History], Answer], history: History) -> Answer:
    """Return the question's answer, read beside the loop however short the history: a whole cohort may ask at once."""
    return await asyncio.get_running_loop().run_in_executor(_readers, question, history)
