"""The table of a sweep of cost: a row per scale, for each client and scenario."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from probe.cells.cost_growth import growths
from probe.cli.console.plain_table import lines_of
from probe.model.cost import METADATA, PointCost
from probe.model.cost_point import CostPoint

HEADER = (
    "clients", "partitions", "late, ms", "refused above/s", "outcomes", "all work, ms", "Metadata", "per client",
    "other requests", "peak/s", "after/s", "MB sent", "connections", "handshakes", "memory, MB", "CPU, s", "counts",
)  # fmt: skip
MEGA = 1_000_000


def cost_lines(points: Sequence[PointCost]) -> Iterator[str]:
    """Yield the lines of the tables, each under a line that says what was asked."""
    for (client, profile, scenario, engine, broker), group in groupby(
        points, key=lambda one: (one.client, one.profile, one.scenario, one.engine, one.broker)
    ):
        some = list(group)
        beside = "" if profile == "isolated" else f", {profile}"
        yield (
            f"{client}{beside}, {scenario}, {engine} {broker}: cost from the fault until all partitions work, "
            f"a record to each every {some[0].interval_ms} ms"
        )
        yield from lines_of(HEADER, [_row(point) for point in some])
        yield from (f"{point.scale}: {problem}" for point in some for problem in problems(point))


def growth_lines(points: Sequence[CostPoint]) -> Iterator[str]:
    """Yield the lines of the table of growth; none where no client has enough points."""
    rows = [
        (
            some.client,
            some.scenario,
            cost,
            str(found.growth),
            f"{found.at_one:.2g}",
            _exponent(found.partitions),
            _exponent(found.clients),
            f"{found.factor:.2f}",
        )
        for some, cost, found in growths(points)
    ]
    if rows:
        yield "growth: cost = at 1 x 1 * partitions^p * clients^c"
        yield from lines_of(("client", "scenario", "cost", "grows", "at 1 x 1", "p", "c", "error, factor"), rows)


def _exponent(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def progress_line(point: PointCost) -> str:
    """Return the line of a point that was just measured."""
    outcomes = ", ".join(f"{number} {outcome}" for outcome, number in point.outcomes.items()) or "nothing judged"
    failed = "; ".join(problems(point))
    cost = f"{point.metadata} Metadata requests, {point.connections} connections, {point.window_ms} ms"
    return f"{point.client}, {point.scenario}, {point.scale}: {outcomes}; {cost}" + (f"; {failed}" if failed else "")


def problems(point: PointCost) -> Iterator[str]:
    """Yield what makes a point doubtful."""
    yield from point.problems
    if point.differences:
        yield f"{len(point.differences)} counts differ from the brokers', such as {point.differences[0]}"


def _row(point: PointCost) -> tuple[str, ...]:
    others = sum(point.requests.values()) - point.metadata - point.requests.get("Produce", 0)
    return (
        str(point.scale.clients),
        str(point.scale.partitions),
        str(point.scale.late),
        str(point.scale.admitted or "-"),
        ", ".join(f"{outcome} {number}" for outcome, number in point.outcomes.items()),
        "never" if point.works_ms is None else str(point.works_ms),
        str(point.requests.get(METADATA, 0)),
        f"{point.metadata / max(1, point.scale.clients):.1f}",
        str(others),
        str(point.peak_per_s),
        f"{point.after_per_s:.1f}",
        f"{point.bytes / MEGA:.2f}",
        str(point.connections),
        str(point.handshakes),
        f"{point.memory_mb:.0f}",
        f"{point.cpu_s:.2f}",
        "differ" if point.differences else "agree",
    )
