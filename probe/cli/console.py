"""Where words go: results to stdout, progress and errors to stderr."""

from __future__ import annotations

import sys

from rich.console import Console

OUT = Console(highlight=False, soft_wrap=True)
ERR = Console(stderr=True, highlight=False, soft_wrap=True)


def fail(text: str) -> None:
    """Write one line of failure."""
    print(f"probe: {' '.join(text.split())}", file=sys.stderr)  # noqa: T201  # no markup, no wrapping


def say(text: str) -> None:
    """Write one line of progress."""
    ERR.print(text, markup=False)
