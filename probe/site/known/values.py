"""Values that the site of evidence shows of a client: levels, findings, and its cells (pure)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from probe.cells.audit import Report
from probe.cells.levels import RoleLevel
from probe.cells.readiness import May
from probe.cells.supports import Support
from probe.model import Cell, Client, Role
from probe.model.harm import Harm


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A finding in words."""

    harm: Harm
    word: str
    """The harm: `stops silently`."""
    text: str
    """The place, the cause, and the version that mends it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Findings under one heading, the worst first."""

    heading: str
    entries: tuple[Entry, ...]

    @property
    def grave(self) -> tuple[Entry, ...]:
        """Entries of work that stops or is lost."""
        return tuple(one for one in self.entries if one.harm >= Harm.STOPS)

    @property
    def lesser(self) -> tuple[Entry, ...]:
        """Entries of work that goes on, with stalls, burdens or errors."""
        return tuple(one for one in self.entries if one.harm < Harm.STOPS)


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownCell:
    """A settled cell."""

    cell: Cell
    harm: Harm | None
    """None = unknown."""
    word: str
    """The harm in words, with its share of the trials; empty = unknown."""
    result: str
    """The outcome and its trials."""
    reason: str
    facts: tuple[tuple[str, str], ...]
    """Labels and values, of the worst trial."""
    rests_on: str
    """The date of measurement, the rules and the conditions."""
    command: str
    """The command that measures it anew."""
    data: Mapping[str, Any]
    """The same for JSON (docs/schema/api-client.json)."""

    @property
    def is_told(self) -> bool:
        """Whether the site shows its facts: of work that goes on at once the document has them (api/v1)."""
        return self.harm is None or self.harm >= Harm.STALLS

    @property
    def order(self) -> tuple[int, str, str, str, str]:
        """A sort key: the worst first, what is unknown before what does no harm."""
        cell = self.cell
        rank = 0.5 if self.harm is None else self.harm
        return int(-2 * rank), cell.scenario, cell.profile, cell.engine, cell.broker


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """The answer for an operation of an operator: `probe audit --for` of this client alone."""

    purpose: str
    """The name of the purpose (`probe/catalogue/purposes.py`)."""
    report: Report
    """The findings, by which clients are put in order."""
    may: May
    happens: str
    """The harm, and how long work stands still."""
    texts: tuple[str, ...]
    """Causes of what stops or loses work, alarms, and the cells that the answer rests on."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Likely:
    """Harm in a scenario that a release was not measured in, by the releases around it."""

    scenario: str
    roles: str
    harm: Harm
    word: str
    """`likely stops`, `suspected stalls`."""
    by: str
    """The releases that show it, with what each shows: `between 1.42.0 (stops) and 1.43.2 (stops)`."""
    scored: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LikelyCells:
    """All that is likely of a release, of cells that were not measured."""

    rows: tuple[Likely, ...]
    """Scenarios in which work stops, stands still or is lost, the scored ones first."""
    left_out: int
    """Rows beyond the most that a page has."""
    lesser: tuple[tuple[Role, int], ...]
    """Cells per role in which work goes on at once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownClient:
    """A client version of which cells are known."""

    client: Client
    broker: str
    """The release line of levels and findings."""
    released: str = ""
    library: Client | None = None
    """The library inside an application or a wrapper."""
    inside: Sequence[str] = ()
    """Applications with this client inside."""
    levels: tuple[RoleLevel, ...] = ()
    short: str = ""
    """Whether the version may stay, and what instead."""
    note: str = ""
    """The profiles of which levels and findings are."""
    sections: tuple[Section, ...] = ()
    ways_out: tuple[str, ...] = ()
    """Things to do about what stops or loses work."""
    cells: tuple[KnownCell, ...] = ()
    likely: LikelyCells | None = None
    """Of scenarios that it was not measured in; None = the releases around it tell nothing."""
    supports: tuple[Support, ...] = ()
    """The KIPs that decide an incident, by number."""
    operations: tuple[Operation, ...] = ()
    """The answer for each purpose."""
    data: Mapping[str, Any] = field(default_factory=dict)
    """The answer about the client for JSON (docs/schema/api-client.json), without its cells."""

    @property
    def by_role(self) -> Mapping[Role, Sequence[KnownCell]]:
        """The cells of each role, the worst first."""
        return grouped(self.cells)


def grouped(cells: Sequence[KnownCell]) -> dict[Role, list[KnownCell]]:
    """Return cells by role, in the order of the roles, the worst first."""
    found: dict[Role, list[KnownCell]] = {role: [] for role in Role}
    for one in sorted(cells, key=lambda one: one.order):
        found[one.cell.role].append(one)
    return {role: mine for role, mine in found.items() if mine}


@dataclass(frozen=True, slots=True, kw_only=True)
class Alias:
    """A name under which people find a family: of a package, or of an application around one."""

    name: str
    family: str
    """The family whose versions it has: the one that drives an application, else that of the library inside."""
    library: str = ""
    """The family of the library inside an application; empty = it is no application."""
    spans: tuple[tuple[str, str, str, str], ...] = ()
    """First and last version, the version of the library inside where these are not the same, and the version of
    `family` that was measured for them, since no registry serves them; empty = none stands for them."""
