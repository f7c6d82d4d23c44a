"""Estimates of a failover's cost for an operator's numbers, from measured points. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from probe.cells.cost_growth import METRICS, Fit, fit
from probe.model.cost_point import CostPoint, by_group
from probe.model.scale import Scale
from probe.model.versions import line_of, version_key

AMONG_MORE = 0.8
"""Least share of a client's cost among more clients: of 100 with a record in 2.5 to 20 s more meet the fault when it is
nearly over than of 10 with one in 1.5 s. Of 15 measured points one had 0.85 of the cost, all others more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One kind of client of an operator."""

    family: str
    version: str
    """Empty = the newest that was measured."""
    clients: int

    @property
    def name(self) -> str:
        """The client as it was asked for."""
        return f"{self.family}@{self.version}" if self.version else self.family


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """The expected cost of one kind of client."""

    asked: Asked
    measured: str
    """The client whose measurements it rests on; empty = none."""
    low: float = 0.0
    high: float | None = None
    """None: the numbers lie outside what was measured, and the cost is at least `low`."""
    expected: float | None = None
    """None outside what was measured."""
    growth: str = ""
    within: str = ""
    """The greatest numbers that were measured together, partitions x clients."""


def estimates(
    asked: Sequence[Asked], partitions: int, points: Iterable[CostPoint], scenario: str, metric: str = "Metadata"
) -> list[Estimate]:
    """Return an estimate for each kind of client, in the order in which they were asked for.

    The points are those of one engine.
    """
    usable = [one for one in points if one.scenario == scenario and one.scale.is_calm]
    return [_estimate(one, Scale(partitions=partitions, clients=one.clients), usable, metric) for one in asked]


def _estimate(asked: Asked, scale: Scale, points: Sequence[CostPoint], metric: str) -> Estimate:
    clients = {one.client for one in points if one.client.partition("@")[0] == asked.family}
    fits = {
        client: fit(newest_group([one for one in points if one.client == client]), METRICS[metric])
        for client in clients
    }
    client = nearest(asked, (name for name, fitted in fits.items() if fitted is not None))
    found = fits.get(client)
    if found is None:
        return Estimate(asked=asked, measured="")
    near = [_at_least(_at_most(scale, corner), found.lowest) for corner in found.corners]
    is_inside = scale in near
    low, high = found.interval(scale) if is_inside else (max(_least(found, scale, one) for one in near), None)
    return Estimate(
        asked=asked,
        measured=client,
        low=low,
        high=high,
        expected=found.expected(scale) if is_inside else None,
        growth=str(found.growth),
        within=", ".join(f"{one.partitions} x {one.clients}" for one in found.corners),
    )


def _least(found: Fit, scale: Scale, inside: Scale) -> float:
    """Return the least cost at a scale outside what was measured, by the nearest one inside.

    A client among more clients asks for itself, but for `AMONG_MORE`. With fewer partitions than were measured the
    cost falls in proportion at most, and with more it does not fall.
    """
    partitions = min(1.0, scale.partitions / inside.partitions)
    clients = scale.clients / inside.clients
    return found.interval(inside)[0] * partitions * clients * (AMONG_MORE if clients > 1 else 1)


def _at_most(scale: Scale, other: Scale) -> Scale:
    return Scale(partitions=min(scale.partitions, other.partitions), clients=min(scale.clients, other.clients))


def _at_least(scale: Scale, other: Scale) -> Scale:
    return Scale(partitions=max(scale.partitions, other.partitions), clients=max(scale.clients, other.clients))


def nearest(asked: Asked, clients: Iterable[str]) -> str:
    """Return the measured client that stands for a version: itself, else the next older one of its line; empty = none.

    What was fixed in a version is in all later ones, and what broke in one is in none before. Another line may have
    another client inside.
    """
    versions = sorted(
        (version for family, _, version in (one.partition("@") for one in clients) if family == asked.family),
        key=version_key,
    )
    if asked.version:
        own, line = version_key(asked.version), line_of(asked.version)
        versions = [one for one in versions if version_key(one) <= own and line_of(one) == line]
    return f"{asked.family}@{versions[-1]}" if versions else ""


def newest_group(points: Sequence[CostPoint]) -> list[CostPoint]:
    """Return the points of the profile and brokers with the most of them; of several, the last."""
    return max(reversed(by_group(points)), key=len, default=[])
