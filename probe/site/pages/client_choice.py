"""The page "Which client for a new service?": the newest versions of a language's libraries side by side (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from probe.catalogue.baseline import baseline
from probe.catalogue.families import Family, is_local
from probe.model import Cell, Client, Profile, Role, Workload
from probe.model.engines import BY_ORDER
from probe.model.outcomes import OUTCOMES
from probe.model.profile import DEFAULT_PROFILE, OWN_DEFAULTS
from probe.model.roles import ROLES
from probe.model.versions import version_key
from probe.site.data.cell_index import CellIndex
from probe.site.data.results import Result, of_row, of_shipped
from probe.site.data.row_levels import RowLevel, row_levels
from probe.site.data.shipped_evidence import NOTHING, Shipped
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
    """Results of a client over its judged cells of a role."""

    client: Client
    is_linked: bool
    """Whether these results have cells of it, and so a page."""
    level: RowLevel | None
    """Its level in this role, or what is said in place of one; None = nothing is known."""
    stood_ms: float | None
    """The longest standstill with the library's defaults in the scored scenarios; None = not measured."""
    judged: int
    """Judged scenarios: those of the page, and the scored ones."""
    good: int
    stops: int
    """Of these, the scenarios in which work stops or records are lost."""
    slowest_ms: float | None
    """The longest recovery in the scenarios of the page; None if there was none."""
    errors: int
    """Scenarios of the page in which the application saw errors."""
    busiest: Result | None
    """The cell of the page with most futile requests a second, if there were any."""

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
        one = None if self.level is None else self.level.level
        low = -1 if one is None or one.low is None else one.low
        reacts = one.reacts / one.known if one is not None and one.known else 0.0
        return -low, -reacts, float("inf") if self.stood_ms is None else self.stood_ms, self.client.family


@dataclass(frozen=True, slots=True)
class InRole:
    """All libraries of a language in a role, the best first."""

    role: Role
    sums: tuple[Sum, ...]
    lines: tuple[tuple[str, tuple[Result | None, ...]], ...]
    """Scenarios, each with the results in the order of `sums`; None = not measured."""


@dataclass(frozen=True, slots=True)
class OfLanguage:
    """The libraries of a language."""

    name: str
    titles: tuple[tuple[Client, str, bool], ...]
    """The newest measured version of each library, the library's title, and whether the version has a page."""
    roles: tuple[InRole, ...]

    @property
    def anchor(self) -> str:
        """The section's name in addresses."""
        return self.name.lower().replace(" ", "-")


@dataclass(frozen=True, slots=True)
class Choice:
    """The whole page."""

    languages: tuple[OfLanguage, ...]
    scenarios: frozenset[str]
    """The scenarios that have a page."""
    profile: str = PROFILE
    broker: str = BROKER


@dataclass(frozen=True, slots=True)
class _Known:
    """Results of a client: rows, else settled cells of evidence that ships."""

    client: Client
    is_linked: bool
    results: tuple[Result, ...]
    levels: Mapping[Role, RowLevel]


def choice(answers: CellIndex, listed: Sequence[Family], shipped: Shipped = NOTHING) -> Choice:
    """Return the content of the page: every language that has a measured library.

    The newest version of a library may be one of which only `shipped` has cells.
    """
    names = sorted({one.language for one in listed if one.language})
    found = (_language(name, answers, [one for one in listed if one.language == name], shipped) for name in names)
    return Choice(tuple(one for one in found if one.titles), frozenset(answers.scenarios))


def _language(name: str, answers: CellIndex, families: Sequence[Family], shipped: Shipped) -> OfLanguage:
    newest = [(one, family) for family in families if (one := _newest(family, answers, shipped)) is not None]
    titles = tuple((one.client, family.title, one.is_linked) for one, family in newest)
    roles = (_role(role, [one for one, _ in newest]) for role in Role if not ROLES[role].asks)
    return OfLanguage(name, titles, tuple(one for one in roles if one.sums))


def _newest(family: Family, answers: CellIndex, shipped: Shipped) -> _Known | None:
    """Return what is known of the newest version with a usual cell; None if there is none."""
    clients = {one for one in (*answers.clients, *shipped.clients) if one.family == family.family}
    versions = sorted((one for one in clients if not is_local(one.version)), key=lambda one: version_key(one.version))
    for client in reversed(versions):
        results = tuple(_results(client, answers, shipped))
        if any(_is_usual(one.cell) for one in results):
            rows = answers.of_client(client)
            levels = {one.level.role: one for one in row_levels(family, client, rows, BROKER, shipped)}
            return _Known(client, bool(rows), results, levels)
    return None


def _results(client: Client, answers: CellIndex, shipped: Shipped) -> Iterator[Result]:
    """Yield what is known of each cell: the row that is comparable with today's, else the cell that ships."""
    rows = {row.cell: row for row in answers.of_client(client) if row.is_current}
    yield from map(of_row, rows.values())
    yield from (of_shipped(one) for cell, one in shipped.of_client(client).items() if cell not in rows)


def _is_usual(cell: Cell) -> bool:
    return (cell.profile, cell.broker, cell.workload) == (PROFILE, BROKER, Workload.CONTINUOUS)


def _role(role: Role, known: Sequence[_Known]) -> InRole:
    of_clients = [(one, _by_scenario(role, one.results)) for one in known]
    there = [(_sum(role, one, results), results) for one, results in of_clients if results]
    ordered = sorted(there, key=lambda item: item[0].place)
    lines = ((name, tuple(results.get(name) for _, results in ordered)) for name in SHOWN)
    return InRole(role, tuple(one for one, _ in ordered), tuple(line for line in lines if any(line[1])))


def _by_scenario(role: Role, results: Iterable[Result]) -> dict[str, Result]:
    """Return the result of each scenario, that of the first engine that judged it."""
    own = [one for one in results if one.cell.role is role and _is_usual(one.cell)]
    found: dict[str, Result] = {}
    for engine in reversed(BY_ORDER):
        new = {one.cell.scenario: one for one in own if one.cell.engine is engine}
        found |= {name: one for name, one in new.items() if one.conforms is not None or name not in found}
    return found


def _stood_ms(role: Role, results: Iterable[Result]) -> float | None:
    """Return the longest standstill of a role with the library's defaults, in the scored scenarios."""
    own = (
        one.stood_ms
        for one in results
        if one.cell.role is role and Profile.parse(one.cell.profile).name == OWN_DEFAULTS and _is_scored(one.cell)
    )
    return max((time for time in own if time is not None), default=None)


def _is_scored(cell: Cell) -> bool:
    return baseline().find(cell.scenario, cell.role) is not None


def _sum(role: Role, known: _Known, by_scenario: Mapping[str, Result]) -> Sum:
    counted = [one for name, one in by_scenario.items() if name in SHOWN or _is_scored(one.cell)]
    judged = [one for one in counted if one.conforms is not None]
    bad = [one for one in judged if one.conforms is False]
    shown = [by_scenario[name] for name in SHOWN if name in by_scenario]
    busy = [one for one in shown if one.futile_per_s]
    return Sum(
        known.client,
        known.is_linked,
        level=known.levels.get(role),
        stood_ms=_stood_ms(role, known.results),
        judged=len(judged),
        good=len(judged) - len(bad),
        stops=sum(OUTCOMES[one.worst].hard for one in bad),
        slowest_ms=max((one.slowest_ms for one in shown if one.slowest_ms is not None), default=None),
        errors=sum(one.errors > 0 for one in shown),
        busiest=max(busy, key=lambda one: one.futile_per_s or 0.0, default=None),
    )
