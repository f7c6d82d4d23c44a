"""The stored cells that `probe advise` compares: of two client or application versions, or of two release lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import product

from probe.catalogue.apps import App, Application
from probe.catalogue.scenarios import CORE, select_scenarios
from probe.cells.aggregate import SettledCell
from probe.cells.cell_order import in_order
from probe.cells.lines import agree, from_neighbours, lacking, sides_of
from probe.cells.trends import Step, question
from probe.cli.wiring.catalogue import families
from probe.cli.wiring.evidence import Evidence
from probe.evidence.cell_choice import Wanted
from probe.model import CONTROL, Cell, Engine, Outcome, Profile, Role, Workload
from probe.model.roles import CORE_ROLES
from probe.model.workloads import reason_against

_Side = dict[tuple[str, ...], SettledCell]
"""The cells of one side, by their identity without the side."""


@dataclass(frozen=True, slots=True)
class Asked:
    """Two releases of an application for which other versions are measured, since no registry serves them."""

    name: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class Change:
    """The two sides: versions of a family or an application, or release lines with some clients."""

    column: str
    """`version` or `broker`."""
    old: str
    new: str
    clients: tuple[str, ...]
    """FAMILY or FAMILY@VERSION; empty = all stored clients."""
    app: App | None = None
    """The application whose versions are compared; the trials drive its library with its settings."""
    asked: Asked | None = None
    """The releases that were asked about, if `old` and `new` are what is measured for them."""

    @property
    def sides(self) -> tuple[str, str]:
        """Return both sides as they were asked about."""
        return (self.asked.old, self.asked.new) if self.asked else (self.old, self.new)

    def covers(self, cell: Cell) -> bool:
        """Return whether a cell is of one of the clients."""
        return not self.clients or cell.family in self.clients or str(cell.client) in self.clients

    def library(self, side: str) -> str:
        """Return the library's version on a side. CatalogueError if it is unknown."""
        return self.app.inside(side).library if self.app else side

    def profile(self, side: str, role: Role, name: str) -> str:
        """Return the profile of a side's cells, as text."""
        if self.app is None:
            return name
        return str(Application(self.app, side).profile(Profile.parse(name), role))

    def plays(self, role: Role) -> bool:
        """Return whether the application has this role; a library has every role."""
        return self.app is None or Application(self.app, self.old).plays(role)


@dataclass(frozen=True, slots=True)
class Filter:
    """The selectors of the cells to compare."""

    roles: Sequence[Role]
    profiles: Sequence[str]
    scenarios: Sequence[str]
    engine: Engine
    line: str
    """The release line, for a comparison of versions."""
    workloads: Sequence[Workload] = ()
    """Empty = all that are stored."""

    def covers(self, cell: Cell) -> bool:
        """Return whether a cell is selected, regardless of scenario, profile and broker."""
        if self.workloads and cell.workload not in self.workloads:
            return False
        return cell.engine is self.engine and (not self.roles or cell.role in self.roles)

    def asks(self, scenario: str) -> bool:
        """Return whether a scenario is selected."""
        return not self.scenarios or any(fnmatchcase(scenario, glob) for glob in self.scenarios)


def stored_cells(evidence: Evidence, change: Change, wanted: Filter) -> dict[Cell, SettledCell]:
    """Return the answers about these clients, also of other versions and profiles, which may be advised.

    Control cells are those of all versions of their families, whatever the scenarios.
    """
    families_of = {client.partition("@")[0] for client in change.clients}
    asked = Wanted(
        family=families_of or None,
        role=[str(role) for role in wanted.roles] or None,
        engine=[str(wanted.engine)],
    )
    found = {
        cell: item
        for cell, item in evidence.find(asked).items()
        if wanted.covers(cell)
        and (cell.scenario == CONTROL or (change.covers(cell) and wanted.asks(cell.scenario)))
        and item.outcome is not Outcome.NOT_RUN
    }
    return found if change.column == "broker" else {**found, **_of_neighbours(found, wanted.line)}


def _of_neighbours(found: dict[Cell, SettledCell], line: str) -> dict[Cell, SettledCell]:
    """Answer for a line without evidence where the lines on both sides of it agree."""
    cells = dict.fromkeys(replace(cell, broker=line) for cell in found)
    near = from_neighbours(lacking(cells, found), found.values())
    return {cell: item for cell, item in near.items() if agree(sides_of(cell, item))}


def compared(stored: dict[Cell, SettledCell], change: Change, wanted: Filter) -> tuple[list[Step], list[SettledCell]]:
    """Pair the cells of both sides; return the pairs in reading order, and the cells without a partner.

    Of a pair that is not comparable, the side under older conditions does not count: the other has no partner.
    """
    before, after = _sides(stored, change, wanted)
    for key in _apart(before, after):
        del (before if before[key].since < after[key].since else after)[key]
    steps = [Step(before[key], after[key]) for key in before.keys() & after.keys()]
    place = {cell: number for number, cell in enumerate(in_order(step.before.cell for step in steps))}
    alone = [item for key, item in (before | after).items() if key not in before or key not in after]
    order = {cell: number for number, cell in enumerate(in_order(item.cell for item in alone))}
    return sorted(steps, key=lambda step: place[step.before.cell]), sorted(alone, key=lambda item: order[item.cell])


