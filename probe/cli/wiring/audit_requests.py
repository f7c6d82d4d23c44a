"""The clients of inventories as cells, and what settled cells say about each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import LOCAL, Chosen, select_clients, select_profiles
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault, Finding, Report, examine, first_good, upgrade
from probe.cells.control_cells import without_implied
from probe.cli.wiring.catalogue import apps, by_number, choose_clients, families
from probe.cli.wiring.evidence import open_evidence
from probe.inventory.found import Found
from probe.model import CONTROL, Cell, Engine, Profile, Role, Workload
from probe.model.profile import DEFAULT_PROFILE
from probe.model.versions import release_key
from probe.planning.selection import Selection, combinations
from probe.scenarios.scenario import Scenario

if TYPE_CHECKING:
    from probe.catalogue.apps import Application

NO_SUCH_ROLE = "no scenario that is asked about has this role; leave the role empty for all"


@dataclass(frozen=True, slots=True)
class Sources:
    """What answers are taken from."""

    evidence: Sequence[str] | None
    """As `--evidence` names it; None = the user's own and the package's."""
    results: str
    max_age: int
    """Age in days up to which evidence shows that a client passes."""


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """A client of an inventory with its cells, or the reason why it has none."""

    service: Found
    chosen: Chosen | None = None
    cells: tuple[Cell, ...] = ()
    problem: str = ""
    named: bool = True
    """Whether workloads were named. Otherwise one that is not known, other than `continuous`, is no question."""


def ask(
    service: Found, scenarios: Sequence[Scenario], engine: Engine, line: str, workloads: Sequence[Workload] = ()
) -> AuditRequest:
    """Return the cells of a client on one release line, the control cells first. No workload = those of the catalogue.

    A client that is not known is a problem of its service only.
    """
    if why := service.broken or service.unknown:
        return AuditRequest(service, problem=why)
    try:
        chosen = _chosen(service.selector)
        selection = Selection(
            clients=[chosen],
            scenarios=[*select_scenarios([CONTROL]), *(item for item in scenarios if item.name != CONTROL)],
            roles=[service.role] if service.role else tuple(Role),
            profiles=_profiles(service),
            own_profiles=not service.profile,
            engine=engine,
            brokers=[line],
            workloads=workloads or (Workload.CONTINUOUS,),
            own_workloads=() if workloads else [item.name for item in scenarios],
        )
    except CatalogueError as error:
        return AuditRequest(service, problem=str(error).removeprefix("--client "))
    every = list(combinations(selection))
    cells = tuple(item.cell for item in every if not item.reason and item.variant.expectation.conforms)
    cells = _with_control(cells, asked=any(item.name == CONTROL for item in scenarios))
    skipped = (item.reason for item in every if item.reason)
    problem = "" if cells else next(skipped, NO_SUCH_ROLE)
    return AuditRequest(service, chosen, cells, problem, named=bool(workloads))


def _profiles(service: Found) -> tuple[Profile, ...]:
    """Return the profile of a service, with its properties. CatalogueError for an unknown one."""
    return select_profiles([service.profile or DEFAULT_PROFILE], service.properties, None)


def _with_control(cells: Sequence[Cell], *, asked: bool) -> tuple[Cell, ...]:
    """Return the cells, with the control cells of roles and workloads that have another one, or all if asked for."""
    used = {(cell.role, cell.workload) for cell in cells if asked or cell.scenario != CONTROL}
    return tuple(cell for cell in cells if (cell.role, cell.workload) in used)


def _chosen(name: str) -> Chosen:
    """Return the client of a name without a registry; unlisted versions are identified by number."""
    if name.partition("@")[2].startswith(LOCAL):
        return choose_clients([name])[0]
    return select_clients(families(), [name], by_number, apps())[0]


def answered(
    asked: Sequence[AuditRequest], sources: Sources, jobs: int | None, *, fill: bool
) -> Mapping[Cell, SettledCell]:
    """Return the answers of evidence; with `fill`, cells without one are run first."""
    cells = [cell for item in asked for cell in item.cells]

    def answers() -> dict[Cell, SettledCell]:
        with open_evidence(sources.evidence, sources.results, sources.max_age) as found:
            return found.answer(cells)

    if not fill:
        return answers()
    from probe.cli.wiring.filling import fill_in  # noqa: PLC0415  # loads what runs need

    return fill_in(sources.results, jobs, answers, lambda stored: _missing(asked, stored))


def _missing(asked: Iterable[AuditRequest], stored: Mapping[Cell, SettledCell]) -> list[Cell]:
    """Return the cells whose findings are not known in their own configuration."""
    faults = [fault for item in asked for fault in _faults(item, stored)]
    return list(dict.fromkeys(item.cell for item in faults if item.finding in {Finding.UNKNOWN, Finding.SUSPECTED}))


def _faults(asked: AuditRequest, stored: Mapping[Cell, SettledCell]) -> tuple[Fault, ...]:
    found = without_implied(examine(asked.cells, stored))
    return tuple(one for one in found if asked.named or one.finding is not Finding.UNKNOWN or not one.cell.unusual)


def report(asked: AuditRequest, stored: Mapping[Cell, SettledCell]) -> Report:
    """Return the findings about a client."""
    faults = _faults(asked, stored)
    return Report(
        name=asked.service.name,
        client=asked.service.shown,
        stands_for=str(asked.chosen.client) if asked.chosen else "",
        count=asked.service.count,
        faults=faults,
        upgrade=first_good(faults, _releases(asked, [item.cell for item in faults]), stored) or upgrade(faults, stored),
        problem=asked.problem,
        place=asked.service.place,
        note=asked.service.note,
        is_broken=bool(asked.service.broken),
    )


def _releases(asked: AuditRequest, cells: Sequence[Cell]) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the later releases of a service's application, each with these cells in its configuration."""
    own = asked.chosen.application if asked.chosen else None
    if own is None:
        return
    (profile,) = _profiles(asked.service)
    later = [item for item in own.app.versions if release_key(item.since) > release_key(own.version)]
    for item in sorted(later, key=lambda one: release_key(one.since)):
        release = replace(own, version=item.since)
        yield str(release), [_in_release(cell, release, item.library, profile) for cell in cells]


def _in_release(cell: Cell, release: Application, library: str, profile: Profile) -> Cell:
    own = replace(profile, name=Profile.parse(cell.profile).name)  # a scenario may have one of its own
    return replace(cell, version=library, profile=str(release.profile(own, cell.role)))
