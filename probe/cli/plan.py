"""`probe plan`: what would run, what is skipped and why; starts nothing."""

from __future__ import annotations

import json
from collections import Counter
from typing import Annotated

import typer

from probe.cli import options as o
from probe.cli.console import OUT
from probe.model import Engine
from probe.plan import LongWatches, Plan
from probe.runner.grouping import estimate_s


def plan(
    *,
    client: o.Clients = None,
    scenario: o.Scenarios = None,
    role: o.Roles = None,
    profile: o.Profiles = None,
    property_: o.Properties = None,
    engine: o.EngineOption = Engine.EMBEDDED,
    broker: o.Brokers = None,
    trials: o.Trials = 1,
    election: o.ElectionOption = None,
    seed: o.Seed = None,
    shard: o.Shard = "1/1",
    long_watches: o.Long = LongWatches.ALL,
    jobs: o.Jobs = o.DEFAULT_JOBS,
    watch: o.Watch = None,
    as_json: Annotated[bool, typer.Option("--json", help="Machine readable (docs/schema/plan.json).")] = False,
) -> None:
    """Show what would run, what is skipped and why, and how long it will take; start nothing."""
    asked = o.Asked(
        clients=client or (),
        scenarios=scenario or (),
        roles=role or (),
        profiles=profile or (),
        properties=property_ or (),
        engine=engine,
        brokers=broker or (),
        trials=trials,
        election=o.parse_election(election),
        seed=seed,
        shard=shard,
        long_watches=long_watches,
    )
    made, _ = asked.whole()
    seconds = estimate_s(made, jobs, None if watch is None else int(watch * 1000))
    if as_json:
        typer.echo(json.dumps(_as_json(made, seconds), indent=1))
        return
    _table(made, seconds)


def _as_json(made: Plan, seconds: float) -> dict[str, object]:
    return {
        "cells": [{**item.cell.columns(), "trials": item.trials} for item in made.cells],
        "skips": [{**skip.cell.columns(), "reason": skip.reason} for skip in made.skips],
        "estimate_s": round(seconds),
    }


def _table(made: Plan, seconds: float) -> None:
    for item in made.cells:
        times = f" x{item.trials}" if item.trials > 1 else ""
        OUT.print(f"run   {item.cell}{times}", markup=False)
    for skip in made.skips:
        OUT.print(f"skip  {skip.cell}: {skip.reason}", markup=False)
    reasons = Counter(skip.reason for skip in made.skips)
    total = sum(item.trials for item in made.cells)
    OUT.print(
        f"{len(made.cells)} cells, {total} trials, {sum(reasons.values())} skipped, about {seconds:.0f} s", markup=False
    )
