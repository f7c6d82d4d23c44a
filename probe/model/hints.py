"""Suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

SHORT = 5
"""Letters up to which a name that differs by two is another name."""


def did_you_mean(name: str, known: Iterable[str], otherwise: str, *, at_most: int = 1, cutoff: float = 0.6) -> str:
    """Return `did you mean X?` with the most similar names, or `otherwise` if no name is similar."""
    near = get_close_matches(name, list(known), n=at_most, cutoff=cutoff)
    return _asked(near, otherwise)


def mistyped(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return `did you mean X?` if a name is one or two letters away from a known one; else `otherwise`.

    For names of clients: a similar one is often a client of another language, such as krafka for pykafka.
    """
    small = name.lower()
    bound = 1 if len(name) <= SHORT else 2
    near = sorted((letters_between(small, item.lower()), item) for item in known)
    return _asked([item for distance, item in near[:1] if distance <= bound], otherwise)


def letters_between(one: str, other: str) -> int:
    """Return how many letters are put in, left out, replaced or swapped with the next one from one text to another.

    >>> [letters_between("sarama", other) for other in ("sarama", "sarma", "asrama", "samara", "kafkajs")]
    [0, 1, 1, 2, 7]
    """
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, mine in enumerate(other, 1):
            least = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != mine))
            swapped = i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == mine
            row.append(min(least, older[j - 2] + 1) if swapped else least)
    return row[-1]


def _asked(near: list[str], otherwise: str) -> str:
    return f"did you mean {' or '.join(near)}?" if near else otherwise
