"""Known results: public reports on clients, as cells with the outcome that they claim (known_results.toml).

An entry names one cell, what it claims about its trials, its source, and a contrast. The contrast is the same question
with one thing changed, and its claim must exclude the entry's, by the outcome or by a fact. A harness that returns the
same result for every cell fails one of the two.

A claim is about every trial (`outcome`, `good_never`), or about some (`bad_in_some`) where a race decides.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from pathlib import Path
from typing import Any, Self

from pydantic import Field, field_validator, model_validator

from probe.catalogue.families import CatalogueError
from probe.catalogue.known_entries import ExactClient, Strict, read_entries
from probe.catalogue.selectors import broker_line, select_profiles
from probe.model import Cell, Election, Engine, Outcome, Role, Workload
from probe.model.columns import FACTS
from probe.model.conditions import FIRST
from probe.model.engines import DEFAULT_ENGINE, ENGINES
from probe.model.profile import DEFAULT_PROFILE
from probe.scenarios.own_profiles import with_own

_CONFIGURATION = ("profile", "properties", "election")
_PLACE = ("client", "role", "scenario", "engine", "broker", "workload", "trials")
MAX_TRIALS = 200
Facts = Mapping[str, Any]


class Claim(Strict):
    """A claim about the trials of a cell. At least one of the three kinds of outcomes is given."""

    outcome: tuple[Outcome, ...] = ()
    """Every trial has one of these outcomes."""
    bad_in_some: tuple[Outcome, ...] = ()
    """At least one trial has one of these outcomes."""
    good_never: tuple[Outcome, ...] = ()
    """No trial has one of these outcomes."""
    facts: Facts = Field(default_factory=dict)
    """Facts by name: a value, a list, `{ min = 1, max = 2 }`, or for api_versions `{ Produce = 7 }`. With `bad_in_some`
    each trial with a bad outcome has them, otherwise each trial."""

    @field_validator("facts")
    @classmethod
    def _named_facts(cls, facts: Facts) -> Facts:
        unknown = sorted(facts.keys() - set(FACTS))
        if unknown:
            raise ValueError(f"{unknown[0]} is not a fact; known are {', '.join(FACTS)}")
        for name, value in facts.items():
            if isinstance(value, Mapping) and not all(isinstance(item, int | float) for item in value.values()):
                raise ValueError(f"{name} has a bound or a version that is no number")
        return facts

    @model_validator(mode="after")
    def _possible(self) -> Self:
        if not (self.outcome or self.bad_in_some or self.good_never):
            raise ValueError("no outcome is claimed; give outcome, bad_in_some or good_never")
        if both := sorted({*self.outcome, *self.bad_in_some} & {*self.good_never}):
            raise ValueError(f"good_never excludes {both[0]}, which is claimed as well")
        if self.outcome and (others := sorted({*self.bad_in_some} - {*self.outcome})):
            raise ValueError(f"outcome excludes {others[0]} of bad_in_some; leave outcome out, or add it there")
        return self

    @property
    def is_race(self) -> bool:
        """Whether the claim is about several trials, of which chance may decide each."""
        return bool(self.bad_in_some or self.good_never)

    @property
    def allowed(self) -> frozenset[Outcome]:
        """The outcomes that a trial may have."""
        return frozenset(self.outcome or Outcome) - {*self.good_never}

    @property
    def needed(self) -> frozenset[Outcome]:
        """The outcomes of which at least one trial must have one."""
        return frozenset(self.bad_in_some) or self.allowed


class Contrast(Claim):
    """A change of the cell and its claim. A value for profile, properties or election replaces all three."""

    client: str | None = None
    role: Role | None = None
    scenario: str | None = None
    engine: Engine | None = None
    broker: str | None = None
    workload: Workload | None = None
    trials: int | None = Field(default=None, ge=1, le=MAX_TRIALS)
    profile: str | None = None
    properties: tuple[str, ...] | None = None
    election: int | None = None
    why: str = ""


def _exclusive_facts(one: Claim, other: Claim) -> bool:
    """Return whether a fact of one claim excludes the other's. Facts of bad trials only do not exclude each other."""
    if one.bad_in_some and other.bad_in_some:
        return False
    return any(_exclusive(one.facts[name], other.facts[name]) for name in one.facts.keys() & other.facts.keys())


