"""The line that reports a failure. It needs no library, since every command loads this module."""

from __future__ import annotations

import sys


def fail(text: str) -> None:
    """Write one line of failure to stderr."""
    print(f"probe: {' '.join(text.split())}", file=sys.stderr)  # noqa: T201  # no markup, no wrapping
