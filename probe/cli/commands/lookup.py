"""`probe lookup`: what evidence says about a client. It runs and reads no trial."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Annotated

import typer

from probe.catalogue.families import CatalogueError
from probe.catalogue.selectors import Chosen, any_line, select_clients
from probe.cells.audit import Fault, Finding, examine
from probe.cells.diff import in_order
from probe.cells.upgrades import next_conforming
from probe.cli import common_options as o
from probe.cli.console.lookup_output import as_json, as_text, counts_of, overview
from probe.cli.wiring import evidence as given
from probe.cli.wiring.catalogue import apps, by_number, families
from probe.errors import GateError, NothingJudgedError, ProbeError
from probe.evidence.wanted import Wanted
from probe.model import Cell, Engine, Profile, Role
from probe.model.versions import version_key


def lookup(
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT[@VERSION]", help="FAMILY or APPLICATION with a version; a family alone lists its versions."
        ),
    ],
    *,
    scenario: Annotated[
        list[str] | None, typer.Option("--scenario", metavar="GLOB", help="Scenario or pattern; default: all.")
    ] = None,
    role: Annotated[list[Role] | None, typer.Option("--role", metavar="ROLE", help="Role; default: all.")] = None,
    profile: Annotated[
        str, typer.Option("--profile", metavar="GLOB", help="Profile as in matrix.csv, or pattern.")
    ] = "isolated",
    broker: o.BrokerLine = o.DEFAULT_BROKER,
    engine: o.EngineOption = Engine.EMBEDDED,
    everything: Annotated[bool, typer.Option("--all", help="Also list what passes, with its evidence.")] = False,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/lookup.json).")] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
) -> None:
    """Look up what is known of a client, without a run; exit code 1 if it fails anywhere, 3 if nothing is known."""
    asked = _chosen(client)
    line = any_line(broker)
    with given.open_evidence(evidence, results, max_age) as found:
        every = found.find(_wanted(asked, client, role, engine))
        cells = in_order({replace(cell, broker=line) for cell in every if _fits(cell, asked, profile, scenario)})
        if not cells:
            raise NothingJudgedError(_nothing(client, found))
        stored = found.answer(cells, others=False)
        faults = examine(cells, stored)
        bad = [item.evidence for item in faults if item.finding is Finding.FAILS and item.evidence is not None]
        passing = next_conforming(bad, found.later([item.cell for item in bad]).values()) if bad else {}
    given.say_differing([stored[cell] for cell in cells if cell in stored])
    where = f"broker line {line}, {engine} engine, profile {profile}"
    if "@" not in client and not json_out:
        _print_versions(f"{client} on {where}", faults)
        return
    if json_out:
        about = {"client": client, "stands_for": str(asked.client), "broker": line, "engine": str(engine)}
        typer.echo(as_json(about, faults, passing, results))
    else:
        driven = f" ({asked.client} with its settings)" if asked.application else ""
        typer.echo(f"{client}{driven} on {where}: {counts_of(faults)}")
        for text in as_text(faults, passing, results, everything=everything):
            typer.echo(text)
    _check(client, faults)


def _chosen(client: str) -> Chosen:
    """Return the client of a name, without a registry. ProbeError for an unknown one."""
    try:
        return select_clients(families(), [client], by_number, apps())[-1]
    except CatalogueError as error:
        raise ProbeError(str(error).replace("--client", "lookup")) from None


def _wanted(asked: Chosen, client: str, roles: Sequence[Role] | None, engine: Engine) -> Wanted:
    return Wanted(
        family=[asked.client.family],
        version=[asked.client.version] if "@" in client or asked.application else None,
        role=[str(item) for item in roles] if roles else None,
        engine=[str(engine)],
    )


def _fits(cell: Cell, asked: Chosen, profile: str, scenarios: Sequence[str] | None) -> bool:
    if scenarios and not any(fnmatchcase(cell.scenario, glob) for glob in scenarios):
        return False
    if asked.application is None:
        return cell.profile == profile or fnmatchcase(cell.profile, profile)
    own = Profile.parse(cell.profile)
    plain = own.plain()
    return asked.application.profile(plain, cell.role) == own and fnmatchcase(str(plain), profile)


def _nothing(client: str, found: given.Evidence) -> str:
    places = ", ".join(found.names) or "neither own nor shipped evidence is there"
    return f"nothing is known of {client} ({places}); `probe run --client {client}` measures it"


def _print_versions(title: str, faults: Sequence[Fault]) -> None:
    typer.echo(f"{title}:")
    ordered = sorted(faults, key=lambda item: version_key(item.cell.version))
    for version, mine in groupby(ordered, key=lambda item: item.cell.version):
        typer.echo(overview(version, list(mine)))


def _check(client: str, faults: Sequence[Fault]) -> None:
    if bad := [item for item in faults if item.finding is Finding.FAILS]:
        raise GateError(f"{client} fails {len(bad)} of {len(faults)} cells")
    if all(item.finding is Finding.UNKNOWN for item in faults):
        raise NothingJudgedError(f"nothing is known of {client} here; the lines above say why")
