"""Every release of a library that its registry serves, and what is known to change between releases.

`data/released/FAMILY.toml` is written by `probe.toolchain.registry_releases`; `data/changes.toml` is kept by hand.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from probe.catalogue.files import data_file
from probe.model.versions import version_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Released:
    """One release as its registry had it when the list was written."""

    version: str
    """The version that the library reports."""
    artifact: str = ""
    """The package's own number where that differs."""
    released: str = ""
    """ISO date; empty = the registry tells none."""
    withdrawn: str = ""
    """`retracted`, `yanked` or `deprecated` with the reason; empty = it is not."""


@dataclass(frozen=True, slots=True)
class ReleaseList:
    """The releases of a family, ascending, from its oldest listed version on."""

    read: str
    """ISO date on which the registry was asked; empty = it never was."""
    source: str
    releases: tuple[Released, ...]

    def find(self, version: str) -> Released | None:
        """Return a release; None if the registry does not serve it."""
        return next((one for one in self.releases if one.version == version), None)

    def lacks(self, version: str) -> bool:
        """Return whether the registry had older and newer releases, and not this one."""
        if not self.releases or self.find(version) is not None:
            return False
        first, last = (version_key(self.releases[place].version) for place in (0, -1))
        return first < version_key(version) < last

    def is_older_than(self, version: str) -> bool:
        """Return whether a release is newer than all that the registry had."""
        return bool(self.releases) and version_key(version) > version_key(self.releases[-1].version)

    @property
    def no_such(self) -> str:
        """Return, as a clause, that the registry has not the release that is asked for."""
        return f"{self.source} had no such release on {self.read}"

    @property
    def withdrawn(self) -> frozenset[str]:
        """Return the releases that were taken back."""
        return frozenset(one.version for one in self.releases if one.withdrawn)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change of defaults or of the code path, between the releases before and from `since` on."""

    family: str
    since: str
    what: str
    source: str


@cache
def releases_of(family: str) -> ReleaseList:
    """Return the releases of a family; none for one without a list."""
    file = data_file("released") / f"{family}.toml"
    if not file.is_file():
        return ReleaseList("", "", ())
    data = tomllib.loads(file.read_text())
    return ReleaseList(data["read"], data["source"], tuple(Released(**row) for row in data["releases"]))


def taken_back(family: str, version: str) -> str:
    """Return that a release was taken back, with the reason, as a clause; empty if it was not."""
    found = releases_of(family).find(version)
    return f"{family} {version} was {found.withdrawn}" if found is not None and found.withdrawn else ""


GAPS = frozenset({"librdkafka"})
"""Families of which releases exist that their registry does not have: no wheel holds them."""


def not_served(family: str, version: str) -> str:
    """Return that the registry of a family had no such release when it was asked, as a clause; empty if it had."""
    found = releases_of(family)
    if family in GAPS:
        return ""
    lacks = re.fullmatch(r"\d+(\.\d+)*", version) and (found.lacks(version) or found.is_older_than(version))
    return f"{found.source} had no release {version} of {family} on {found.read}" if lacks else ""


@cache
def _changes() -> Mapping[str, Any]:
    return tomllib.loads(data_file("changes.toml").read_text())


@cache
def changes_of(family: str) -> tuple[Change, ...]:
    """Return the known changes of a family."""
    return tuple(Change(**row) for row in _changes()["change"] if row["family"] == family)


def has_one_line(family: str) -> bool:
    """Return whether numbers are, within a major version, in the order of release.

    Then a later release has all that an earlier one has.
    """
    return family in _changes()["one_line"]


def change_between(family: str, older: str, newer: str) -> Change | None:
    """Return the first known change after one release, up to another; None if there is none."""
    low, high = version_key(older), version_key(newer)
    return next((one for one in changes_of(family) if low < version_key(one.since) <= high), None)