def _exclusive(one: Any, other: Any) -> bool:
    """Return whether no value of a fact fits both."""
    ranges = [item for item in (one, other) if isinstance(item, Mapping) and item.keys() <= {"min", "max"}]
    if not ranges:
        named = isinstance(one, Mapping) and isinstance(other, Mapping)  # api_versions
        return any(one[key] != other[key] for key in one.keys() & other.keys()) if named else bool(one != other)
    bounds = [item if item in ranges else {"min": item, "max": item} for item in (one, other)]
    if any(not isinstance(bound, int | float) for item in bounds for bound in item.values()):
        return True  # a range, and a value that is no number
    lowest, highest = (item.get("min", -inf) for item in bounds), (item.get("max", inf) for item in bounds)
    return bool(max(lowest) > min(highest))


class Known(Claim):
    """One entry of the file."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    says: str
    """The known result, in a sentence."""
    source: str
    """`OWNER/REPO #N`, a KIP, a release note or a file of the client."""
    link: str = ""
    client: ExactClient
    role: Role
    scenario: str
    engine: Engine = DEFAULT_ENGINE
    broker: str = "3.9"
    """Release line."""
    workload: Workload = Workload.CONTINUOUS
    trials: int = Field(default=1, ge=1, le=MAX_TRIALS)
    """Number of trials that the claim is about, of the contrast too unless it names its own."""
    profile: str = DEFAULT_PROFILE
    properties: tuple[str, ...] = ()
    election: int | None = None
    conditions: int = FIRST
    """The first number of the conditions under which it shows; stored trials under older ones contradict nothing."""
    known_wrong: str = ""
    """Why the harness does not reproduce it yet; once it does, the entry is stale and fails."""
    contrast: Contrast

    @model_validator(mode="after")
    def _opposite(self) -> Known:
        other = self.contrast
        apart = self.needed.isdisjoint(other.allowed) or other.needed.isdisjoint(self.allowed)
        if not (apart or _exclusive_facts(self, other)):
            both = min(self.needed & other.allowed)
            raise ValueError(f"the contrast of {self.id} allows {both} too; it must be the opposite")
        return self

    @model_validator(mode="after")
    def _playable(self) -> Known:
        for item in (expected(self), contrasted(self)):
            if not ENGINES[item.engine].sets_elections and item.election is not None:
                raise ValueError(
                    f"{item.name}: election is for the embedded engine, since real brokers elect by themselves"
                )
            if item.claim.is_race and item.trials == 1:
                raise ValueError(f"{item.name}: one trial shows no race; give trials, 20 where chance decides")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A cell with the claim about its trials."""

    name: str
    """The entry's id; a contrast adds `/contrast`."""
    client: str
    role: Role
    scenario: str
    engine: Engine
    broker: str
    workload: Workload
    trials: int
    profile: str
    properties: tuple[str, ...]
    election: int | None
    claim: Claim
    source: str
    conditions: int = FIRST
    known_wrong: str = ""

    @property
    def cell(self) -> Cell:
        """Return the cell. CatalogueError for an unknown profile or release line."""
        family, _, version = self.client.partition("@")
        election = None if self.election is None else Election(self.election)
        (plain,) = select_profiles([self.profile], self.properties, election)
        profile = with_own(self.scenario, plain)
        line = broker_line(self.broker)
        return Cell(family, version, self.role, str(profile), self.scenario, self.engine, line, self.workload)


def read_known(path: Path) -> tuple[Known, ...]:
    """Read a file of `[[known]]` entries. CatalogueError with the file, the entry and the problem."""
    found = read_entries(path, "known", Known)
    twice = {item.id for item in found if sum(1 for other in found if other.id == item.id) > 1}
    if twice or not found:
        what = f"{min(twice)} occurs twice" if twice else "it has no [[known]] entry"
        raise CatalogueError(f"{path}: {what}; correct the file")
    return found


def expected(known: Known) -> Expectation:
    """Return the expectation of an entry."""
    chosen = {name: getattr(known, name) for name in (*_PLACE, *_CONFIGURATION)}
    return Expectation(
        name=known.id,
        claim=known,
        source=known.source,
        conditions=known.conditions,
        known_wrong=known.known_wrong,
        **chosen,
    )


def contrasted(known: Known) -> Expectation:
    """Return the expectation of an entry's contrast."""
    other = known.contrast
    place = {name: getattr(other, name) or getattr(known, name) for name in _PLACE}
    own = any(getattr(other, name) is not None for name in _CONFIGURATION)
    source = other if own else known
    return Expectation(
        name=f"{known.id}/contrast",
        claim=other,
        source=known.source,
        conditions=known.conditions,
        profile=source.profile or DEFAULT_PROFILE,
        properties=source.properties or (),
        election=source.election,
        **place,
    )
