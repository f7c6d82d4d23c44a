"""SIGINT and SIGTERM outside of a run's event loop: the command ends at once, and temporary files are removed."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from probe.errors import EndedError

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def handle_signals() -> None:
    """Make both signals raise EndedError. Main thread only."""
    for number in SIGNALS:
        signal.signal(number, _end)


def _end(number: int, _frame: FrameType | None) -> None:
    raise EndedError(number)


@contextmanager
def restored_handlers() -> Iterator[None]:
    """Restore the previous signal handlers after the block; closing an event loop resets them to SIG_DFL."""
    before = {number: signal.getsignal(number) for number in SIGNALS}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
