"""The further trials of a run: which cells get them, and how many fit into the budget."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from probe.model import Cell, Outcome, Verdict
from probe.planning.phases import waits_for_phase
from probe.planning.plan import Plan, Planned
from probe.planning.repeats import BUDGET_SHARES, Doubt, doubt, repeat_budget, wanted
from probe.runner.tools import Options


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeated:
    """The further trials of a run."""

    trials: int
    cells: int
    """Cells that got them."""
    lacking: int
    """Cells that would have got more with a larger budget."""
    needed_s: int
    """A budget, in seconds of the run, with which these would have got their next ones."""


@dataclass(slots=True)
class _Cell:
    item: Planned
    open: set[int]
    """Trials that are not judged yet."""
    judged: dict[int, Verdict] = field(default_factory=dict)
    """The verdicts of this run by trial."""
    lacking: int = 0
    """Further trials for which the budget was too small."""
    replaced: frozenset[int] = frozenset()
    """Stored trials in which the harness failed, and in whose place others are played."""

    @property
    def further(self) -> int:
        """Number of further trials so far."""
        planned = self.item.trials + len(self.replaced)
        return sum(trial >= planned for trial in self.judged.keys() | self.open)

    @property
    def following(self) -> int:
        """The next number of a trial."""
        return 1 + max(self.judged.keys() | self.open, default=-1)


class Repeats:
    """Decides on further trials of a cell whenever all of its trials are judged."""

    def __init__(
        self,
        plan: Plan,
        options: Options,
        known: Mapping[Cell, Collection[Outcome]],
        finished: Mapping[tuple[Cell, int], Verdict],
    ) -> None:
        """Start with the trials that an interrupted run has judged."""
        self._watch_ms, self._known, self._as_planned = options.watch_ms, known, options.as_planned
        self._budget = repeat_budget(plan, options.repeat_budget_s, options.expected_jobs, options.watch_ms)
        self._cells = {item.cell: _Cell(item, set(range(item.trials))) for item in plan.cells}
        for (cell, trial), verdict in finished.items():
            self.note(cell, trial, verdict)

    def note(self, cell: Cell, trial: int, verdict: Verdict) -> None:
        """Add a judged trial."""
        if cell in self._cells:
            self._cells[cell].judged[trial] = verdict
            self._cells[cell].open.discard(trial)

    def replacements(self, item: Planned) -> range:
        """Return the numbers of the trials to play in place of stored ones in which the harness failed.

        Stored trials stay, so these get numbers of their own. None beyond the trials that the plan asks for.
        """
        mine = self._cells[item.cell]
        failed = [trial for trial, verdict in mine.judged.items() if verdict.outcome is Outcome.BROKEN]
        lacking = item.trials - (len(mine.judged) - len(failed)) - len(mine.open)
        mine.replaced = frozenset(failed[: max(0, lacking)])
        found = range(mine.following, mine.following + len(mine.replaced))
        mine.open.update(found)
        return found

    def outcomes(self, cell: Cell) -> list[Outcome]:
        """Return the outcomes of the judged trials of a cell that are not replaced, in the order of judgement."""
        mine = self._cells[cell]
        return [verdict.outcome for trial, verdict in mine.judged.items() if trial not in mine.replaced]

    def further(self, item: Planned) -> range:
        """Return the numbers of the further trials of a cell to start now.

        None while its trials run, in a sweep, or if the observation is shortened: such trials do not enter the matrix.
        """
        mine = self._cells[item.cell]
        shortened = item.watch_ms(self._watch_ms) < item.expectation.watch_ms
        trials = list(mine.judged.values())
        why = (
            None
            if mine.open or shortened or item.sweep or self._as_planned
            else doubt(trials, item.expectation, self._known.get(item.cell, ()), phases=waits_for_phase(item))
        )
        if why is None:
            return range(0)
        asked = wanted(trials, why)
        left_s = self._budget.trials_s * BUDGET_SHARES[why] - self._spent_s
        count = max(0, min(asked, int(left_s // self._cost_s(mine))))
        mine.lacking = 0 if why is Doubt.PHASE else asked - count
        found = range(mine.following, mine.following + count)
        mine.open.update(found)
        return found

    def up_to(self, item: Planned, trials: int) -> range:
        """Return the numbers of the trials that a cell lacks to this number; none while its trials run."""
        mine = self._cells[item.cell]
        whole = trials + len(mine.replaced)
        found = range(0) if mine.open else range(mine.following, max(mine.following, whole))
        mine.open.update(found)
        return found

    def drop(self, item: Planned, trial: int) -> None:
        """Record that a further trial does not run, for which the run has no time."""
        self._cells[item.cell].open.discard(trial)

    def summary(self) -> Repeated:
        """Return what further trials there were."""
        cells = self._cells.values()
        lacking_s = sum(one.lacking * self._cost_s(one) for one in cells)
        return Repeated(
            trials=sum(one.further for one in cells),
            cells=sum(one.further > 0 for one in cells),
            lacking=sum(one.lacking > 0 for one in cells),
            needed_s=self._budget.run_s((self._spent_s + lacking_s) / BUDGET_SHARES[Doubt.NEAR]),
        )

    @property
    def _spent_s(self) -> float:
        """Seconds of all further trials so far, added up."""
        return sum(one.further * self._cost_s(one) for one in self._cells.values())

    def _cost_s(self, one: _Cell) -> float:
        return self._budget.cost_s(one.item, self._watch_ms)
