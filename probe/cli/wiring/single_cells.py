"""Single cells, planned and run in the same way as by `probe run`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from probe.catalogue.families import CatalogueError
from probe.cli.console.streams import say
from probe.cli.laboratory import need_laboratory
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import ProbeError
from probe.model import Cell, Profile
from probe.planning.plan import Plan, Planned
from probe.planning.selection import Selection
from probe.runner import Options

if TYPE_CHECKING:
    from probe.cli.wiring.execution import RunResult


def plan_cell(cell: Cell) -> tuple[Plan, Selection]:
    """Return the plan of one cell with its control cell. ProbeError, with the reason, if it cannot be run."""
    profile = Profile.parse(cell.profile)
    asked = RunSelection(
        clients=[str(cell.client)],
        scenarios=[cell.scenario],
        roles=[cell.role],
        profiles=[profile.name],
        properties=profile.settings,
        engine=cell.engine,
        brokers=[cell.broker],
        election=profile.election,
        security=profile.security,
        rack=profile.rack,
        workloads=[str(cell.workload)],
    )
    try:
        plan, selection = asked.whole()
    except CatalogueError as error:
        raise ProbeError(str(error)) from None
    if all(item.cell != cell for item in plan.cells):
        reason = next((skip.reason for skip in plan.skips if skip.cell == cell), "the scenario has no such role")
        raise ProbeError(f"{cell} cannot be run: {reason}")
    return plan, selection


def possible(cell: Cell) -> bool:
    """Return whether a cell can be run; print the reason to stderr if not."""
    try:
        plan_cell(cell)
    except ProbeError as error:
        say(f"not run  {error}")
        return False
    return True


def run_cells(
    cells: Iterable[Cell],
    options: Options,
    results: str,
    trials: Mapping[Cell, int] | None = None,
    *,
    at_full_pace: bool = False,
) -> RunResult:
    """Run control cells, then cells, in one run; all are of one engine. ProbeError if one of them cannot be run.

    `trials` is the number of trials of a cell, 1 by default. `at_full_pace`: clients that are observed to the end
    work as often as around the fault until then.
    """
    need_laboratory("running cells")
    from probe.cli.wiring.execution import run_planned  # noqa: PLC0415  # loads the laboratory, which look-ups lack

    planned: dict[Cell, Planned] = {}
    selection: Selection | None = None
    for cell in cells:
        plan, selection = plan_cell(cell)
        planned.update((item.cell, replace(item, at_full_pace=at_full_pace)) for item in plan.cells)
    if selection is None:
        raise ProbeError("there is no cell to run; select other roles, versions or scenarios")
    for cell, count in (trials or {}).items():
        planned[cell] = replace(planned[cell], trials=count)
    work = sorted(planned.values(), key=lambda item: not item.is_control)
    clients = {item.cell.client: item.chosen for item in work}
    return run_planned(Plan(tuple(work), ()), replace(selection, clients=tuple(clients.values())), options, results)
