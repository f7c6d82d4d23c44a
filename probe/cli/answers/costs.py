"""The answer to a sweep of cost: tables or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from probe.cli.console.cost_table import cost_lines, progress_line
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.cost_sweep import CostSweep
from probe.cli.wiring.run_selection import RunSelection
from probe.model.cost import CostRun, PointCost
from probe.model.scale import Scale


def measured_costs(
    asked: RunSelection, scales: Sequence[Scale], interval_ms: int | None, results: str, wait_s: float
) -> CostRun:
    """Measure a sweep of cost and store it. ProbeError for what does not fit this machine."""
    sweep = CostSweep(asked=asked, scales=scales, interval_ms=interval_ms)
    return sweep.measured(results, wait_s, lambda point: say(progress_line(point)))


def show_costs(run: CostRun, *, as_json: bool) -> None:
    """Print a sweep of cost."""
    if as_json:
        OUT.print(json.dumps(cost_document(run), indent=2), markup=False)
        return
    for line in cost_lines(run.points):
        OUT.print(line, markup=False)
    OUT.print(f"again, without a run: probe sweep --run {run.run_id}", markup=False)


def cost_document(run: CostRun) -> dict[str, Any]:
    """Return a sweep as a JSON object: per point what all clients cost, and each of them."""
    return {"run_id": run.run_id, "seed": run.seed, "points": [_point(point) for point in run.points]}


def _point(point: PointCost) -> dict[str, Any]:
    return {
        "client": point.client,
        "role": point.role,
        "profile": point.profile,
        "scenario": point.scenario,
        "broker": point.broker,
        "partitions": point.scale.partitions,
        "clients": point.scale.clients,
        "late_ms": point.scale.late,
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
