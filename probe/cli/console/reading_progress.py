"""Progress of reading large files, with the time left: one line that is written over on a terminal, else now and then.

Plain, since rich takes longer to load than small files take to read.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Self

SILENT_S = 2.0
"""Nothing is shown of what takes no longer."""
LINE_EVERY_S, TERMINAL_EVERY_S = 10.0, 0.5


class ReadingProgress:
    """Shows how much is read. Call it with the bytes that were read, and with all there are (0 = not known)."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._started = self._shown = clock()
        self._terminal = sys.stderr.isatty()
        self._width = 0

    def __call__(self, done: int, total: int) -> None:
        """Show the progress, if there is something to show."""
        now = self._clock()
        every = TERMINAL_EVERY_S if self._terminal else LINE_EVERY_S
        if now - self._started < SILENT_S or now - self._shown < every:
            return
        self._shown = now
        self._write(line(done, total, now - self._started))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._width:
            self._write("")
            sys.stderr.write("\r")
            sys.stderr.flush()

    def _write(self, text: str) -> None:
        if not self._terminal:
            sys.stderr.write(f"{text}\n")
        else:
            sys.stderr.write(f"\r{text:<{self._width}}")
            self._width = len(text)
        sys.stderr.flush()


def line(done: int, total: int, seconds: float) -> str:
    """Return the progress as words: the share that is read and the time left, or the amount where all is not known.

    >>> line(250_000_000, 1_000_000_000, 5.0)
    '25 % of 1.00 GB read, about 15 s left'
    """
    if not total or not done:
        return f"{done / 1e9:.2f} GB read in {seconds:.0f} s"
    left = seconds * (total - done) / done
    return f"{100 * done / total:.0f} % of {total / 1e9:.2f} GB read, about {left:.0f} s left"
