"""Lines about cells that were measured under older conditions only (docs/verdicts.md#numbers-of-the-conditions)."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from probe.cli.console.streams import say
from probe.model import Cell

NAMED = 4
"""Cells that a line names; more are counted."""


def say_older(cells: Collection[Cell], consequence: str) -> None:
    """Print how many cells were measured under older conditions only, and what follows; nothing for no cell."""
    if cells:
        cell = "1 cell was" if len(cells) == 1 else f"{len(cells)} cells were"
        say(f"{cell} measured under older conditions only: {consequence}")


def not_compared(cells: Sequence[Cell], command: str) -> str:
    """Return that cells are not compared, which they are, and the command that measures them anew."""
    names = [f"{cell.client} {cell.role} {cell.scenario}{cell.unusual}" for cell in cells[:NAMED]]
    more = f" and {len(cells) - NAMED} more" if len(cells) > NAMED else ""
    return f"they are not compared ({', '.join(names)}{more}); measured anew by: {command}"
