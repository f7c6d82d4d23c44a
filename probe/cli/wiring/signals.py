"""SIGINT and SIGTERM outside of a run's event loop: the command ends at once, and temporary files are removed."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

from probe.cli.console.failure import fail
from probe.errors import EndedError

SIGNALS = (signal.SIGINT, signal.SIGTERM)


def handle_signals() -> None:
    """Make both signals raise EndedError. Main thread only."""
    for number in SIGNALS:
        signal.signal(number, _end)


def end_by_signal(ended: EndedError) -> NoReturn:
    """End the process with one line and the exit code of the signal; a further signal changes neither.

    A normal exit would wait for threads that obtain clients or start Spark.
    """
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    fail("ended by a signal; stored results and published files are kept, and the same command starts again")
    sys.stdout.flush()
    os._exit(ended.exit_code)


def exit_at_signals() -> None:
    """Let a signal end the process without a word from now on: the command has ended, and the interpreter tidies up."""
    for number in SIGNALS:
        signal.signal(number, lambda got, _: os._exit(128 + got))


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


@contextmanager
def interrupt_ends_input() -> Iterator[None]:
    """Let the first SIGINT of the block pass, the next one end the command. Main thread only.

    Ctrl-C reaches every process of a pipe: the one that feeds standard input ends by it, and what it has sent is read.
    """

    def wait(_number: int, _frame: FrameType | None) -> None:
        from probe.cli.console.streams import say  # noqa: PLC0415  # commands that read no input need not load it

        signal.signal(signal.SIGINT, _end)
        say("what has been read is reported as soon as the input ends; Ctrl-C again ends without a report")

    with restored_handlers():
        signal.signal(signal.SIGINT, wait)
        yield
