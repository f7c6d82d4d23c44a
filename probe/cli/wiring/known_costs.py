"""Known costs against stored sweeps: what is missing is played."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from probe.catalogue.known_costs import ExpectedCost
from probe.cells.expectations import Status
from probe.cli.console.cost_table import progress_line
from probe.cli.console.streams import say
from probe.cli.wiring.cost_sweep import CostSweep
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Role
from probe.model.cost import PointCost
from probe.store.costs import read_costs

ROUNDS = 3
"""Most trials of each: one in which the harness failed, as it can on a busy machine, is played again."""


def check_costs(wanted: Sequence[ExpectedCost], results: str, *, fresh: bool) -> Iterator[tuple[Status, str]]:
    """Yield for each whether a trial shows it, with the line that says so; without a stored one it is played first."""
    stored = [] if fresh else [point for run in read_costs(results) for point in run.points]
    for item in wanted:
        if not any(map(item.is_shown_by, stored)):
            stored += _played(item, results)
        point = next(filter(item.is_shown_by, reversed(stored)), None)
        if point is None:
            status, text = Status.UNJUDGED, "no trial in which nothing failed"
        elif wrong := item.wrong(point):
            status, text = Status.FAILS, wrong
        else:
            status, text = Status.HOLDS, item.shown(point)
        where = f"{item.client} {item.profile} {item.scenario} {item.engine} {item.broker}, {item.scale}"
        yield status, f"{status:<8} {item.name}: {where}: {text} [{item.source}]"


def _played(item: ExpectedCost, results: str) -> list[PointCost]:
    """Play a trial until nothing failed in it, at most `ROUNDS` times; return all of them."""
    asked = RunSelection(
        clients=[item.client],
        scenarios=[item.scenario],
        roles=[Role.PRODUCER],
        properties=item.properties,
        engine=item.engine,
        brokers=[item.broker],
    )
    sweep, found = CostSweep(asked=asked, scales=[item.scale]), list[PointCost]()
    while len(found) < ROUNDS and not any(map(item.is_shown_by, found)):
        found += sweep.measured(results, 0.0, lambda point: say(progress_line(point))).points
    return found
