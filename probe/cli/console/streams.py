"""Output of commands: results to stdout, progress and errors to stderr."""

from __future__ import annotations

import sys

from rich.console import Console

WIDE = 240
"""Width without a terminal, in columns, so that tables in logs are not cut."""

OUT = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDE)
ERR = Console(stderr=True, highlight=False, soft_wrap=True)


def say(text: str) -> None:
    """Write one line of progress."""
    ERR.print(text, markup=False)


def say_plain(text: str) -> None:
    """Write one line of progress as it is; a command may say thousands of them."""
    print(text, file=sys.stderr)  # noqa: T201  # no markup, no wrapping
