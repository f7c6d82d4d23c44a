"""Where both engines were asked the same on the same broker line: do they agree? Pure.

The embedded engine's election may have been set to what real brokers took (`--election`); where it was, that answer
counts, and not the one with the scenario's own election.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from probe.cells.aggregate import SettledCell
from probe.model import Cell, Engine, Outcome, Profile
from probe.model.outcomes import NO_ANSWER
from probe.model.profile import without_election


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """A question that both engines were asked."""

    cell: Cell
    """As real brokers were asked."""
    embedded_profile: str
    """As the embedded engine was; its election may be set."""
    embedded: Outcome
    kafka: Outcome

    @property
    def agrees(self) -> bool | None:
        """Say whether both found the same; None where either says nothing of the client."""
        return None if {self.embedded, self.kafka} & NO_ANSWER else self.embedded is self.kafka


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """What became of the shared cells of a scenario."""

    scenario: str
    judged: int
    """Cells of which both engines say something."""
    equal: int
    silent: int
    """Cells of which either says nothing."""
    differing: tuple[Shared, ...]


def pair(cells: Mapping[Cell, SettledCell]) -> list[Shared]:
    """Pair settled cells: what `agreement.parquet` is to a whole matrix."""
    return [
        Shared(cell=asked, embedded_profile=cell.profile, embedded=one.outcome, kafka=cells[asked].outcome)
        for cell, one in cells.items()
        if cell.engine is Engine.EMBEDDED and (asked := question(cell)) in cells
    ]


def question(cell: Cell) -> Cell:
    """Return what real brokers are asked in a cell's place: no election can be set there."""
    return replace(cell, engine=Engine.KAFKA, profile=without_election(cell.profile))


def by_scenario(shared: Iterable[Shared]) -> list[Agreement]:
    """Count the cells of each scenario, each question once."""
    once: dict[Cell, Shared] = {}
    for one in sorted(shared, key=_fits):
        once[one.cell] = one
    ordered = sorted(once.values(), key=lambda one: (one.cell.scenario, str(one.cell)))
    return [_count(name, list(group)) for name, group in groupby(ordered, key=lambda one: one.cell.scenario)]


def percent(judged: int, equal: int) -> str:
    """Return a share as text; empty where there is nothing.

    >>> percent(153, 150)
    '98.0 %'
    """
    return f"{100 * equal / judged:.1f} %" if judged else ""


def _fits(one: Shared) -> tuple[bool, str]:
    """Order answers to one question: those whose election was set come last."""
    return Profile.parse(one.embedded_profile).election is not None, one.embedded_profile


def _count(scenario: str, cells: list[Shared]) -> Agreement:
    told = [one for one in cells if one.agrees is not None]
    return Agreement(
        scenario=scenario,
        judged=len(told),
        equal=sum(1 for one in told if one.agrees),
        silent=len(cells) - len(told),
        differing=tuple(one for one in told if not one.agrees),
    )
