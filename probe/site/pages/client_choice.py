"""The page "Which client for a new service?": the newest versions of a language's libraries side by side (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.catalogue.baseline import baseline
from probe.catalogue.families import Family, is_local
from probe.cells.levels import RoleLevel
from probe.model import Client, Profile, Role, Workload
from probe.model.engines import BY_ORDER
from probe.model.outcomes import OUTCOMES
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.model.roles import ROLES
from probe.model.versions import version_key
from probe.site.data.cell_index import CellIndex
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.row_levels import row_levels
from probe.site.data.wording import duration

SHOWN = (
    "disk/storage-error",
    "leader/elected",
    "leader/election-slow",
    "broker/kill",
    "broker/hang",
    "net/blackhole",
    "net/reset",
    "coordinator/moved",
    "cluster/outage",
    "topic/recreated",
    "bootstrap/addresses-changed",
)
"""Scenarios of the page: what ends services, from one disk to all addresses."""
BROKER = "3.9"
PROFILE = DEFAULT_PROFILE


@dataclass(frozen=True, slots=True)
class Sum:
    """Results of a client over all its judged cells of a role."""

    client: Client
    level: RoleLevel | None
    """Its level in this role, or what is said in place of one; None = nothing is known."""
    stood_ms: float | None
    """The longest standstill with the library's defaults in the scored scenarios; None = not measured."""
    judged: int
    good: int
    stops: int
    """Cells in which work stops or records are lost."""
    slowest_ms: float | None
    """The longest recovery in the scenarios of the page; None if there was none."""
    errors: int
    """Scenarios of the page in which the application saw errors."""
    busiest: MatrixRow | None
    """The row of the page with most futile requests a second, if there were any."""

    @property
    def slowest(self) -> str:
        """The longest recovery as text."""
        return duration(self.slowest_ms)

    @property
    def stood(self) -> str:
        """The longest standstill with the library's defaults as text."""
        return duration(self.stood_ms)

    @property
    def place(self) -> tuple[float, float, float, str]:
        """Its place among others: by level, by scored scenarios in which it reacts, by standstill with defaults."""
        one = self.level
        low = -1 if one is None or one.low is None else one.low
        reacts = one.reacts / one.known if one is not None and one.known else 0.0
        return -low, -reacts, float("inf") if self.stood_ms is None else self.stood_ms, self.client.family


@dataclass(frozen=True, slots=True)
class InRole:
    """All libraries of a language in a role, the best first."""

    role: Role
    sums: tuple[Sum, ...]
    lines: tuple[tuple[str, tuple[MatrixRow | None, ...]], ...]
    """Scenarios, each with the rows in the order of `sums`; None = not measured."""


@dataclass(frozen=True, slots=True)
class OfLanguage:
    """The libraries of a language."""

    name: str
    titles: tuple[tuple[Client, str], ...]
    """The newest measured version of each library, with the library's title."""
    roles: tuple[InRole, ...]

    @property
    def anchor(self) -> str:
        """The section's name in addresses."""
        return self.name.lower().replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Choice:
    """The whole page."""

    languages: tuple[OfLanguage, ...]
    profile: str = PROFILE
    broker: str = BROKER


def choice(answers: CellIndex, listed: Sequence[Family]) -> Choice:
    """Return the content of the page: every language that has a measured library."""
    names = sorted({one.language for one in listed if one.language})
    found = (_language(name, answers, [one for one in listed if one.language == name]) for name in names)
    return Choice(tuple(one for one in found if one.titles))


def _language(name: str, answers: CellIndex, families: Sequence[Family]) -> OfLanguage:
    titles = []
    for family in families:
        measured = (one for one in answers.clients if one.family == family.family and not is_local(one.version))
        usual = [one for one in measured if any(map(_is_usual, answers.of_client(one)))]
        if usual:
            titles.append((max(usual, key=lambda one: version_key(one.version)), family.title))
    known = {family.family: family for family in families}
    levels = {
        client: {one.role: one for one in row_levels(known[client.family], client, answers.of_client(client), BROKER)}
        for client, _ in titles
    }
    roles = (_role(role, answers, levels) for role in Role if not ROLES[role].asks)
    return OfLanguage(name, tuple(titles), tuple(one for one in roles if one.sums))


def _is_usual(row: MatrixRow) -> bool:
    cell = row.cell
    return (cell.profile, cell.broker, cell.workload) == (PROFILE, BROKER, Workload.CONTINUOUS) and row.is_current


def _role(role: Role, answers: CellIndex, levels: Mapping[Client, Mapping[Role, RoleLevel]]) -> InRole:
    per_client = {client: _by_scenario(role, answers.of_client(client)) for client in levels}
    sums = [
        replace(_sum(client, rows), level=levels[client].get(role), stood_ms=_stood_ms(role, answers.of_client(client)))
        for client, rows in per_client.items()
        if rows
    ]
    ordered = sorted(sums, key=lambda one: one.place)
    lines = ((name, tuple(per_client[one.client].get(name) for one in ordered)) for name in SHOWN)
    return InRole(role, tuple(ordered), tuple(line for line in lines if any(line[1])))


def _by_scenario(role: Role, rows: Iterable[MatrixRow]) -> dict[str, MatrixRow]:
    """Return the row of each scenario, that of the first engine that judged it."""
    own = [row for row in rows if row.cell.role is role and _is_usual(row)]
    found: dict[str, MatrixRow] = {}
    for engine in reversed(BY_ORDER):
        new = {row.cell.scenario: row for row in own if row.cell.engine is engine}
        found |= {name: row for name, row in new.items() if row.conforms is not None or name not in found}
    return found


def _stood_ms(role: Role, rows: Iterable[MatrixRow]) -> float | None:
    """Return the longest standstill of a role with the library's defaults, in the scored scenarios."""
    own = [
        row
        for row in rows
        if row.cell.role is role
        and Profile.parse(row.cell.profile).name == OWN_DEFAULTS
        and row.is_current
        and baseline().find(row.cell.scenario, role) is not None
    ]
    times = [*_numbers(own, "still_ms_max"), *_numbers(own, "recovery_ms_p95")]
    return max(times, default=None)


def _sum(client: Client, rows: dict[str, MatrixRow]) -> Sum:
    judged = [row for row in rows.values() if row.conforms is not None]
    bad = [row for row in judged if row.conforms is False]
    shown = [rows[name] for name in SHOWN if name in rows]
    busy = [row for row in shown if row.number("futile_requests_per_s")]
    return Sum(
        client,
        level=None,
        stood_ms=None,
        judged=len(judged),
        good=len(judged) - len(bad),
        stops=sum(OUTCOMES[row.worst].hard for row in bad),
        slowest_ms=max(_numbers(shown, "recovery_ms_p95"), default=None),
        errors=sum(number > 0 for number in _numbers(shown, "errors_surfaced")),
        busiest=max(busy, key=lambda row: row.number("futile_requests_per_s") or 0.0, default=None),
    )


def _numbers(rows: Iterable[MatrixRow], column: str) -> Iterator[float]:
    return (number for row in rows if (number := row.number(column)) is not None)
