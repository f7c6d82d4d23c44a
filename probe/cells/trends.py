"""Pairs of settled cells that ask the same question of two versions or two release lines. Pure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from operator import attrgetter

from probe.cells.aggregate import SettledCell
from probe.model import Cell
from probe.model.results import IDENTITY

Question = tuple[str, ...]
"""The identity of a cell without the compared column."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question with two answers."""

    before: SettledCell
    after: SettledCell

    @property
    def is_comparable(self) -> bool:
        """Whether both were measured under conditions that can be compared."""
        return self.before.is_comparable(self.after)


def question(cell: Cell, *without: str) -> Question:
    """Return the identity of a cell without these columns."""
    return _columns(without)(cell)


@cache
def _columns(without: tuple[str, ...]) -> Callable[[Cell], Question]:
    return attrgetter(*(name for name in IDENTITY if name not in without))
