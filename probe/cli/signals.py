"""SIGINT and SIGTERM outside of a run's loop: the command ends at once, and what it was writing aside goes."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from probe.errors import EndedError

HEEDED = (signal.SIGINT, signal.SIGTERM)


def heed() -> None:
    """Let both raise EndedError from now on. Main thread only."""
    for number in HEEDED:
        signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    raise EndedError(number)


@contextmanager
def kept() -> Iterator[None]:
    """Put back after the block who heeded signals before it: a loop that closes sets them to the system's defaults."""
    before = {number: signal.getsignal(number) for number in HEEDED}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
