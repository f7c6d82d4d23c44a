"""Counts in sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an s unless the number is 1.

    >>> counted(1, "cell"), counted(0, "trial")
    ('1 cell', '0 trials')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"


def share(some: int, of: int) -> str:
    """Return how many of all it is, as the end of a clause; empty for all of them.

    >>> share(3, 20), share(5, 5)
    (' in 3 of 20', '')
    """
    return f" in {some} of {of}" if some < of else ""


def commonest(numbers: Iterable[int]) -> int:
    """Return the most frequent number, the greatest of several. ValueError if there is none."""
    seen = Counter(numbers)
    return max(seen, key=lambda number: (seen[number], number))
