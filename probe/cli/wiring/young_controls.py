"""The clients of an open run that do not bear the harmless election, as its stored control cells show."""

from __future__ import annotations

from collections.abc import Mapping

from probe.model import Cell, Outcome, Verdict
from probe.model.history import FAILING_FROM
from probe.planning.plan import Plan
from probe.runner.trial.harmless_election import had_election, holds_election
from probe.store import histories


def young_controls(
    plan: Plan, finished: Mapping[tuple[Cell, int], Verdict], results: str, run_id: str
) -> frozenset[Cell]:
    """Return the control cells that were clean in this run only without the election that their clients are due.

    Their other cells have none either, also in trials that this run gets later.
    """
    due = {item.cell for item in plan.cells if item.is_control and holds_election(item, young=False)}
    played = {
        (cell, trial)
        for (cell, trial), found in finished.items()
        if cell in due and trial < FAILING_FROM and found.outcome is Outcome.CLEAN
    }
    if not played:
        return frozenset()
    bear = {one.header.cell for one in histories(results, run_id, played) if had_election(one)}
    return frozenset(cell for cell, _ in played) - bear
