"""Numbers that name a line of releases and none of them, such as `1.43`. Pure but for the lists of releases."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probe.catalogue.families import Family
from probe.catalogue.releases import releases_of
from probe.model.versions import version_key

if TYPE_CHECKING:
    from probe.catalogue.apps import App

NUMBER = re.compile(r"v?(\d+(?:\.\d+)*)(?:\.[xX*])?")
"""A number without what would make it a range of another kind: `3.6`, `v1.43`, `1.43.x`."""


@dataclass(frozen=True, slots=True)
class NamedLine:
    """A line of releases of a client."""

    name: str
    """The client, as it was named."""
    family: str
    number: str
    """The number that its releases begin with."""
    releases: Mapping[str, str]
    """The versions that the library reports, by the releases of what was named, ascending."""

    @property
    def span(self) -> str:
        """Return its releases in words."""
        first, *others = self.releases
        return f"{first} to {others[-1]}" if others else first

    @property
    def why(self) -> str:
        """Return that the number names no release, and which there are."""
        there = "there are" if len(self.releases) > 1 else "there is"
        return f"{self.number} names no release of {self.name}; {there} {self.span}"


def line_named(client: str, families: Mapping[str, Family], apps: Mapping[str, App]) -> NamedLine | None:
    """Return the line of releases that NAME@NUMBER names; None for a release, a client alone, and what is not known.

    An application has lines if its releases are those of its library's package.
    """
    name, _, text = client.partition("@")
    found, family = NUMBER.fullmatch(text), families.get(name)
    if found is None:
        return None
    if family is None:
        app = apps.get(name)
        family = families.get(app.family) if app is not None and app.artifacts else None
    numbers = _numbers(family) if family is not None else {}
    if family is None or found[1] in {*numbers, *numbers.values()}:
        return None
    mine = {number: version for number, version in numbers.items() if number.startswith(f"{found[1]}.")}
    ordered = dict(sorted(mine.items(), key=lambda one: version_key(one[0])))
    return NamedLine(name, family.family, found[1], ordered) if ordered else None


def _numbers(family: Family) -> dict[str, str]:
    """Return the versions of a family by the numbers of their packages: those that are listed, and those released."""
    served = {one.artifact or one.version: one.version for one in releases_of(family.family).releases}
    return served | {one.pinned_artifact: one.version for one in family.versions}
