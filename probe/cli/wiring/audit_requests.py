"""The clients of inventories as cells, and what settled cells say about each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.catalogue.apps import Application, release_key
from probe.catalogue.families import CatalogueError, Family, Version
from probe.catalogue.selectors import LOCAL, Chosen, select_clients, select_profiles
from probe.cells.aggregate import SettledCell, settle
from probe.cells.audit import Finding, Report, examine, first_good, upgrade
from probe.cli.wiring.catalogue import apps, choose_clients, families
from probe.inventory.found import Found
from probe.model import Cell, Engine, Role
from probe.planning.plan import Selection, make_plan
from probe.scenarios.scenario import Scenario
from probe.store.presence import trials_if_any


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """A client of an inventory with its cells, or the reason why it has none."""

    service: Found
    chosen: Chosen | None = None
    cells: tuple[Cell, ...] = ()
    problem: str = ""


def ask(service: Found, scenarios: Sequence[Scenario], engine: Engine, line: str) -> AuditRequest:
    """Return the cells of a client on one release line. One that is not known is a problem of its service only."""
    if why := service.broken or service.unknown:
        return AuditRequest(service, problem=why)
    try:
        chosen = _chosen(service.selector)
        selection = Selection(
            clients=[chosen],
            scenarios=scenarios,
            roles=[service.role] if service.role else tuple(Role),
            profiles=select_profiles([service.profile], service.properties, None),
            engine=engine,
            brokers=[line],
        )
    except CatalogueError as error:
        return AuditRequest(service, problem=str(error).removeprefix("--client "))
    plan = make_plan(selection)
    cells = tuple(item.cell for item in plan.cells if item.variant.expectation.conforms)
    return AuditRequest(
        service,
        chosen,
        cells,
        "" if cells else (plan.skips[0].reason if plan.skips else "it has no such role; leave the role empty for all"),
    )


def _chosen(name: str) -> Chosen:
    """Return the client of a name without a registry; unlisted versions are identified by number."""
    if name.partition("@")[2].startswith(LOCAL):
        return choose_clients([name])[0]
    return select_clients(families(), [name], _by_number, apps())[0]


def _by_number(family: Family, text: str) -> Version:
    if text == "latest":
        return family.newest
    return next((item for item in family.versions if item.pinned_artifact == text), Version(version=text))


def stored(results: str, asked: Iterable[AuditRequest]) -> Mapping[Cell, SettledCell]:
    """Return the settled cells of the families that are asked for."""
    wanted = {item.chosen.client.family for item in asked if item.chosen is not None}
    return settle(row for row in trials_if_any(results) if row.cell.family in wanted)


def missing(asked: Iterable[AuditRequest], stored: Mapping[Cell, SettledCell]) -> list[Cell]:
    """Return the cells whose findings are not known in their own configuration."""
    faults = [fault for item in asked for fault in examine(item.cells, stored)]
    return list(dict.fromkeys(item.cell for item in faults if item.finding in {Finding.UNKNOWN, Finding.SUSPECTED}))


def report(asked: AuditRequest, stored: Mapping[Cell, SettledCell]) -> Report:
    """Return the findings about a client."""
    faults = examine(asked.cells, stored)
    return Report(
        name=asked.service.name,
        client=asked.service.shown,
        stands_for=str(asked.chosen.client) if asked.chosen else "",
        count=asked.service.count,
        faults=faults,
        upgrade=first_good(faults, _releases(asked), stored) or upgrade(faults, stored),
        problem=asked.problem,
        place=asked.service.place,
        note=asked.service.note,
        is_broken=bool(asked.service.broken),
    )


def _releases(asked: AuditRequest) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the later releases of a service's application, each with the service's cells in its configuration."""
    own = asked.chosen.application if asked.chosen else None
    if own is None:
        return
    (profile,) = select_profiles([asked.service.profile], asked.service.properties, None)
    later = [item for item in own.app.versions if release_key(item.since) > release_key(own.version)]
    for item in sorted(later, key=lambda one: release_key(one.since)):
        release = Application(own.app, item.since)
        yield (
            str(release),
            [replace(c, version=item.library, profile=str(release.profile(profile, c.role))) for c in asked.cells],
        )
