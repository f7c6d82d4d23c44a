"""Order of cells by information, for runs that may stop early. Pure.

Cells without evidence come first. Then come cells whose client or scenario changed an outcome since they last ran.
Cells with the oldest evidence follow. The cells of one run are thereby last in the next, so that repeated short runs
cover all cells in turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from probe.model import Cell, Client, Outcome
from probe.model.outcomes import UNOBSERVED
from probe.planning.plan import Planned

NEVER, CHANGED, OLD = range(3)


@dataclass(frozen=True, slots=True)
class PriorRun:
    """A stored trial; run ids sort by time. A cell that could not run counts as run, so that it blocks no others."""

    run_id: str
    cell: Cell
    outcome: Outcome


def by_information(cells: Sequence[Planned], seen: Iterable[PriorRun]) -> tuple[Planned, ...]:
    """Return all cells, most informative first, each control cell just before the first that needs it."""
    rows = sorted(seen, key=lambda row: (repr(row.cell), row.run_id))
    last = {row.cell: row.run_id for row in rows}
    changed = _changes(rows)

    def rank(item: Planned) -> tuple[int, str]:
        at = last.get(item.cell)
        if at is None:
            return NEVER, ""
        news = max(changed.get(item.cell.client, ""), changed.get(item.cell.scenario, ""))
        return (CHANGED if at < news else OLD), at

    controls = {item.cell: item for item in cells if item.is_control}
    ordered: dict[Cell, Planned] = {}
    for item in sorted((one for one in cells if one.cell not in controls), key=rank):
        if control := controls.get(item.steady):
            ordered.setdefault(control.cell, control)
        ordered[item.cell] = item
    for item in sorted(controls.values(), key=rank):
        ordered.setdefault(item.cell, item)
    return tuple(ordered.values())


def _changes(rows: Iterable[PriorRun]) -> dict[Client | str, str]:
    """Return the newest run in which an outcome changed, per client version and per scenario."""
    newest: dict[Client | str, str] = {}
    judged = (row for row in rows if row.outcome not in UNOBSERVED)
    for cell, mine in groupby(judged, key=lambda row: row.cell):
        before: set[Outcome] = set()
        for run_id, trials in groupby(mine, key=lambda row: row.run_id):
            outcomes = {trial.outcome for trial in trials}
            if before and before.isdisjoint(outcomes):
                for key in (cell.client, cell.scenario):
                    newest[key] = max(newest.get(key, ""), run_id)
            before = outcomes
    return newest
