"""Fresh trials of both sides of cells that differ, alternating in one run at equal phases, until these are decided."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from probe.cells.aggregate import SettledCell, settle
from probe.cells.cell_order import in_order
from probe.cells.comparison import CHANCE, PLAIN, SHOWN, SURE, Answer, Compared
from probe.cells.comparison_steps import Asked, compared_steps
from probe.cells.trends import Step
from probe.cli.console.streams import say
from probe.cli.laboratory import need_laboratory
from probe.cli.wiring.exclusive_run import exclusive_run
from probe.cli.wiring.single_cells import plan_cell
from probe.errors import ProbeError
from probe.model import Cell
from probe.model.counts import counted
from probe.planning.plan import Plan, Planned
from probe.planning.selection import Selection
from probe.runner import Options

if TYPE_CHECKING:
    from probe.store import RunStore

SPARE = 3
"""Trials a side beyond those that decide, in place of those in which the harness fails."""
Both = tuple[Cell, Cell]
"""The cells of the two sides of a question."""
Planner = Callable[[Cell], tuple[Plan, Selection]]
"""Plans a cell with its control cell. Raises ProbeError, with the reason, if it cannot be run."""
View = Callable[[SettledCell], SettledCell]
"""Makes of a played cell the one that is compared."""


class Trials(Protocol):
    """A player of cells: `FreshTrials`, or a stand-in of a simulation."""

    def possible(self, cell: Cell) -> bool:
        """Return whether a cell can be played."""

    def play(self, counts: Mapping[Cell, int]) -> dict[Cell, SettledCell]:
        """Play each cell until it has this number of trials, and return those that are settled."""


def unchanged(one: SettledCell) -> SettledCell:
    """Return a played cell as it is."""
    return one


class FreshTrials:
    """Plays cells, all in one stored run that begins with the first of them.

    Trials of cells with a limit of their observation settle these here, and nowhere else. `exactly` is of `Options`.
    """

    def __init__(
        self,
        results: str,
        jobs: int | None,
        planner: Planner = plan_cell,
        *,
        exactly: int | None = None,
    ) -> None:
        self._results, self._planner = results, planner
        self._options = Options(jobs=jobs, exactly=exactly, as_planned=True)
        self._stack = contextlib.ExitStack()
        self._store: RunStore | None = None
        self._planned: dict[Cell, tuple[Planned, ...]] = {}
        self._seed = 0

    def __enter__(self) -> FreshTrials:
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        if self._store is not None:
            from probe.cli.wiring.settled_cells import keep_settled  # noqa: PLC0415  # loads pyarrow

            keep_settled(self._results)

    def possible(self, cell: Cell) -> bool:
        """Return whether a cell can be played; print the reason to stderr if not."""
        if cell not in self._planned:
            try:
                plan, selection = self._planner(cell)
            except ProbeError as error:
                say(f"not run  {error}")
                return False
            self._planned[cell], self._seed = plan.cells, selection.seed
        return True

    def play(self, counts: Mapping[Cell, int]) -> dict[Cell, SettledCell]:
        """Play each cell until it has this number of trials, and return the cells that this run settles."""
        need_laboratory("running cells")
        from probe.cli.wiring.execution import execute, prepare_run  # noqa: PLC0415  # loads the laboratory
        from probe.store import RunStore, trials  # noqa: PLC0415  # loads pyarrow

        work: dict[Cell, Planned] = {}
        for cell, count in counts.items():
            for item in self._planned[cell]:
                work.setdefault(item.cell, replace(item, trials=count if item.cell == cell else 1))
        plan = Plan(tuple(sorted(work.values(), key=lambda item: not item.is_control)), ())
        ready = prepare_run(plan, list({item.chosen.client: item.chosen for item in plan.cells}.values()))
        if self._store is None:
            self._stack.enter_context(exclusive_run(self._results))
            begun = RunStore.create(self._results, command=sys.argv, seed=self._seed, versions=ready.engine.describe())
            self._store = self._stack.enter_context(begun)
        execute(plan, ready, self._options, self._results, self._store, {})
        self._store.flush()
        return settle(trials(self._results, self._store.run_id), limited_of(self._planned.values()))


def limited_of(planned: Iterable[Iterable[Planned]]) -> frozenset[Cell]:
    """Return the cells whose observation is limited."""
    return frozenset(item.cell for items in planned for item in items if item.at_most_ms is not None)


def decide(
    open_ones: Collection[Compared], asked: Asked, results: str, jobs: int | None, *, exactly: int | None = None
) -> None:
    """Play both sides of undecided questions in a run of their own."""
    with FreshTrials(results, jobs, exactly=exactly) as fresh:
        decide_with(fresh, open_ones, asked)


def decide_with(
    fresh: Trials, open_ones: Collection[Compared], asked: Asked, seen: View = unchanged
) -> dict[Cell, SettledCell]:
    """Play both sides of undecided questions: as many trials as the screen asks for, then as these ask for.

    Return the cells that were played, as `seen` shows them.
    """
    screen = {_cells(one.step): one for one in open_ones if one.needs}
    wanted = {
        both: min(one.needs, CHANCE) for both, one in screen.items() if all(fresh.possible(cell) for cell in both)
    }
    counts: dict[Cell, int] = {}
    played: dict[Cell, SettledCell] = {}
    while wanted:
        for both, number in wanted.items():  # a version between two others has one cell for both questions
            counts.update({cell: max(number, counts.get(cell, 0)) for cell in both})
        say(f"both sides of {counted(len(wanted), 'cell')}: {counted(max(wanted.values()), 'trial')} a side at most")
        played = {cell: seen(one) for cell, one in fresh.play(beside(counts)).items()}
        again = {both: _more(screen[both], played, number, asked) for both, number in wanted.items()}
        wanted = {both: more for both, more in again.items() if more > wanted[both]}
    return played


def _cells(step: Step) -> Both:
    return step.before.cell, step.after.cell


def beside(counts: Mapping[Cell, int]) -> dict[Cell, int]:
    """Return the counts with both sides of a question beside each other, so that they alternate."""
    return {cell: counts[cell] for cell in in_order(counts)}


def _more(screen: Compared, played: Mapping[Cell, SettledCell], number: int, asked: Asked) -> int:
    """Return how many trials a side the question needs in all, after `number` of them; 0 if no more."""
    before, after = (played.get(cell) for cell in _cells(screen.step))
    if before is None or after is None:
        return 0
    (found,) = compared_steps([Step(before, after)], asked)
    as_screened = (found.harm, found.towards) == (screen.harm, screen.towards)
    of_chance = max(screen.needs, found.needs) > PLAIN or found.chance is not None
    if screen.answer is Answer.UNDECIDED and (of_chance or not as_screened):
        return _spare(found.trials, asked.trials if _goes_on(found) else CHANCE, number)
    least = screen.needs if screen.answer is not Answer.UNDECIDED else 0
    return _spare(found.trials, max(found.needs, least), number)


def _goes_on(found: Compared) -> bool:
    """Return whether a cell of chance needs all trials that are asked for, and not the first `CHANCE` alone."""
    is_close = found.answer in SHOWN and found.chance is not None and found.chance > SURE
    return found.trials >= CHANCE and (found.needs > 0 or is_close)


def _spare(judged: int, needed: int, number: int) -> int:
    """Return the trials to ask for, if `number` gave `judged` and `needed` decide."""
    if judged >= needed:
        return 0
    return needed if number < needed else min(number + needed - judged, needed + SPARE)
