"""Known costs: public reports on what one failover costs, as trials of a scale (`[[cost]]` in known_results.toml).

An entry names a client, a scenario and a scale, what it claims about the cost, its source, and a contrast: the same
scale with another version or setting, whose claim must exclude the entry's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from typing import Self

from pydantic import Field, field_validator, model_validator

from probe.catalogue.costs import SCENARIOS
from probe.catalogue.known_entries import ExactClient, Strict, read_entries
from probe.catalogue.selectors import select_profiles
from probe.model import Engine
from probe.model.cost import PointCost
from probe.model.engines import DEFAULT_ENGINE
from probe.model.profile import DEFAULT_PROFILE
from probe.model.scale import LOWEST, MOST, Scale

CLAIMED: Mapping[str, Callable[[PointCost], float]] = {
    "metadata_per_pair": lambda point: point.metadata / (point.scale.clients * point.scale.partitions),
    "metadata_per_client": lambda point: point.metadata / point.scale.clients,
    "after_per_s": lambda point: point.after_per_s,
}
"""Costs that an entry can claim: Metadata requests per moving partition of a client, or per client, and all requests a
second once everything works."""


class Bounds(Strict):
    """Bounds of a cost; at least one is given."""

    min: float = -inf
    max: float = inf

    @model_validator(mode="after")
    def _some(self) -> Self:
        if (self.min, self.max) == (-inf, inf) or self.min > self.max:
            raise ValueError("give min or max, and no min above max")
        return self

    def __str__(self) -> str:
        """Return them in words."""
        ends = ((f"at least {self.min:g}", self.min > -inf), (f"at most {self.max:g}", self.max < inf))
        return " and ".join(text for text, given in ends if given)


class _Claim(Strict):
    costs: Mapping[str, Bounds]

    @field_validator("costs")
    @classmethod
    def _named(cls, costs: Mapping[str, Bounds]) -> Mapping[str, Bounds]:
        unknown = sorted(costs.keys() - CLAIMED.keys())
        if unknown or not costs:
            raise ValueError(f"{', '.join(unknown) or 'nothing'} is no cost; known are {', '.join(CLAIMED)}")
        return costs


class Contrast(_Claim):
    """A change of the entry, and its claim."""

    client: ExactClient | None = None
    properties: tuple[str, ...] | None = None
    why: str = ""


class KnownCost(_Claim):
    """One entry."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    says: str
    source: str
    link: str = ""
    client: ExactClient
    scenario: str
    engine: Engine = DEFAULT_ENGINE
    broker: str = "3.9"
    properties: tuple[str, ...] = ()
    partitions: int = Field(ge=LOWEST["partitions"], le=MOST["partitions"])
    clients: int = Field(ge=LOWEST["clients"], le=MOST["clients"])
    late: int = Field(default=0, ge=LOWEST["late"], le=MOST["late"])
    contrast: Contrast

    @model_validator(mode="after")
    def _playable(self) -> Self:
        if self.scenario not in SCENARIOS:
            raise ValueError(f"costs are measured in {', '.join(SCENARIOS)}")
        other = self.contrast.costs
        if not any(_apart(bounds, other[name]) for name, bounds in self.costs.items() if name in other):
            raise ValueError(f"the contrast of {self.id} allows the same; it must be the opposite")
        return self


def _apart(one: Bounds, other: Bounds) -> bool:
    return one.max < other.min or other.max < one.min


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpectedCost:
    """A trial of a scale with the claim about its cost."""

    name: str
    """The entry's id; a contrast adds `/contrast`."""
    client: str
    scenario: str
    engine: Engine
    broker: str
    properties: tuple[str, ...]
    scale: Scale
    costs: Mapping[str, Bounds]
    source: str

    @property
    def profile(self) -> str:
        """Return the profile in its written form."""
        (profile,) = select_profiles([DEFAULT_PROFILE], self.properties, None)
        return str(profile)

    def is_shown_by(self, point: PointCost) -> bool:
        """Return whether a point is a trial of it in which nothing failed."""
        mine = (self.client, self.profile, self.scenario, str(self.engine), self.broker, self.scale)
        its = (point.client, point.profile, point.scenario, point.engine, point.broker, point.scale)
        return mine == its and not (point.problems or point.differences)

    def wrong(self, point: PointCost) -> str:
        """Return what a point contradicts, in words; empty where it has the claimed costs."""
        found = ((name, CLAIMED[name](point), bounds) for name, bounds in self.costs.items())
        return "; ".join(
            f"expected {name} {bounds}, got {got:.2f}"
            for name, got, bounds in found
            if not bounds.min <= got <= bounds.max
        )

    def shown(self, point: PointCost) -> str:
        """Return the claimed costs of a point in words."""
        return ", ".join(f"{name} {CLAIMED[name](point):.2f}" for name in self.costs)


def read_known_costs(path: Path) -> tuple[KnownCost, ...]:
    """Read the `[[cost]]` entries of a file of known results. CatalogueError with file, entry and problem."""
    return read_entries(path, "cost", KnownCost)


def expected_costs(known: KnownCost, *, contrast: bool) -> list[ExpectedCost]:
    """Return the expectation of an entry, and with `contrast` that of its contrast."""
    found = ExpectedCost(
        name=known.id,
        client=known.client,
        scenario=known.scenario,
        engine=known.engine,
        broker=known.broker,
        properties=known.properties,
        scale=Scale(partitions=known.partitions, clients=known.clients, late=known.late),
        costs=known.costs,
        source=known.source,
    )
    if not contrast:
        return [found]
    other = known.contrast
    changed = replace(
        found,
        name=f"{known.id}/contrast",
        client=other.client or known.client,
        properties=known.properties if other.properties is None else other.properties,
        costs=other.costs,
    )
    return [found, changed]