def control_cells(stored: dict[Cell, SettledCell], change: Change, wanted: Filter) -> list[Cell]:
    """Return the known control cells on the new release line; none for an upgrade of a client."""
    if change.column != "broker":
        return []
    mine = (cell for cell, item in stored.items() if cell.scenario == CONTROL and item.judged)
    return [
        cell for cell in mine if cell.broker == change.new and change.covers(cell) and cell.profile in wanted.profiles
    ]


def failed_before(control: SettledCell, stored: dict[Cell, SettledCell], change: Change) -> bool:
    """Return whether the client of a control cell is known not to work with the old brokers, either."""
    before = stored.get(replace(control.cell, broker=change.old))
    return before is not None and bool(before.grade.severity)


def other_conditions(stored: dict[Cell, SettledCell], change: Change, wanted: Filter) -> list[Cell]:
    """Return the cells of pairs that are not comparable whose conditions are not today's."""
    before, after = _sides(stored, change, wanted)
    items = [item for key in _apart(before, after) for item in (before[key], after[key]) if not item.is_current]
    return in_order(item.cell for item in items)


def _sides(stored: dict[Cell, SettledCell], change: Change, wanted: Filter) -> tuple[_Side, _Side]:
    return _side(stored, change, change.old, wanted), _side(stored, change, change.new, wanted)


def _apart(before: _Side, after: _Side) -> list[tuple[str, ...]]:
    """Return the questions whose cells of both sides are not comparable."""
    return [key for key in before.keys() & after.keys() if not before[key].is_comparable(after[key])]


def _side(stored: dict[Cell, SettledCell], change: Change, side: str, wanted: Filter) -> _Side:
    """Return the cells of one side, by their identity without the side."""
    found: _Side = {}
    for cell, item in stored.items():
        for name in wanted.profiles:
            if cell.profile == change.profile(side, cell.role, name) and _is_of(cell, change, side, wanted):
                found[*question(cell, change.column, "profile"), name] = item
    return found


def _is_of(cell: Cell, change: Change, side: str, wanted: Filter) -> bool:
    if not wanted.asks(cell.scenario):
        return False
    if change.column == "broker":
        return cell.broker == side and change.covers(cell)
    return cell.version == change.library(side) and cell.broker == wanted.line


def absent(stored: dict[Cell, SettledCell], change: Change, wanted: Filter) -> list[Cell]:
    """Return the missing partners of stored cells; without any stored cell, those of the core scenarios."""
    steps, alone = compared(stored, change, wanted)
    if steps or alone:
        return [_partner(item.cell, change, wanted) for item in alone]
    return list(_core(change, wanted))


def needed(stored: dict[Cell, SettledCell], change: Change, wanted: Filter) -> list[Cell]:
    """Return the missing cells of both sides: partners, and the cells of the named or core scenarios.

    Cells that are not comparable with their partners are missing, too.
    """
    older = other_conditions(stored, change, wanted)
    both = dict.fromkeys([*older, *absent(stored, change, wanted), *_core(change, wanted)])
    return [cell for cell in both if (there := stored.get(cell)) is None or not there.judged or cell in older]


def _partner(cell: Cell, change: Change, wanted: Filter) -> Cell:
    if change.column == "broker":
        return replace(cell, broker=change.new if cell.broker == change.old else change.old)
    sides = {
        (change.library(side), change.profile(side, cell.role, name)): (side, name)
        for side, name in _both(change, wanted)
    }
    side, name = sides[cell.version, cell.profile]
    other = change.new if side == change.old else change.old
    profile = change.profile(other, cell.role, name)
    return replace(cell, version=change.library(other), profile=profile, broker=wanted.line)


def _both(change: Change, wanted: Filter) -> Iterator[tuple[str, str]]:
    return product((change.old, change.new), wanted.profiles)


def _core(change: Change, wanted: Filter) -> Iterator[Cell]:
    """Yield the cells of the named or core scenarios on both sides."""
    scenarios = select_scenarios(wanted.scenarios or [name for name in CORE if name != CONTROL])
    for scenario, role, name in product(scenarios, wanted.roles or CORE_ROLES, wanted.profiles):
        if scenario.variant(role) is None or not change.plays(role):
            continue
        for family, version, line, side in _places(change, wanted):
            for workload in wanted.workloads or (Workload.CONTINUOUS,):
                if not reason_against(workload, role):
                    own = change.profile(side, role, name)
                    yield Cell(family, version, role, own, scenario.name, wanted.engine, line, workload)


def _places(change: Change, wanted: Filter) -> Iterator[tuple[str, str, str, str]]:
    """Yield family, version, broker line and side."""
    clients = [tuple(client.partition("@")[::2]) for client in change.clients or sorted(families())]
    if change.column == "version":
        for side in (change.old, change.new):
            yield clients[0][0], change.library(side), wanted.line, side
        return
    for (family, version), line in product(clients, (change.old, change.new)):
        yield family, version or families()[family].newest.version, line, line
