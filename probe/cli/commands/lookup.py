"""`probe lookup`: what evidence says about a client. It runs and reads no trial."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import groupby
from typing import Annotated

import typer

from probe.catalogue.families import CatalogueError
from probe.catalogue.identities import family_of, identify
from probe.catalogue.selectors import Chosen, any_line, own_profile, select_clients
from probe.catalogue.workloads import select_workloads
from probe.cells.aggregate import SettledCell
from probe.cells.audit import BAD, Fault, Finding, examine
from probe.cells.audit_upgrades import in_other_profiles
from probe.cells.between import filled
from probe.cells.control_cells import without_implied
from probe.cells.diff import in_order
from probe.cells.lines import completed
from probe.cells.upgrades import next_conforming
from probe.cli import common_options as o
from probe.cli.answers.lookup import AT, Known, as_json, as_text, counts_of, overview
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.cli.console.older_conditions import say_older
from probe.cli.laboratory import absent_packages
from probe.cli.wiring import evidence as given
from probe.cli.wiring.between import near_releases
from probe.cli.wiring.catalogue import apps, by_number, families
from probe.cli.wiring.lookup_words import asked_client, check_scenarios, nothing
from probe.cli.wiring.sides import AskedClient, answers_of, library_side, notes_of, sides_of, used_of
from probe.errors import GateError, NothingJudgedError, ProbeError
from probe.evidence.cell_choice import Wanted
from probe.model import CONTROL, Cell, Engine, Profile, Role
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE, named_profile
from probe.model.versions import version_key
from probe.scenarios.own_profiles import profile_of


def lookup(
    client: Annotated[
        str,
        typer.Argument(
            metavar="CLIENT[@VERSION]",
            help="FAMILY or APPLICATION with a version, or what names one: a purl, an image, a line of a lock file "
            "(docs/audit.md). A family alone lists its versions.",
        ),
    ],
    *,
    scenario: Annotated[
        list[str] | None, typer.Option("--scenario", metavar="GLOB", help="Scenario or pattern; default: all.")
    ] = None,
    role: Annotated[list[Role] | None, typer.Option("--role", metavar="ROLE", help="Role; default: all.")] = None,
    profile: Annotated[
        str | None,
        typer.Option(
            "--profile",
            metavar="GLOB",
            help=f"Profile as in matrix.csv, or pattern; default: {DEFAULT_PROFILE}, or the scenario's own.",
        ),
    ] = None,
    broker: o.BrokerLine = o.DEFAULT_BROKER,
    engine: o.EngineOption = DEFAULT_ENGINE,
    workload: o.WorkloadFilter = None,
    everything: Annotated[bool, typer.Option("--all", help="Also list what passes, with its evidence.")] = False,
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/lookup.json).")] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
) -> None:
    """Look up what is known of a client, without a run; exit code 1 if it fails anywhere, 3 if nothing is known.

    A family alone has a line per version, and does not fail.
    """
    client = asked_client(client)
    sides = _sides(client)
    asked = sides[0].chosen
    line = any_line(broker)
    with given.open_evidence(evidence, results, max_age) as found:
        read: dict[Cell, SettledCell] = {}

        def known(side: AskedClient) -> tuple[Fault, ...]:
            wanted = _wanted(side.chosen, client, role, engine, workload)
            every = found.find(wanted)
            read.update(every)
            lone = side.has_others or _is_family(asked, client)
            near = None if lone else near_releases(found, side, every, wanted, line)
            own = [*every, *(near.questions(side.chosen.client.version) if near else ())]
            fitting = _fitting(own, side.chosen, profile, scenario)
            cells = in_order({_as_asked(cell, side.chosen, line) for cell in fitting})
            examined = examine(cells, completed(cells, every), usual_settings=True)
            return without_implied(filled(examined, near.answer) if near else examined)

        every = answers_of(sides, known, by_profile=profile is not None)
        check_scenarios(scenario, read)
        faults = [item for item in every if _is_asked(item, scenario)]
        if not faults:
            raise NothingJudgedError(nothing(client, asked, read, found.names))
        bad = [item.evidence for item in faults if item.finding in BAD and item.evidence is not None]
        later = found.later([item.cell for item in bad], any_profile=False) if bad else {}
        beside = Known(
            passing=next_conforming(bad, later.values()),
            helping=in_other_profiles(bad, read.values()),
            results=results,
            can_run=not absent_packages(),
        )
    given.say_differing([item.evidence for item in faults if item.evidence is not None])
    older = {item.cell for item in faults if item.evidence is not None and not item.evidence.is_current}
    say_older(older, "their results are of that time; `probe run` measures them again")
    where = f"broker line {line}, {engine} engine, {_shown(profile, faults)}"
    meant = asked.client.family if _is_family(asked, client) else str(asked.client)
    used = used_of(sides, faults)
    columns = terminal_columns()
    if json_out:
        about = {"client": client, "stands_for": meant, "broker": line, "engine": str(engine)}
        typer.echo(as_json(about, faults, beside))
    elif _is_family(asked, client):
        _print_versions(f"{client} on {where}", faults, columns)
    else:
        driven = f" ({'; '.join(used)})" if used != [client] else ""
        title = wrapped(f"{client}{driven} on {where}: {counts_of(faults)}", columns, 2)
        notes = [line for text in notes_of(sides, faults) for line in wrapped(text, columns, 2)]
        for text in (*title, *notes, *as_text(faults, beside, everything=everything, columns=columns)):
            typer.echo(text)
    _check(client, faults, is_gate=not _is_family(asked, client))


def _sides(client: str) -> tuple[AskedClient, ...]:
    """Return what answers for a name, without a registry. ProbeError for an unknown one, or several versions."""
    name, at, _ = client.partition("@")
    driven = family_of(name, families(), apps())
    try:
        if not at and driven:
            return (AskedClient(select_clients(families(), [driven], by_number)[-1]),)
        if not driven:
            return (_one(client, select_clients(families(), [client], by_number, apps())),)
        return sides_of(identify(families(), client, by_number, apps()))
    except CatalogueError as error:
        raise ProbeError(str(error).replace("--client", "lookup")) from None


def _one(client: str, found: Sequence[Chosen]) -> AskedClient:
    if "@" in client and len(found) > 1:
        family = client.partition("@")[0]
        raise ProbeError(f"lookup {client}: {len(found)} versions; name one, or {family} for a line about each")
    return library_side(found[-1])


def _is_family(asked: Chosen, client: str) -> bool:
    """Return whether all versions of a family are asked about."""
    return "@" not in client and asked.application is None


def _wanted(
    asked: Chosen, client: str, roles: Sequence[Role] | None, engine: Engine, workloads: Sequence[str] | None
) -> Wanted:
    return Wanted(
        family=[asked.client.family],
        version=None if _is_family(asked, client) else [asked.client.version],
        role=[str(item) for item in roles] if roles else None,
        engine=[str(engine)],
        workload=[str(item) for item in select_workloads(workloads)] if workloads else None,
    )


def _fitting(
    cells: Iterable[Cell], asked: Chosen, profile: str | None, scenarios: Sequence[str] | None
) -> Iterator[Cell]:
    """Yield the cells that are asked about. Control cells have the profiles of the scenarios that they stand for."""
    controls: list[Cell] = []
    profiles: set[tuple[str, Role, str]] = set()
    for cell in cells:
        if cell.scenario == CONTROL:
            controls.append(cell)
        elif _matches(cell, scenarios) and _fits(cell, asked, profile):
            profiles.add((cell.version, cell.role, cell.profile))
            yield cell
    for cell in controls:
        if (cell.version, cell.role, cell.profile) in profiles or _fits(cell, asked, profile):
            yield cell


def _fits(cell: Cell, asked: Chosen, profile: str | None) -> bool:
    """Return whether a cell has a profile that is asked about, with or without the settings of the application."""
    if asked.application is None:
        return _in_profile(cell, cell.profile, asked, profile)
    own = Profile.parse(cell.profile)
    plain = own.plain()
    settings = {plain, asked.application.profile(plain, cell.role)}
    return asked.application.plays(cell.role) and own in settings and _in_profile(cell, str(plain), asked, profile)


def _in_profile(cell: Cell, plain: str, asked: Chosen, profile: str | None) -> bool:
    if profile is not None:
        return plain == profile or fnmatchcase(plain, profile)
    own = profile_of(cell.scenario)
    return plain == DEFAULT_PROFILE or plain == own_profile(own, asked.family, cell.version, cell.role)


def _shown(profile: str | None, faults: Iterable[Fault]) -> str:
    """Return the profiles that are asked about, in words."""
    if profile is not None:
        return f"profile {profile}"
    own = sorted({named_profile(item.cell.profile) for item in faults} - {""})
    more = f", {' and '.join(own)} where it is the scenario's own" if own else ""
    return f"profile {DEFAULT_PROFILE}{more}"


def _matches(cell: Cell, scenarios: Sequence[str] | None) -> bool:
    return not scenarios or any(fnmatchcase(cell.scenario, glob) for glob in scenarios)


def _is_asked(fault: Fault, scenarios: Sequence[str] | None) -> bool:
    """Return whether a fault is shown: a control cell that was not asked for only if it fails."""
    return _matches(fault.cell, scenarios) or fault.finding in BAD


def _as_asked(cell: Cell, asked: Chosen, line: str) -> Cell:
    """Return the cell on a release line, with the settings of the application."""
    own = replace(cell, broker=line)
    if asked.application is None:
        return own
    return replace(own, profile=str(asked.application.profile(Profile.parse(cell.profile).plain(), cell.role)))


def _print_versions(title: str, faults: Sequence[Fault], columns: int) -> None:
    lines = wrapped(f"{title}:", columns, 2)
    ordered = sorted(faults, key=lambda item: version_key(item.cell.version))
    for version, mine in groupby(ordered, key=lambda item: item.cell.version):
        lines += wrapped(overview(version, list(mine)), columns, AT)
    for line in lines:
        typer.echo(line)


def _check(client: str, faults: Sequence[Fault], *, is_gate: bool) -> None:
    bad = [item for item in faults if item.finding is Finding.FAILS]
    if bad and is_gate:
        raise GateError(f"{client} fails {len(bad)} of {len(faults)} cells")
    if all(item.finding is Finding.UNKNOWN for item in faults):
        raise NothingJudgedError(f"nothing is known of {client} here; the lines above say why")
