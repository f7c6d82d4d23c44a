"""Questions to the verdict: long histories are read beside the loop, which must keep time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from probe.model import History
from probe.priority import come_first

Answer = TypeVar("Answer")
LONG = 1000
"""So many events are read within some 10 ms of a core."""
READERS = 2
"""Each reader more has its turns with the interpreter, for which the loop waits at each system call; with one alone, a
flood of half a million answers would keep all others waiting."""
_readers = ThreadPoolExecutor(READERS, thread_name_prefix="reader", initializer=come_first)


async def ask(question: Callable[[History], Answer], history: History) -> Answer:
    """Return the question's answer."""
    if len(history.events) < LONG:
        return question(history)
    return await ask_beside(question, history)


async def ask_beside(question: Callable[[History], Answer], history: History) -> Answer:
    """Return the question's answer, read beside the loop however short the history: a whole cohort may ask at once."""
    return await asyncio.get_running_loop().run_in_executor(_readers, question, history)
