"""The scenarios of Failover Baseline 2026, per role: what counts for a level, and why. Standard library only.

`data/baseline_2026.toml` is the list. It is frozen: a later set has a file of its own.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

from probe.catalogue.files import data_file
from probe.errors import CatalogueError
from probe.model.cell import CONTROL, Role
from probe.model.harm import Harm

MOST_SCENARIOS = 25
"""Greatest number of scored scenarios of a role."""
LONGEST_WATCH_MS = 90_000
"""Longest observation of a scored scenario in its usual profile."""
ALIKE = 0.97
"""Least share of cells in which both engines agree whether a client stops or loses records."""
FILE = "baseline_2026.toml"


class Counted(StrEnum):
    """A harm that counts in a scenario that does not score all of them."""

    LOSES = "loses"
    STOPS = "stops"


class Standing(StrEnum):
    """Whether a condition of admission is met."""

    MET = "met"
    UNMET = "not met"
    OPEN = "open"
    """Nothing is measured that could tell."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A scored scenario in one role, with the measured conditions of its admission."""

    scenario: str
    role: Role
    counts: tuple[Counted, ...] = ()
    """The harms that count; empty = all."""
    acks_all: bool = False
    """Whether only a client that writes with acks=all can meet it; for others it is no question."""
    pairs: int
    """Cells that were played on both engines."""
    alike: int
    """Of these, those in which both agree whether the client stops or loses records."""
    real_only: int = 0
    """Of the others, those in which acknowledged records were lost on real brokers alone; the fake loses none."""
    references: tuple[str, ...]
    """Clients of independent implementations that reach level 2, as FAMILY@VERSION."""
    repeated: tuple[str, ...] = ()
    """Clients with 20 trials or more that agree whether the client stops or loses records."""

    def scores(self, harm: Harm) -> bool:
        """Return whether a harm counts here."""
        return not self.counts or harm.word in self.counts

    @property
    def engines(self) -> Standing:
        """Whether both engines tell the same: what only real brokers can show is no disagreement."""
        if not self.pairs:
            return Standing.OPEN
        return Standing.MET if self.alike + self.real_only >= ALIKE * self.pairs else Standing.UNMET

    @property
    def reached(self) -> Standing:
        """Whether two independent implementations reach level 2."""
        return Standing.MET if len({one.partition("@")[0] for one in self.references}) >= 2 else Standing.UNMET

    @property
    def steady(self) -> Standing:
        """Whether 20 trials of a reference version agree."""
        return Standing.MET if self.repeated else Standing.OPEN


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A scored scenario with its roles."""

    scenario: str
    why: str
    """When it happens to a service."""
    occurs: str
    """The routine operation, or the independent reports."""
    decides: str
    """Why the client decides what happens, and not the operator."""
    roles: tuple[Scored, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotScored:
    """Scenarios that were weighed and are not scored."""

    scenarios: tuple[str, ...]
    """Names, or globs of names."""
    roles: tuple[Role, ...] = ()
    """The roles in which they are not scored; empty = all."""
    reason: str
    candidate: bool = False
    """Whether the next set may have them."""

    def covers(self, scenario: str, role: Role) -> bool:
        """Return whether this is the reason for a scenario in a role."""
        return (not self.roles or role in self.roles) and any(fnmatchcase(scenario, one) for one in self.scenarios)


@dataclass(frozen=True, slots=True, kw_only=True)
class Baseline:
    """A set of scored scenarios."""

    name: str
    year: int
    entries: tuple[Entry, ...]
    not_scored: tuple[NotScored, ...]

    @property
    def scenarios(self) -> tuple[str, ...]:
        """The scored scenarios, in the order of the file."""
        return tuple(entry.scenario for entry in self.entries)

    @property
    def only_roles(self) -> Mapping[str, tuple[Role, ...]]:
        """The roles in which each scenario is scored, and in the control those of any."""
        scored = {entry.scenario: tuple(one.role for one in entry.roles) for entry in self.entries}
        return {CONTROL: self.roles, **scored}

    @property
    def roles(self) -> tuple[Role, ...]:
        """The roles with a scored scenario."""
        return tuple(role for role in Role if self.of(role))

    def of(self, role: Role) -> tuple[Scored, ...]:
        """Return the scored scenarios of a role, in the order of the file."""
        return tuple(one for entry in self.entries for one in entry.roles if one.role is role)

    def find(self, scenario: str, role: Role) -> Scored | None:
        """Return a scored scenario; None if it is not scored in this role."""
        return next((one for one in self.of(role) if one.scenario == scenario), None)


@cache
def baseline() -> Baseline:
    """Return the set of this release."""
    return read_baseline(data_file(FILE))


def read_baseline(path: Path) -> Baseline:
    """Read a set. CatalogueError with the file, the entry and the problem."""
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        entries = tuple(_entry(row) for row in table.pop("scored"))
        others = tuple(_not_scored(row) for row in table.pop("not_scored"))
        found = Baseline(name=table.pop("name"), year=table.pop("year"), entries=entries, not_scored=others)
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError, ValueError) as error:
        raise CatalogueError(f"{path.name}: {_said(error)}; correct the file") from None
    if table:
        raise CatalogueError(f"{path.name}: {next(iter(table))!r} is no key of a set; remove it")
    if twice := _twice(found.scenarios):
        raise CatalogueError(f"{path.name}: {twice} stands twice; remove one entry")
    return found


def _said(error: Exception) -> str:
    return f"key {error} is missing" if isinstance(error, KeyError) else str(error)


def _entry(row: Mapping[str, Any]) -> Entry:
    rest = dict(row)
    roles = tuple(_scored(rest["scenario"], Role(role), part) for role, part in rest.pop("roles").items())
    return Entry(**rest, roles=roles)


def _scored(scenario: str, role: Role, row: Mapping[str, Any]) -> Scored:
    rest = dict(row)
    for name in ("references", "repeated"):
        rest[name] = tuple(rest.get(name, ()))
    counts = tuple(map(Counted, rest.pop("counts", ())))
    return Scored(scenario=scenario, role=role, counts=counts, **rest)


def _not_scored(row: Mapping[str, Any]) -> NotScored:
    rest = dict(row)
    names = tuple(rest.pop("scenarios"))
    return NotScored(scenarios=names, roles=tuple(map(Role, rest.pop("roles", ()))), **rest)


def _twice(names: Sequence[str]) -> str:
    return next((name for name in names if names.count(name) > 1), "")
