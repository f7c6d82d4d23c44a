"""`probe plan`: the cells of a run, and the skipped ones with their reasons; nothing is started."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.console.skips import without_role
from probe.cli.console.streams import OUT
from probe.cli.option_groups import SelectionOptions, with_groups
from probe.cli.wiring.selectors import selectors_of
from probe.model.counts import counted
from probe.planning.cohorts import estimate_s
from probe.planning.plan import Plan
from probe.planning.selection import Selection
from probe.runner import Options


@with_groups()
def plan(
    *,
    chosen: SelectionOptions,
    jobs: common.Jobs = None,
    watch: o.Watch = None,
    results: common.Results = common.RESULTS,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/plan.json).")] = False,
) -> None:
    """List the cells that `probe run` would run and skip, with reasons and a time estimate. Starts nothing."""
    made, selection = selectors_of(chosen).whole(results)
    seconds = estimate_s(made, Options(jobs=jobs).expected_jobs, None if watch is None else int(watch * 1000))
    if as_json:
        typer.echo(json.dumps(_as_json(made, seconds), indent=1))
        return
    _table(made, selection, seconds)


def _as_json(made: Plan, seconds: float) -> dict[str, object]:
    return {
        "cells": [{**item.cell.columns(), "trials": item.trials} for item in made.cells],
        "skips": [{**skip.cell.columns(), "reason": skip.reason} for skip in made.skips],
        "estimate_s": round(seconds),
    }


def _table(made: Plan, selection: Selection, seconds: float) -> None:
    for item in made.cells:
        times = f" x{item.trials}" if item.trials > 1 else ""
        OUT.print(f"run   {item.cell}{times}", markup=False)
    for skip in made.skips:
        OUT.print(f"skip  {skip.cell}: {skip.reason}", markup=False)
    for name, reason in without_role(selection):
        OUT.print(f"skip  {name}: {reason}", markup=False)
    total = sum(item.trials for item in made.cells)
    counts = f"{counted(len(made.cells), 'cell')}, {counted(total, 'trial')}, {len(made.skips)} skipped"
    OUT.print(f"{counts}, about {seconds:.0f} s", markup=False)
