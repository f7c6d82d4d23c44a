"""The clients of inventories as cells: of each client itself, and of the library inside it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from probe.catalogue.families import CatalogueError
from probe.catalogue.identities import Identity, identify
from probe.catalogue.scenarios import default_scenarios, select_scenarios
from probe.catalogue.selectors import LOCAL, Chosen, select_profiles
from probe.cells.protocol_switch import hindrance
from probe.cli.wiring.catalogue import apps, by_number, choose_clients, families
from probe.cli.wiring.lookup_words import named_line, near
from probe.inventory.entries import Found
from probe.model import CONTROL, Cell, Engine, Profile, Role, Workload
from probe.model.profile import CONSUMER_PROTOCOL, DEFAULT_PROFILE
from probe.model.roles import UNLEVELLED
from probe.planning.selection import Selection, combinations
from probe.scenarios.scenario import Scenario

NO_SUCH_ROLE = "no scenario that is asked about has this role; leave the role empty for all"


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """A client of an inventory with its cells, or the reason why it has none."""

    service: Found
    identity: Identity | None = None
    cells: tuple[Cell, ...] = ()
    """Of the client itself."""
    library_cells: tuple[Cell, ...] = ()
    """Of the library inside an application or wrapper."""
    problem: str = ""
    named: bool = True
    """Whether workloads were named. Otherwise one that is not known, other than `continuous`, is no question."""

    @property
    def is_runnable(self) -> bool:
        """Whether the client itself can be measured: it can be obtained, and no settings are in the library's words."""
        one = self.identity
        return one is not None and one.is_obtainable and not (one.library and _own_settings(self.service, one))

    @property
    def all_cells(self) -> tuple[Cell, ...]:
        """The cells whose evidence can answer."""
        relative = self.identity.relative if self.identity else None
        others = [replace(cell, version=relative.client.version) for cell in self.cells] if relative else []
        return *self.cells, *others, *self.library_cells


def of_service(service: Found, scenarios: Sequence[Scenario]) -> tuple[Sequence[Scenario], bool]:
    """Return the scenarios to ask a service about in place of the baseline's, and whether they are others.

    A role that no baseline scores is asked about what a run of it would play.
    """
    if service.role not in UNLEVELLED:
        return scenarios, False
    own = [item for item in default_scenarios().values() if not item.asked and service.role in item.roles]
    return own, True


def ask(
    service: Found,
    scenarios: Sequence[Scenario],
    engine: Engine,
    line: str,
    workloads: Sequence[Workload] = (),
    only_roles: Mapping[str, Collection[Role]] = MappingProxyType({}),
) -> AuditRequest:
    """Return the cells of a client on one release line, the control cells first. No workload = those of the catalogue.

    A client that is not known is a problem of its service only.
    """
    if why := service.broken or service.unknown:
        known = service.client in families() or service.client in apps()
        hint = f"; nearest is {near(service.package, service.client)}" if known and not service.broken else ""
        return AuditRequest(service, problem=f"{why}{hint}")
    if named := named_line(service.selector):
        return AuditRequest(service, problem=named.why)
    question = Question(service, tuple(scenarios), engine, line, tuple(workloads), only_roles)
    try:
        identity = _identity(service.selector)
        if why := _absent_protocol(service, identity, line):
            return AuditRequest(service, identity, problem=why)
        own, problem = _cells(identity.itself, question, _own_settings(service, identity))
        library, other = _cells(identity.library, question, service.properties)
    except CatalogueError as error:
        return AuditRequest(service, problem=str(error).removeprefix("--client "))
    problem = "" if own or library else problem or other or NO_SUCH_ROLE
    return AuditRequest(service, identity, own, library, problem, named=bool(workloads))


@dataclass(frozen=True, slots=True)
class Question:
    """The question about a service."""

    service: Found
    scenarios: tuple[Scenario, ...]
    engine: Engine
    line: str
    workloads: tuple[Workload, ...]
    only_roles: Mapping[str, Collection[Role]]
    """The roles of scenarios of which only some are asked about."""


def _cells(chosen: Chosen | None, asked: Question, properties: Sequence[str]) -> tuple[tuple[Cell, ...], str]:
    """Return the cells of one client; or none, and why there are none."""
    if chosen is None:
        return (), ""
    service, scenarios = asked.service, asked.scenarios
    selection = Selection(
        clients=[chosen],
        scenarios=[*select_scenarios([CONTROL]), *(item for item in scenarios if item.name != CONTROL)],
        roles=[service.role] if service.role else tuple(Role),
        profiles=profiles_of(service, properties),
        own_profiles=not service.profile,
        engine=asked.engine,
        brokers=[asked.line],
        workloads=asked.workloads or (Workload.CONTINUOUS,),
        own_workloads=() if asked.workloads else [item.name for item in scenarios],
        only_roles=asked.only_roles,
    )
    every = list(combinations(selection))
    cells = tuple(item.cell for item in every if not item.reason and item.variant.expectation.conforms)
    cells = _with_control(cells, asked=any(item.name == CONTROL for item in scenarios))
    return cells, "" if cells else next((item.reason for item in every if item.reason), NO_SUCH_ROLE)


def _absent_protocol(service: Found, identity: Identity, line: str) -> str:
    """Return why a member that is set to the new group protocol has no group on brokers of a line; empty if it can."""
    if not service.profile or Profile.parse(service.profile).name != CONSUMER_PROTOCOL:
        return ""
    first = identity.first
    why = hindrance(first.family, first.client.version, line)
    return f"it cannot have the consumer protocol: {why}" if why else ""


def _own_settings(service: Found, identity: Identity) -> tuple[str, ...]:
    """Return the properties that are not the application's own defaults anyway.

    They are in the library's words, which the application's own family does not know; a library knows all of its own.
    """
    library = identity.library
    if library is None or library.application is None:
        return service.properties
    one = library.application
    usual = [one.app.properties(role, one.version) for role in ([service.role] if service.role else Role)]
    defaults = {f"{key}={value}" for each in usual for key, value in each.items()}
    return tuple(item for item in service.properties if item not in defaults)


def profiles_of(service: Found, properties: Sequence[str]) -> tuple[Profile, ...]:
    """Return the profile of a service, with properties. CatalogueError for an unknown one."""
    return select_profiles([service.profile or DEFAULT_PROFILE], properties, None)


def _with_control(cells: Sequence[Cell], *, asked: bool) -> tuple[Cell, ...]:
    """Return the cells, with the control cells of roles and workloads that have another one, or all if asked for."""
    used = {(cell.role, cell.workload) for cell in cells if asked or cell.scenario != CONTROL}
    return tuple(cell for cell in cells if (cell.role, cell.workload) in used)


def _identity(name: str) -> Identity:
    """Return what a name stands for, without a registry; unlisted versions are identified by number."""
    if name.partition("@")[2].startswith(LOCAL):
        return Identity(choose_clients([name])[0])
    return identify(families(), name, by_number, apps())
