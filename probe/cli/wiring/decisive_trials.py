"""The stored trials that decide a comparison, and what fresh ones take."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.cells.aggregate import SettledCell
from probe.cells.comparison import PLAIN, Compared
from probe.cells.comparison_steps import Asked, expectation
from probe.cells.trends import Step
from probe.cli.wiring.evidence import Evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.planning.plan import SETTLED_AFTER_S, WAITING_PER_JOB, WARM_UP_S, seconds_of
from probe.runner import Options

ROUNDS = 2
"""Rounds of fresh trials: those that the screen asks for, and those that these ask for."""


def decisive(steps: Sequence[Step], evidence: Evidence) -> list[Step]:
    """Return the steps with their facts, and with the trials that decide where a file has some of one run."""
    cells = {side.cell for step in steps for side in (step.before, step.after)}
    if not cells:
        return []
    return decisive_of(steps, evidence.each(Wanted.of(cells), facts=True))


def decisive_of(steps: Sequence[Step], files: Sequence[Mapping[Cell, SettledCell]]) -> list[Step]:
    """Return the steps with the trials that decide, of the settled cells of several files or runs."""
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


@dataclass(frozen=True, slots=True)
class Cost:
    """Needs of the decision of cells."""

    least: int
    most: int
    """Trials of both sides: those that the screen asks for, and where the first ones contradict it everywhere."""
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
