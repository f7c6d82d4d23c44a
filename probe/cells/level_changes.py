"""Roles whose levels differ between the two sides of a comparison. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.cells.levels import RoleLevel
from probe.model.cell import Role


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelChange:
    """A role of which the sides say something else."""

    role: Role
    before: str
    after: str

    @property
    def words(self) -> str:
        """The change in words: `producer: reacts in 12 of 16 -> reacts in 16 of 16`."""
        return f"{self.role}: {self.before} -> {self.after}"


def level_changes(before: Sequence[RoleLevel], after: Sequence[RoleLevel]) -> list[LevelChange]:
    """Return the roles that differ, and of which both sides know equally many scenarios.

    What one of them did not measure is no change.
    """
    now = {one.role: one for one in after}
    pairs = [(one, now[one.role]) for one in before if one.role in now]
    return [
        LevelChange(role=one.role, before=one.words, after=other.words)
        for one, other in pairs
        if one.words != other.words and _scope(one) == _scope(other)
    ]


def _scope(one: RoleLevel) -> tuple[int, int, int]:
    return (one.measured, one.known, one.of)
