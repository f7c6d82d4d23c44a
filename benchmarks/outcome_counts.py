"""Outcomes of a cell's trials with their numbers: the most frequent ones, and as text."""

from __future__ import annotations

import sys
from collections import Counter

from probe.model import Outcome


def most_frequent(outcomes: Counter[Outcome] | None) -> set[Outcome]:
    """Return the outcomes with the greatest number of trials; none of a cell that was not played."""
    return {name for name, count in (outcomes or {}).items() if count == max((outcomes or Counter()).values())}


def words(outcomes: Counter[Outcome] | None) -> str:
    """Return outcomes with their numbers of trials, most frequent first."""
    return ", ".join(f"{count} {name}" for name, count in (outcomes or Counter()).most_common()) or "none"


def say(line: str) -> None:
    """Write a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()
