"""The content of the page "What does one failover cost?" (pure)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from probe.catalogue.costs import SCENARIOS
from probe.catalogue.families import Family
from probe.cells.cost_growth import METRICS, fit
from probe.model.cell import Engine
from probe.model.cost_point import CostPoint, by_group
from probe.model.engines import ENGINES
from probe.model.scale import Scale
from probe.model.versions import version_key
from probe.site.pages.cost_picture import COST, cost_picture

COMMAND = "probe sweep --client sarama@latest --scenario {} --over partitions=1,10,100 --over clients=1,10"


@dataclass(frozen=True, slots=True)
class KnownCosts:
    """Measured costs: those that ship, and those of a results folder."""

    points: tuple[CostPoint, ...] = ()
    unfinished: tuple[str, ...] = ()
    """Points of the results folder that have no whole cost, in words."""


NO_COSTS = KnownCosts()


@dataclass(frozen=True, slots=True, kw_only=True)
class CostRow:
    """A client version with its profile: the growth of its cost, and what was measured at the scale of the table."""

    name: str
    growth: str
    exponents: tuple[str, str]
    factor: str
    at: CostPoint | None
    """Measured at the scale of the table; None where it was not."""
    measured: str
    """Number of points, and the greatest scales."""

    @property
    def each(self) -> str:
        """Metadata requests of one client at the scale of the table."""
        return "" if self.at is None else f"{self.at.metadata / self.at.clients:,.1f}"


@dataclass(frozen=True, slots=True, kw_only=True)
class CostSection:
    """A scenario on one engine: its rows, the cheapest first, its picture, and what is not measured."""

    scenario: str
    brokers: str
    """The name of the engine's brokers."""
    title: str
    """The scenario, with real brokers if it is on these."""
    id: str
    scale: Scale
    rows: tuple[CostRow, ...]
    picture: Markup
    lacking: tuple[str, ...]
    """Libraries that were measured in another scenario, and not in this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CostPage:
    """Everything on the page."""

    sections: tuple[CostSection, ...]
    late: tuple[CostPoint, ...]
    """Points in which answers came late, or requests were refused."""
    unmeasured: tuple[str, ...]
    """Scenarios without any point on the embedded engine."""
    unmeasured_real: tuple[str, ...]
    """The same on real brokers."""
    versions: tuple[tuple[str, str, int], ...]
    """By library: the measured versions, and how many are listed."""
    others: tuple[str, ...]
    """Listed libraries without any point."""
    unfinished: tuple[str, ...]
    """Points of the results folder whose cost had not come to its end."""
    command: str


def cost_page(known: KnownCosts, listed: Sequence[Family]) -> CostPage:
    """Return the page of these points; `listed` are the families of the catalogue."""
    points, prompt = known.points, [one for one in known.points if one.scale.is_calm]
    families = {_family(one.client) for one in prompt}
    embedded, real = ([one for one in prompt if ENGINES[Engine(one.engine)].real is on] for on in (False, True))
    sections = tuple(
        _section(name, mine, families) for mine in (embedded, real) for name in SCENARIOS if _of(name, mine)
    )
    return CostPage(
        sections=sections,
        late=tuple(
            sorted(
                (one for one in points if not one.scale.is_calm), key=lambda one: (one.scenario, one.client, one.scale)
            )
        ),
        unmeasured=tuple(name for name in SCENARIOS if not _of(name, embedded)),
        unmeasured_real=tuple(name for name in SCENARIOS if not _of(name, real)),
        versions=tuple(_versions(name, prompt, listed) for name in sorted(families)),
        others=tuple(sorted(one.family for one in listed if one.family not in families)),
        unfinished=known.unfinished,
        command=COMMAND.format(sections[0].scenario if sections else SCENARIOS[0]),
    )


def _of(scenario: str, points: Sequence[CostPoint]) -> list[CostPoint]:
    return [one for one in points if one.scenario == scenario]


def _family(client: str) -> str:
    return client.partition("@")[0]


def _versions(family: str, points: Sequence[CostPoint], listed: Sequence[Family]) -> tuple[str, str, int]:
    found = {one.client.partition("@")[2] for one in points if _family(one.client) == family}
    of_all = next((len(one.versions) for one in listed if one.family == family), len(found))
    return family, ", ".join(sorted(found, key=version_key)), of_all


def _section(scenario: str, points: Sequence[CostPoint], families: set[str]) -> CostSection:
    mine = sorted(_of(scenario, points), key=lambda one: (one.group, one.scale))
    groups = by_group(mine)
    scale = _common(groups)
    rows = sorted((_row(group, scale) for group in groups), key=_order)
    info = ENGINES[Engine(mine[0].engine)]
    return CostSection(
        scenario=scenario,
        brokers=info.title,
        title=f"{scenario}, {info.title}" if info.real else scenario,
        id=scenario.replace("/", "-") + ("-real" if info.real else ""),
        scale=scale,
        rows=tuple(rows),
        picture=Markup(cost_picture([one for one in mine if _is_default(one)] or mine)),  # noqa: S704  # it escapes
        lacking=tuple(sorted(families - {_family(one.client) for one in mine})),
    )


def _is_default(point: CostPoint) -> bool:
    return "+" not in point.profile


def _common(groups: Sequence[Sequence[CostPoint]]) -> Scale:
    """Return the scale at which most clients were measured, of several the greatest."""
    counts = Counter(scale for group in groups for scale in {one.scale for one in group})
    return max(counts, key=lambda one: (counts[one], one.pairs))


def _row(group: Sequence[CostPoint], scale: Scale) -> CostRow:
    some, found = group[0], fit(group, METRICS[COST])
    beside = "" if some.profile == "isolated" else f", {some.profile}"
    line = "" if some.broker == "3.9" else f", brokers {some.broker}"
    corners = [scale] if found is None else list(found.corners)
    greatest = ", ".join(f"{one.partitions:,} x {one.clients:,}" for one in corners)
    return CostRow(
        name=f"{some.client}{beside}{line}",
        growth="too few points" if found is None else str(found.growth),
        exponents=("", "") if found is None else (_exponent(found.partitions), _exponent(found.clients)),
        factor="" if found is None else f"{found.factor:.2f}",
        at=next((one for one in reversed(group) if one.scale == scale), None),
        measured=f"{len(group)} points, up to {greatest}" if found is not None else f"{len(group)} points",
    )


def _exponent(value: float | None) -> str:
    return "" if value is None else f"{round(value, 2) + 0.0:.2f}"


def _order(row: CostRow) -> tuple[bool, int, str]:
    return (row.at is None, 0 if row.at is None else row.at.metadata, row.name)
