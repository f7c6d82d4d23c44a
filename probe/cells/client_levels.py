"""The levels of a client, by what evidence has of it and by what the catalogue says it can meet. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from probe.catalogue.acks import acks_of
from probe.catalogue.baseline import Scored
from probe.catalogue.families import Family
from probe.catalogue.selectors import Chosen
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Fault
from probe.cells.control_cells import without_implied
from probe.cells.levels import RoleLevel
from probe.cells.lookup_cells import examined
from probe.cells.role_levels import levels_of
from probe.model import Cell, Client, Role
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import OWN_DEFAULTS


def findings_and_levels(
    asked: Chosen, stored: Mapping[Cell, SettledCell], line: str
) -> tuple[tuple[Fault, ...], list[RoleLevel]]:
    """Return the findings of the embedded engine about a client on a release line, and what is said of each role.

    `stored` are all cells that are known of the client, of any line and engine.
    """
    every = {cell: one for cell, one in stored.items() if cell.engine is DEFAULT_ENGINE}
    faults = without_implied(examined(every, every, asked, line))
    return faults, client_levels(asked.family, asked.client, faults, stored, line)


def client_levels(
    family: Family, client: Client, faults: Iterable[Fault], stored: Mapping[Cell, SettledCell], line: str
) -> list[RoleLevel]:
    """Return what is said of each role of a client in which something is known."""
    return levels_of(faults, stored, line, asked_of(family, client, line))


def asked_of(family: Family, client: Client, line: str) -> Callable[[Role, Scored], bool]:
    """Return what says whether a client can meet a scored scenario in a role with its defaults."""

    def is_asked(role: Role, one: Scored) -> bool:
        cell = Cell(client.family, client.version, role, OWN_DEFAULTS, one.scenario, DEFAULT_ENGINE, line)
        return not one.acks_all or acks_of(family, cell).is_all

    return is_asked


def levels_by_version(
    asked: Chosen, faults: Sequence[Fault], proven: Mapping[Cell, SettledCell], line: str
) -> Callable[[str], Sequence[RoleLevel]]:
    """Return what says of a version of a family which level each role has."""

    def levels(version: str) -> Sequence[RoleLevel]:
        own = {cell: one for cell, one in proven.items() if cell.version == version}
        mine = [item for item in faults if item.cell.version == version]
        return client_levels(asked.family, Client(asked.client.family, version), mine, own, line)

    return levels
