"""`probe estimate`: what one failover costs a cluster, for an operator's numbers."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from probe.catalogue.costs import shipped_costs
from probe.cells.cost_estimates import Asked, Estimate, estimates
from probe.cells.cost_growth import METRICS
from probe.cli import common_options as common
from probe.cli.console.plain_table import lines_of
from probe.cli.console.streams import say
from probe.cli.wiring.costed_clients import check_scenario, costed_client
from probe.errors import NothingJudgedError, ProbeError
from probe.model import Engine
from probe.model.cost_point import CostPoint, points_of
from probe.model.counts import counted
from probe.model.engines import DEFAULT_ENGINE, ENGINES
from probe.model.scale import CLIENTS, LOWEST

FOLDER = "costs"
"""Of a results folder (probe/store/costs.py)."""


def estimate(
    *,
    client: Annotated[
        list[str] | None,
        typer.Option(
            "--client", metavar="FAMILY[@VERSION]:N", help="Clients of one kind, with their number. Repeat it."
        ),
    ] = None,
    partitions: Annotated[
        int, typer.Option("--partitions", min=1, metavar="N", help="Partitions that the failing broker leads.")
    ] = 1,
    scenario: Annotated[str, typer.Option("--scenario", metavar="SCENARIO", help="The fault.")] = "disk/storage-error",
    engine: common.EngineOption = DEFAULT_ENGINE,
    cost: Annotated[str, typer.Option("--cost", metavar="COST", help=f"One of {', '.join(METRICS)}.")] = "Metadata",
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    results: common.Results = common.RESULTS,
) -> None:
    """Estimate what one failover costs the cluster, by clients and partitions; exit code 3 if nothing is known.

    Inside what was measured each estimate has an interval that nine of ten measurements fall into; outside it says
    "at least N, not measured". docs/cost.md has the measurements.
    """
    if not client:
        raise ProbeError("estimate: --client missing; write --client FAMILY@VERSION:NUMBER")
    if cost not in METRICS:
        raise ProbeError(f"--cost {cost}: it is one of {', '.join(METRICS)}")
    points = (*shipped_costs(), *_own(results))
    check_scenario(scenario, points)
    asked = [_asked(text, points) for text in client]
    found = estimates(asked, partitions, [one for one in points if one.engine == engine], scenario, cost)
    if json_out:
        typer.echo(json.dumps({"engine": str(engine)} | _document(found, partitions, scenario, cost), indent=1))
    else:
        typer.echo(f"as measured on {ENGINES[engine].title}")
        for line in _lines(found, partitions, scenario, cost):
            typer.echo(line)
    if not any(one.measured for one in found):
        raise NothingJudgedError(
            f"estimate: no cost in {scenario} was measured of these clients on {ENGINES[engine].title}; "
            f"`{_sweep(asked[0], scenario, engine)}` measures it"
        )


def _own(results: str) -> list[CostPoint]:
    """Return the measured points of a results folder; a sweep that cannot be read is named and left out."""
    if "://" not in results and not (Path(results) / FOLDER).is_dir():
        return []
    from probe.store.costs import read_costs  # noqa: PLC0415  # loads pyarrow

    return [point for run in read_costs(results, say) for point in points_of(run.points)]


def _sweep(one: Asked, scenario: str, engine: Engine) -> str:
    where = f" --engine {engine}" if ENGINES[engine].real else ""
    return (
        f"probe sweep --client {one.name} --scenario {scenario} --over partitions=1,10,100 --over clients=1,10{where}"
    )


def _asked(text: str, points: Sequence[CostPoint]) -> Asked:
    name, _, number = text.rpartition(":")
    if not name or name.startswith("@") or not number.isdecimal() or not LOWEST[CLIENTS] <= int(number) <= 10**6:
        raise ProbeError(f"--client {text}: write FAMILY@VERSION:NUMBER or FAMILY:NUMBER, such as sarama:60")
    family, version = costed_client(name, points)
    return Asked(family=family, version=version, clients=int(number))


def _lines(found: list[Estimate], partitions: int, scenario: str, cost: str) -> list[str]:
    rows = [
        (
            one.asked.name,
            str(one.asked.clients),
            _amount(one),
            one.growth or "-",
            one.measured or "-",
            one.within or "-",
        )
        for one in found
    ]
    header = ("client", "number", f"{cost} of one failover", "grows", "as measured of", "up to")
    known = [one for one in found if one.measured]
    low, high = sum(one.low for one in known), [one.high for one in known]
    whole = len(known) == len(found) and None not in high
    words = f"{low:.0f} to {sum(one or 0 for one in high):.0f}" if whole else f"at least {low:.0f}, not measured"
    moving = f"{counted(partitions, 'partition')} that {'moves' if partitions == 1 else 'move at once'}"
    lines = [f"{scenario}, {moving}", *lines_of(header, rows)]
    return [*lines, f"all clients: {words}"] if known else lines


def _amount(one: Estimate) -> str:
    if not one.measured:
        return "not measured"
    if one.high is None or one.expected is None:
        return f"at least {one.low:.0f}, not measured"
    return f"{one.low:.0f} to {one.high:.0f} (expected {one.expected:.0f})"


def _document(found: list[Estimate], partitions: int, scenario: str, cost: str) -> dict[str, object]:
    return {
        "scenario": scenario,
        "partitions": partitions,
        "cost": cost,
        "clients": [
            {
                "client": one.asked.name,
                "number": one.asked.clients,
                "measured": one.measured or None,
                "low": round(one.low, 1) if one.measured else None,
                "high": None if one.high is None else round(one.high, 1),
                "expected": None if one.expected is None else round(one.expected, 1),
                "growth": one.growth or None,
                "within": one.within or None,
            }
            for one in found
        ],
    }
