"""Output of commands: results to stdout, progress and errors to stderr.

The consoles of rich are made when they are first used, because rich takes longer to load than a look-up runs.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    OUT: Console
    ERR: Console

WIDE = 240
"""Width without a terminal, in columns, so that tables in logs are not cut."""


def __getattr__(name: str) -> Console:
    """Make a console at its first use."""
    if name not in {"OUT", "ERR"}:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from rich.console import Console  # noqa: PLC0415  # see above

    if name == "ERR":
        made = Console(stderr=True, highlight=False, soft_wrap=True)
    else:
        made = Console(highlight=False, soft_wrap=True, width=None if sys.stdout.isatty() else WIDE)
    globals()[name] = made
    return made


def say(text: str) -> None:
    """Write one line of progress."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201  # the one place that does
