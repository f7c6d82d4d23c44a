"""What `probe advise` compares: the stored cells of two versions, or of two broker lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import product

from probe.advise.diff import in_order
from probe.advise.settled import Settled, settle
from probe.advise.trends import Step, compare
from probe.catalogue.scenarios import CORE
from probe.cli.compose import families
from probe.model import Cell, Engine, Outcome, Role
from probe.store import trials

CORE_ROLES = (Role.PRODUCER, Role.CONSUMER)


@dataclass(frozen=True, slots=True)
class Change:
    """What is compared: two versions of a family, or two broker lines under some clients."""

    column: str
    """`version` or `broker`."""
    old: str
    new: str
    clients: tuple[str, ...]
    """FAMILY or FAMILY@VERSION; empty = all stored."""

    def covers(self, cell: Cell) -> bool:
        """Say whether a cell is of one of the clients."""
        return not self.clients or cell.family in self.clients or str(cell.client) in self.clients


@dataclass(frozen=True, slots=True)
class Filter:
    """Which cells are looked at."""

    roles: Sequence[Role]
    profiles: Sequence[str]
    scenarios: Sequence[str]
    engine: Engine
    line: str
    """The broker line, where versions are compared."""

    def covers(self, cell: Cell) -> bool:
        """Say whether a cell is wanted, whatever its profile and broker."""
        fits = not self.scenarios or any(fnmatchcase(cell.scenario, glob) for glob in self.scenarios)
        return fits and cell.engine is self.engine and (not self.roles or cell.role in self.roles)


def stored_cells(results: str, change: Change, wanted: Filter) -> dict[Cell, Settled]:
    """Settle all that is stored of these clients, other versions and profiles too: remedies may be there."""
    rows = (row for row in trials(results) if change.covers(row.cell) and wanted.covers(row.cell))
    return {cell: item for cell, item in settle(rows).items() if item.outcome is not Outcome.NOT_RUN}


def compared(stored: dict[Cell, Settled], change: Change, wanted: Filter) -> tuple[list[Step], list[Settled]]:
    """Pair the cells; return the pairs in reading order, and what has no partner."""
    mine = [item for item in stored.values() if item.cell.profile in wanted.profiles]
    if change.column == "version":
        mine = [item for item in mine if item.cell.broker == wanted.line]
    sides = [[item for item in mine if getattr(item.cell, change.column) == name] for name in (change.old, change.new)]
    steps, alone = compare(sides[0], sides[1], change.column)
    place = {cell: number for number, cell in enumerate(in_order(step.before.cell for step in steps))}
    return sorted(steps, key=lambda step: place[step.before.cell]), alone


def absent(stored: dict[Cell, Settled], change: Change, wanted: Filter) -> list[Cell]:
    """Return the cells that lack their partner; where nothing at all is stored, the core scenarios' cells."""
    steps, alone = compared(stored, change, wanted)
    if steps or alone:
        return [_partner(item.cell, change) for item in alone]
    return list(_core(change, wanted))


def _partner(cell: Cell, change: Change) -> Cell:
    other = change.new if getattr(cell, change.column) == change.old else change.old
    return replace(cell, version=other) if change.column == "version" else replace(cell, broker=other)


def _core(change: Change, wanted: Filter) -> Iterator[Cell]:
    named = [name for name in wanted.scenarios if "*" not in name]
    names = named or [name for name in CORE if name != "steady"]
    clients = [tuple(client.partition("@")[::2]) for client in change.clients or sorted(families())]
    if change.column == "version":
        pairs = [(clients[0][0], version, wanted.line) for version in (change.old, change.new)]
    else:
        pairs = [
            (family, version or families()[family].newest.version, line)
            for (family, version), line in product(clients, (change.old, change.new))
        ]
    for (family, version, line), name, role, profile in product(
        pairs, names, wanted.roles or CORE_ROLES, wanted.profiles
    ):
        yield Cell(family, version, role, profile, name, wanted.engine, line)
