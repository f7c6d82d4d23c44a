"""Compare the outcomes of both engines for the same question on the same release line. Pure.

The election of the embedded engine may be set to the duration measured with real brokers (`--election`). A cell with
such an election takes precedence over the cell with the election of the scenario.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from probe.cells.aggregate import SettledCell
from probe.model import Cell, Engine, Outcome, Profile
from probe.model.conditions import FIRST, comparable
from probe.model.engines import ENGINES
from probe.model.outcomes import NO_ANSWER
from probe.model.profile import without_election


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A question with an outcome from both engines."""

    cell: Cell
    """The cell of the `kafka` engine."""
    embedded_profile: str
    """The profile of the embedded engine's cell; it may set the election."""
    embedded: Outcome
    kafka: Outcome
    embedded_conditions: int = FIRST
    kafka_conditions: int = FIRST

    @property
    def is_comparable(self) -> bool:
        """Whether both engines had comparable conditions."""
        embedded = replace(self.cell, engine=Engine.EMBEDDED)
        return comparable(embedded, self.embedded_conditions, self.cell, self.kafka_conditions)

    @property
    def agrees(self) -> bool | None:
        """Whether both outcomes are equal; None where either is not about the client, or they are not comparable."""
        if not self.is_comparable:
            return None
        return None if {self.embedded, self.kafka} & NO_ANSWER else self.embedded is self.kafka


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Counts of the shared cells of a scenario."""

    scenario: str
    judged: int
    """Cells with an outcome about the client from both engines."""
    equal: int
    silent: int
    """Cells where at least one engine has no such outcome, or whose conditions are not comparable."""
    differing: tuple[Shared, ...]


def pair(cells: Mapping[Cell, SettledCell]) -> list[Shared]:
    """Pair the settled cells of both engines, as `agreement.parquet` does for a whole matrix."""
    return [
        Shared(
            cell=asked,
            embedded_profile=cell.profile,
            embedded=one.outcome,
            kafka=cells[asked].outcome,
            embedded_conditions=one.conditions,
            kafka_conditions=cells[asked].conditions,
        )
        for cell, one in cells.items()
        if not ENGINES[cell.engine].real and (asked := question(cell)) in cells
    ]


def question(cell: Cell) -> Cell:
    """Return the cell of the `kafka` engine for the same question; an election cannot be set there."""
    return replace(cell, engine=Engine.KAFKA, profile=without_election(cell.profile))


def by_scenario(shared: Iterable[Shared]) -> list[Agreement]:
    """Count the shared cells per scenario; every question counts once."""
    once: dict[Cell, Shared] = {}
    for one in sorted(shared, key=_fits):
        once[one.cell] = one
    ordered = sorted(once.values(), key=lambda one: (one.cell.scenario, str(one.cell)))
    return [_count(name, list(group)) for name, group in groupby(ordered, key=lambda one: one.cell.scenario)]


def percent(judged: int, equal: int) -> str:
    """Return a share as text; empty if no cell was judged.

    >>> percent(153, 150)
    '98.0 %'
    """
    return f"{100 * equal / judged:.1f} %" if judged else ""


def _fits(one: Shared) -> tuple[bool, str]:
    """Return a sort key: cells whose election was set come last."""
    return Profile.parse(one.embedded_profile).election is not None, one.embedded_profile


def _count(scenario: str, cells: list[Shared]) -> Agreement:
    judged = [one for one in cells if one.agrees is not None]
    return Agreement(
        scenario=scenario,
        judged=len(judged),
        equal=sum(1 for one in judged if one.agrees),
        silent=len(cells) - len(judged),
        differing=tuple(one for one in judged if not one.agrees),
    )
