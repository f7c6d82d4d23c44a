"""`probe diff`: the cells that differ between two runs."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer

from probe.cells.aggregate import SettledCell, settle
from probe.cells.diff import Difference, Kind, differences, not_comparable
from probe.cells.trends import Step
from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.console.streams import OUT
from probe.cli.wiring.reports import gate_text
from probe.errors import GateError
from probe.reports.gates import read_gate, stopped
from probe.store import trials


def diff(
    run_a: Annotated[str, typer.Argument(metavar="RUN_A", help="Identifier of the earlier run.")],
    run_b: Annotated[str, typer.Argument(metavar="RUN_B", help="Identifier of the later run.")],
    *,
    results: common.Results = common.RESULTS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/diff.json).")] = False,
    fail_on: o.FailOn = "",
) -> None:
    """List the cells that were added, removed or changed from one run to another."""
    gate = read_gate(fail_on)
    before, after = settle(trials(results, run_a)), settle(trials(results, run_b))
    found = differences(before, after)
    apart = len(not_comparable(before, after))
    same = len(before.keys() & after.keys()) - apart - sum(1 for item in found if item.kind is Kind.CHANGED)
    if as_json:
        rows = {str(kind): [_row(item) for item in found if item.kind is kind] for kind in Kind}
        counted = {"same": same, "not_comparable": apart}
        typer.echo(json.dumps({"run_a": run_a, "run_b": run_b, **rows, **counted}, indent=1))
    else:
        for item in found:
            OUT.print(_line(item), markup=False)
        counts = Counter(item.kind for item in found)
        parts = [*(f"{counts[kind]} {kind}" for kind in Kind), f"{same} the same"]
        parts += [f"{apart} not comparable (measured under other conditions)"] if apart else []
        OUT.print(", ".join(parts), markup=False)
    if failed := stopped(gate, after, before):
        raise GateError(gate_text(gate, failed, len(after)))


def _line(item: Difference) -> str:
    sides = " -> ".join(_print_cells(side) for side in (item.before, item.after) if side is not None)
    trend = _trend(item)
    return f"{item.kind:<8} {item.cell}: {sides}{f' ({trend})' if trend else ''}"


def _trend(item: Difference) -> str | None:
    """Return the trend of a cell that is in both runs, in lower case; None otherwise."""
    if item.before is None or item.after is None:
        return None
    return str(Step(item.before, item.after).trend).lower()


def _print_cells(side: SettledCell) -> str:
    return side.tally + {True: ", conforms", False: ", does not conform", None: ""}[side.conforms]


def _row(item: Difference) -> dict[str, object]:
    return {**item.cell.columns(), "before": _side(item.before), "after": _side(item.after), "trend": _trend(item)}


def _side(side: SettledCell | None) -> dict[str, object] | None:
    if side is None:
        return None
    return {
        "outcome": side.outcome,
        "conforms": side.conforms,
        "trials": len(side.verdicts),
        "run_id": side.run_id,
        "outcomes": side.outcomes,
        "worst": side.worst,
    }
