"""Questions to the verdict: long histories are read beside the loop, which must keep time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TypeVar

from probe.model import History

Answer = TypeVar("Answer")
LONG = 2500
"""So many events are read within some 30 ms of a busy core."""


async def ask(question: Callable[[History], Answer], history: History) -> Answer:
    """Return the question's answer."""
    if len(history.events) < LONG:
        return question(history)
    return await asyncio.to_thread(question, history)
