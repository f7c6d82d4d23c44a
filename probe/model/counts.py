"""Counts in sentences."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, which gets an s unless the number is 1.

    >>> counted(1, "cell"), counted(0, "trial")
    ('1 cell', '0 trials')
    """
    return f"{number} {noun}{'' if number == 1 else 's'}"
