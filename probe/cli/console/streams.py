"""Output of commands: results to stdout, progress and errors to stderr.

Plain lines are written without rich, which takes as long to load as a look-up may.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TextIO

from probe.model.lazy_attribute import lazy

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

WIDE = 240
"""Width without a terminal, in columns, so that tables in logs are not cut."""
UNSEEN = dict.fromkeys((7, 8, 11, 12, 13))
"""Control characters that move the cursor or ring; they are left out."""


class Stream:
    """One of the two standard streams. What is more than a plain line is drawn by rich."""

    def __init__(self, *, to_stderr: bool) -> None:
        self._to_stderr = to_stderr

    @lazy
    def console(self) -> Console:
        """Return rich's console for this stream."""
        from rich.console import Console  # noqa: PLC0415  # see the module's docstring

        width = None if self._to_stderr or sys.stdout.isatty() else WIDE
        return Console(stderr=self._to_stderr, highlight=False, soft_wrap=True, width=width)

    def print(self, what: RenderableType, *, markup: bool = True, style: str | None = None) -> None:
        """Write a line, or whatever rich can draw.

        If rich draws something already, such as a progress bar, it writes lines as well, above it.
        """
        if isinstance(what, str) and not markup and style is None and "console" not in vars(self):
            print(what.translate(UNSEEN), file=self._file, flush=True)
        else:
            self.console.print(what, markup=markup, style=style)

    @property
    def _file(self) -> TextIO:
        return sys.stderr if self._to_stderr else sys.stdout


OUT = Stream(to_stderr=False)
ERR = Stream(to_stderr=True)


def say(text: str) -> None:
    """Write one line of progress."""
    ERR.print(text, markup=False)
