"""The answer to a sweep of cost: tables or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from probe.cells.cli_hints import in_folder
from probe.cells.cost_growth import growths
from probe.cli.console.cost_table import cost_lines, growth_lines, progress_line
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.cost_sweep import CostSweep
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import ProbeError, reason_of
from probe.files.atomic_writes import write_file
from probe.model.cost import CostRun, PointCost
from probe.model.cost_point import as_csv, points_of
from probe.model.scale import Scale


def measured_costs(
    asked: RunSelection, scales: Sequence[Scale], interval_ms: int | None, results: str, wait_s: float
) -> CostRun:
    """Measure a sweep of cost and store it. ProbeError for what does not fit this machine."""
    sweep = CostSweep(asked=asked, scales=scales, interval_ms=interval_ms)
    return sweep.measured(results, wait_s, lambda point: say(progress_line(point)))


def show_costs(run: CostRun, results: str, *, as_json: bool) -> None:
    """Print a sweep of cost."""
    if as_json:
        OUT.print(json.dumps(cost_document(run), indent=2), markup=False)
        return
    for line in (*cost_lines(run.points), *growth_lines(points_of(run.points))):
        OUT.print(line, markup=False)
    OUT.print(f"again, without a run: probe sweep --run {run.run_id}{in_folder(results)}", markup=False)


def write_cost_csv(run: CostRun, path: Path) -> None:
    """Write the points of a sweep in which nothing failed as CSV. ProbeError if the file cannot be written."""
    _write(path, as_csv(points_of(run.points)))


def write_cost_svg(run: CostRun, path: Path) -> None:
    """Write the curves of a sweep. ProbeError if there is no point without a failure, or the file cannot be written."""
    points = points_of(run.points)
    if not points:
        raise ProbeError(f"{path}: the sweep has no point in which nothing failed, so there is no curve")
    from probe.site.pages.cost_picture import cost_picture  # noqa: PLC0415  # most sweeps draw nothing

    _write(path, cost_picture(points))


def _write(path: Path, text: str) -> None:
    try:
        write_file(path, text)
    except OSError as error:
        raise ProbeError(f"{path} cannot be written: {reason_of(error)}; give another file") from None


def cost_document(run: CostRun) -> dict[str, Any]:
    """Return a sweep as a JSON object: per point what all clients cost, and each of them."""
    return {
        "run_id": run.run_id,
        "seed": run.seed,
        "points": [_point(point) for point in run.points],
        "growth": [
            {
                "client": some.client,
                "profile": some.profile,
                "scenario": some.scenario,
                "engine": some.engine,
                "cost": cost,
                "growth": str(found.growth),
                "at_one": round(found.at_one, 3),
                "partitions_exponent": found.partitions,
                "clients_exponent": found.clients,
                "error_factor": round(found.factor, 3),
            }
            for some, cost, found in growths(points_of(run.points))
        ],
    }


def _point(point: PointCost) -> dict[str, Any]:
    return {
        "client": point.client,
        "role": point.role,
        "profile": point.profile,
        "scenario": point.scenario,
        "engine": point.engine,
        "broker": point.broker,
        "partitions": point.scale.partitions,
        "clients": point.scale.clients,
        "late_ms": point.scale.late,
        "admitted_per_s": point.scale.admitted,
        "interval_ms": point.interval_ms,
        "window_ms": point.window_ms,
        "works_ms": point.works_ms,
        "outcomes": dict(point.outcomes),
        "requests": dict(point.requests),
        "bytes": point.bytes,
        "connections": point.connections,
        "handshakes": point.handshakes,
        "peak_per_s": point.peak_per_s,
        "after_per_s": point.after_per_s,
        "memory_mb": point.memory_mb,
        "cpu_s": point.cpu_s,
        "processes": point.processes,
        "lag_ms": point.lag_ms,
        "differences": list(point.differences),
        "problems": list(point.problems),
        "each": [
            {
                "client_id": one.client_id,
                "outcome": one.outcome,
                "reason": one.reason,
                "conforms": one.conforms,
                "works_ms": one.works_ms,
                "working": one.working,
                "requests": dict(one.requests),
                "bytes": one.bytes,
                "connections": one.connections,
                "handshakes": one.handshakes,
                "peak_per_s": one.peak_per_s,
            }
            for one in point.clients
        ],
    }
