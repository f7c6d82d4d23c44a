"""The comparison of settled cells, with what is known of chance in them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import select_scenarios
from probe.cells.aggregate import SettledCell
from probe.cells.comparison import CHANCE, Compared, Pair, compare
from probe.cells.harm import ChanceKey, chance_key, harms, of_chance
from probe.cells.trends import Step
from probe.model import Cell, Expectation
from probe.model.harm_bounds import bounds_in
from probe.planning.variants import expectation_in
from probe.verdict import near_bounds

NEAR = 0.1
"""Share of the bound of a standstill within which a trial is near it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """Options of a comparison: which cells have to do with chance, and what is asked beside worse and better."""

    chance: frozenset[ChanceKey]
    trials: int = CHANCE
    equal: bool = False

    @classmethod
    def of(cls, stored: Iterable[SettledCell], *, trials: int = CHANCE, equal: bool = False) -> Asked:
        """Take the cells of chance from all that is stored of these libraries."""
        return cls(chance=of_chance(stored), trials=trials, equal=equal)

    def pair(self, step: Step, *, one_run: bool = True) -> Pair:
        """Return a step with what is known of chance in its cells."""
        chance = chance_key(step.before) in self.chance or chance_key(step.after) in self.chance
        return Pair(step, chance or _near(step), one_run=one_run)


def compared_steps(steps: Sequence[Step], asked: Asked, *, one_run: bool = True) -> list[Compared]:
    """Return what is said of each step; all of them are one comparison."""
    return compare([asked.pair(step, one_run=one_run) for step in steps], trials=asked.trials, equal=asked.equal)


def of_two_runs(before: Mapping[Cell, SettledCell], after: Mapping[Cell, SettledCell]) -> list[Compared]:
    """Return what is said of the cells of two runs that have both; their trials cannot alternate."""
    steps = [Step(before[cell], after[cell]) for cell in after if cell in before]
    return compared_steps(steps, Asked.of([*before.values(), *after.values()]), one_run=False)


def _near(step: Step) -> bool:
    """Return whether a trial came near the bound that decided its outcome or its harm, where the cells differ in it."""
    if len({max(harms(side), default=None) for side in (step.before, step.after)}) > 1 and (
        _near_harm(step.before) or _near_harm(step.after)
    ):
        return True
    if step.before.votes.keys() == step.after.votes.keys():
        return False
    for side in (step.before, step.after):
        play = expectation(side.cell)
        if play is not None and any(near_bounds(one, play) for one in side.verdicts):
            return True
    return False


def _near_harm(side: SettledCell) -> bool:
    """Return whether a trial recovered about as long after the fault as is no harm."""
    bound_ms = bounds_in(side.cell).bound_ms
    times = (one.facts.own_recovery_ms for one in side.verdicts)
    return any(time is not None and abs(time - bound_ms) <= NEAR * bound_ms for time in times)


def expectation(cell: Cell) -> Expectation | None:
    """Return what a cell expects of a client; None if its scenario is not in this program any more."""
    try:
        (scenario,) = select_scenarios([cell.scenario])
    except (CatalogueError, ValueError):
        return None
    return expectation_in(cell, scenario)
