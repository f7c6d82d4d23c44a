"""The comparison of stored cells: the trials that decide, and the cells in which chance may."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import select_scenarios
from probe.cells.aggregate import SettledCell
from probe.cells.comparison import CHANCE, PLAIN, Answer, Compared, Pair, compare
from probe.cells.harm import ChanceKey, chance_key, of_chance
from probe.cells.trends import Step
from probe.cli.wiring.evidence import Evidence
from probe.evidence.wanted import Wanted
from probe.model import Cell, Expectation
from probe.planning.plan import SETTLED_AFTER_S, WAITING_PER_JOB, WARM_UP_S, seconds_of
from probe.planning.variants import expectation_in
from probe.runner import Options
from probe.verdict import near_bounds

DIFFERS = frozenset({Answer.WORSE, Answer.BETTER, Answer.UNDECIDED})
ROUNDS = 2
"""Fresh trials of plain cells come in rounds: the first that contradicts ends them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """How to compare: which cells have to do with chance, and what is asked beside worse and better."""

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


def decisive(steps: Sequence[Step], evidence: Evidence) -> list[Step]:
    """Return the steps with their facts, and with the trials that decide where a file has some of one run."""
    cells = {side.cell for step in steps for side in (step.before, step.after)}
    if not cells:
        return []
    files = evidence.each(Wanted.of(cells), facts=True)
    return [_decisive(step, files) for step in steps]


def _decisive(step: Step, files: Sequence[Mapping[Cell, SettledCell]]) -> Step:
    both = [Step(file[step.before.cell], file[step.after.cell]) for file in files if _has_both(file, step)]
    fit = [one for one in both if _of_one_run(one) and one.before.is_comparable(step.before) and one.is_comparable]
    best = max(fit, key=_least, default=None)
    if best is not None and _least(best) >= PLAIN:
        return best
    return Step(*(_with_facts(side, files) for side in (step.before, step.after)))


def _has_both(file: Mapping[Cell, SettledCell], step: Step) -> bool:
    return step.before.cell in file and step.after.cell in file


def _of_one_run(step: Step) -> bool:
    return step.before.run_id == step.after.run_id and step.before.judged and step.after.judged


def _least(step: Step) -> int:
    return min(len(step.before.verdicts), len(step.after.verdicts))


def _with_facts(side: SettledCell, files: Sequence[Mapping[Cell, SettledCell]]) -> SettledCell:
    same = (file[side.cell] for file in files if side.cell in file and file[side.cell].run_id == side.run_id)
    found = next(same, None)
    return side if found is None else replace(side, verdicts=found.verdicts)


def _near(step: Step) -> bool:
    """Return whether a trial of cells with different outcomes came near the bound that decided its outcome."""
    if step.before.votes.keys() == step.after.votes.keys():
        return False
    for side in (step.before, step.after):
        play = expectation(side.cell)
        if play is not None and any(near_bounds(one, play) for one in side.verdicts):
            return True
    return False


def expectation(cell: Cell) -> Expectation | None:
    """Return what a cell expects of a client; None if its scenario is not in this program any more."""
    try:
        (scenario,) = select_scenarios([cell.scenario])
    except (CatalogueError, ValueError):
        return None
    return expectation_in(cell, scenario)


@dataclass(frozen=True, slots=True)
class Cost:
    """What it takes to decide cells."""

    least: int
    most: int
    """Trials of both sides: where each first pair contradicts the screen, or none, and all others."""
    seconds: int


def cost(undecided: Collection[Compared], asked: Asked, jobs: int | None) -> Cost:
    """Return about what fresh trials of these cells take."""
    open_ones = [one for one in undecided if one.needs]
    most = sum(2 * (one.needs if one.needs > PLAIN else asked.trials) for one in open_ones)
    spans = [(one, WARM_UP_S + _watched_s(one)) for one in open_ones]
    at_once = Options(jobs=jobs).expected_jobs
    busy = sum(2 * one.needs * min(span, WARM_UP_S + SETTLED_AFTER_S) for one, span in spans) / at_once
    waiting = sum(2 * one.needs * span for one, span in spans) / (at_once * (1 + WAITING_PER_JOB))
    longest = max((span for _, span in spans), default=0.0)
    least = sum(2 * one.needs for one in open_ones)
    return Cost(least, most, round(max(busy, waiting, ROUNDS * longest)))


def _watched_s(one: Compared) -> float:
    play = expectation(one.step.after.cell)
    return 0.0 if play is None else seconds_of(play, None)
