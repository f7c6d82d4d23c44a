"""Which cells to read from evidence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from probe.model.cell import Cell
from probe.model.columns import IDENTITY


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The cells to read. None = any."""

    family: Collection[str] | None = None
    version: Collection[str] | None = None
    role: Collection[str] | None = None
    profile: Collection[str] | None = None
    scenario: Collection[str] | None = None
    engine: Collection[str] | None = None
    broker: Collection[str] | None = None
    workload: Collection[str] | None = None
    outcome: Collection[str] | None = None
    """Outcomes of the settled cell."""

    @classmethod
    def of(cls, cells: Iterable[Cell]) -> Wanted:
        """Return the smallest selection that has all of these cells."""
        columns = [cell.columns() for cell in cells]
        return cls(**{name: frozenset(column[name] for column in columns) for name in IDENTITY})


EVERYTHING = Wanted()
