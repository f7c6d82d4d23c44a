"""Lines about cells that were measured under older conditions only (docs/verdicts.md#numbers-of-the-conditions)."""

from __future__ import annotations

from collections.abc import Collection

from probe.cli.console.streams import say
from probe.model import Cell


def say_older(cells: Collection[Cell], consequence: str) -> None:
    """Print how many cells were measured under older conditions only, and what follows; nothing for no cell."""
    if cells:
        cell = "1 cell was" if len(cells) == 1 else f"{len(cells)} cells were"
        say(f"{cell} measured under older conditions only: {consequence}")
