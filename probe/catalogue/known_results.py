"""Known results: public reports on clients, as cells with the outcome that they claim (known_results.toml).

An entry names one cell, the outcomes it may have, the facts that matter, its source, and a contrast. The contrast is
the same question with one thing changed, and its outcome must differ. A harness that returns the same outcome for every
cell fails one of the two.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from probe.catalogue.families import CatalogueError
from probe.catalogue.selectors import broker_line, select_profiles
from probe.model import Cell, Election, Engine, Outcome, Role
from probe.model.columns import FACTS

_CONFIGURATION = ("profile", "properties", "election")
_PLACE = ("client", "role", "scenario", "broker")
Facts = Mapping[str, Any]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Claim(_Strict):
    outcome: tuple[Outcome, ...] = Field(min_length=1)
    facts: Facts = {}
    """Facts by name: a value, a list, `{ min = 1, max = 2 }`, or for api_versions `{ Produce = 7 }`."""

    @field_validator("facts")
    @classmethod
    def _named_facts(cls, facts: Facts) -> Facts:
        unknown = sorted(facts.keys() - set(FACTS))
        if unknown:
            raise ValueError(f"{unknown[0]} is not a fact; known are {', '.join(FACTS)}")
        return facts


class Contrast(_Claim):
    """A change of the cell and its outcome. A value for profile, properties or election replaces all three."""

    client: str | None = None
    role: Role | None = None
    scenario: str | None = None
    broker: str | None = None
    profile: str | None = None
    properties: tuple[str, ...] | None = None
    election: int | None = None
    why: str = ""


class Known(_Claim):
    """One entry of the file."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$")
    says: str
    """The known result, in a sentence."""
    source: str
    """`OWNER/REPO #N`, a KIP, a release note or a file of the client."""
    link: str = ""
    client: str
    role: Role
    scenario: str
    broker: str = "3.9"
    profile: str = "isolated"
    properties: tuple[str, ...] = ()
    election: int | None = None
    known_wrong: str = ""
    """Why the harness does not reproduce it yet; once it does, the entry is stale and fails."""
    contrast: Contrast

    @field_validator("client")
    @classmethod
    def _exact(cls, client: str) -> str:
        if not re.fullmatch(r"[a-z][a-z0-9-]*@\d[\w.+-]*", client):
            raise ValueError(f"{client} is not FAMILY@VERSION")
        return client

    @model_validator(mode="after")
    def _opposite(self) -> Known:
        both = sorted(set(self.outcome) & set(self.contrast.outcome))
        if both:
            raise ValueError(f"the contrast of {self.id} allows {both[0]} too; it must be the opposite")
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A cell with the outcomes and facts that it must have."""

    name: str
    """The entry's id; a contrast adds `/contrast`."""
    client: str
    role: Role
    scenario: str
    broker: str
    profile: str
    properties: tuple[str, ...]
    election: int | None
    outcomes: tuple[Outcome, ...]
    facts: Facts
    source: str
    known_wrong: str = ""

    @property
    def cell(self) -> Cell:
        """Return the cell. CatalogueError for an unknown profile or release line."""
        family, _, version = self.client.partition("@")
        election = None if self.election is None else Election(self.election)
        (profile,) = select_profiles([self.profile], self.properties, election)
        line = broker_line(self.broker)
        return Cell(family, version, self.role, str(profile), self.scenario, Engine.EMBEDDED, line)


def read_known(path: Path) -> tuple[Known, ...]:
    """Read a file of `[[known]]` entries. CatalogueError with the file, the entry and the problem."""
    try:
        rows = tomllib.loads(path.read_text()).get("known", [])
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise CatalogueError(f"{path}: {error}; correct the file or name another with --known") from None
    found = tuple(_entry(path, row) for row in rows)
    twice = {item.id for item in found if sum(1 for other in found if other.id == item.id) > 1}
    if twice or not found:
        what = f"{min(twice)} occurs twice" if twice else "it has no [[known]] entry"
        raise CatalogueError(f"{path}: {what}; correct the file")
    return found


def _entry(path: Path, row: Mapping[str, Any]) -> Known:
    try:
        return Known.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"])
        value = "" if isinstance(first["input"], Mapping) else f" ({first['input']!r})"
        what = f"[[known]] {row.get('id', '?')} {where}: {first['msg']}{value}"
        raise CatalogueError(f"{path}: {what}; correct the entry") from None


def expected(known: Known) -> Expectation:
    """Return the expectation of an entry."""
    chosen = {name: getattr(known, name) for name in (*_PLACE, *_CONFIGURATION)}
    return Expectation(
        name=known.id,
        outcomes=known.outcome,
        facts=known.facts,
        source=known.source,
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
        outcomes=other.outcome,
        facts=other.facts,
        source=known.source,
        profile=source.profile or "isolated",
        properties=source.properties or (),
        election=source.election,
        **place,
    )
