"""Suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches


def did_you_mean(name: str, known: Iterable[str], otherwise: str, *, at_most: int = 1, cutoff: float = 0.6) -> str:
    """Return `did you mean X?` with the most similar names, or `otherwise` if no name is similar."""
    near = get_close_matches(name, list(known), n=at_most, cutoff=cutoff)
    return f"did you mean {' or '.join(near)}?" if near else otherwise
