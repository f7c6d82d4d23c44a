"""`probe diff`: what changed between two runs."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer

from probe.advise.diff import Difference, Kind, differences
from probe.advise.settled import Settled, settle
from probe.cli import options as o
from probe.cli.console import OUT
from probe.store import trials


def diff(
    run_a: Annotated[str, typer.Argument(help="RUN_ID of the earlier run.")],
    run_b: Annotated[str, typer.Argument(help="RUN_ID of the later run.")],
    *,
    results: o.Results = o.RESULTS,
    as_json: Annotated[bool, typer.Option("--json", help="Machine readable (docs/schema/diff.json).")] = False,
) -> None:
    """Show the cells that were added, removed or changed (outcome or conformity) from one run to another."""
    before, after = settle(trials(results, run_a)), settle(trials(results, run_b))
    found = differences(before, after)
    same = len(before.keys() & after.keys()) - sum(1 for item in found if item.kind is Kind.CHANGED)
    if as_json:
        rows = {str(kind): [_row(item) for item in found if item.kind is kind] for kind in Kind}
        typer.echo(json.dumps({"run_a": run_a, "run_b": run_b, **rows, "same": same}, indent=1))
        return
    for item in found:
        OUT.print(_line(item), markup=False)
    counts = Counter(item.kind for item in found)
    OUT.print(", ".join([*(f"{counts[kind]} {kind}" for kind in Kind), f"{same} the same"]), markup=False)


def _line(item: Difference) -> str:
    told = " -> ".join(_told(side) for side in (item.before, item.after) if side is not None)
    return f"{item.kind:<8} {item.cell}: {told}"


def _told(side: Settled) -> str:
    return side.tally + {True: ", conforms", False: ", does not conform", None: ""}[side.conforms]


def _row(item: Difference) -> dict[str, object]:
    return {**item.cell.columns(), "before": _side(item.before), "after": _side(item.after)}


def _side(side: Settled | None) -> dict[str, object] | None:
    if side is None:
        return None
    return {"outcome": side.outcome, "conforms": side.conforms, "trials": len(side.verdicts), "run_id": side.run_id}
