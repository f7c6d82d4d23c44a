"""The one table of packages: which are Kafka clients, and which of ours they are (`data/packages.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from probe.inventory.found import Found, Skipped
from probe.inventory.text import one_line
from probe.inventory.versions import Answer, exact

TABLE = Path(__file__).resolve().parent / "data" / "packages.toml"


@dataclass(frozen=True, slots=True)
class Package:
    """A package that is a Kafka client."""

    client: str = ""
    """Family or application of the catalogue; empty = none, and `why` says why."""
    why: str = ""
    inside: frozenset[str] = frozenset()
    """Packages inside it: where an inventory names one of these, too, this one says nothing more."""
    releases: re.Pattern[str] | None = None
    """What all releases look like; a version of another form is a build of others. None = any form."""
    manages: bool = False
    """Whether it is no client itself but decides the version of one in a pom that names none."""
    override: str = ""
    """The property of a pom with such a parent that decides instead."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Packages that cannot work side by side."""

    ecosystem: str
    names: frozenset[str]
    why: str


def normal(ecosystem: str, name: str) -> str:
    """Return the name by which a package is found in the table.

    PyPI takes `Kafka_Python` for `kafka-python`; in package URLs of Go modules some tools write all letters small.
    """
    if ecosystem == "pypi":
        return re.sub(r"[-_.]+", "-", name).lower()
    return name.lower() if ecosystem == "golang" else name


@cache
def packages() -> Mapping[tuple[str, str], Package]:
    """Return the table, by ecosystem and name."""
    found: dict[tuple[str, str], Package] = {}
    for row in _table()["package"]:
        kind = row["ecosystem"]
        package = Package(
            client=row.get("client", ""),
            why=row.get("why", ""),
            inside=frozenset(normal(kind, name) for name in row.get("inside", ())),
            releases=re.compile(row["releases"]) if "releases" in row else None,
            manages=row.get("manages", False),
            override=row.get("override", ""),
        )
        found |= {(kind, normal(kind, name)): package for name in row["names"]}
    return found


@cache
def conflicts() -> tuple[Conflict, ...]:
    """Return the packages that cannot work side by side."""
    return tuple(Conflict(row["ecosystem"], frozenset(row["names"]), row["why"]) for row in _table()["conflict"])


@cache
def _table() -> Mapping[str, list[Mapping[str, Any]]]:
    return tomllib.loads(TABLE.read_text())


def known(ecosystem: str, name: str) -> Package | None:
    """Return a package's entry in the table; None if it is no Kafka client by the table."""
    return packages().get((ecosystem, normal(ecosystem, name)))


def concerns(ecosystem: str, name: str) -> bool:
    """Return whether a package is a Kafka client, or has Kafka in its name."""
    return known(ecosystem, name) is not None or "kafka" in name.lower()


def mentions(text: str, ecosystem: str) -> bool:
    """Return whether a text can name a client at all, so that files without one are not parsed."""
    small = text.lower()
    return "kafka" in small or any(name.lower() in small for kind, name in packages() if kind == ecosystem)


def ecosystem_of(name: str) -> str:
    """Return the ecosystem of a package that is named without one; empty if the table has no such package."""
    return next((kind for kind, known in packages() if known == normal(kind, name)), "")


def client_of(
    ecosystem: str, name: str, version: str, *, place: str, service: str = "", unknown: str = "", note: str = ""
) -> Found | Skipped | None:
    """Return the client that a package is; None if the package has nothing to do with Kafka.

    `version` is what the file says, `unknown` a reason of the file why that is no version of the package. A package
    with Kafka in its name that the table does not list is skipped with a reason.
    """
    package = known(ecosystem, name)
    if package is None:
        if "kafka" not in name.lower():
            return None
        return Skipped(one_line(f"{name} {version}".strip()), "no client that is known by this name")
    if package.manages:
        return None
    number, why = ("", unknown) if unknown else _release(package, ecosystem, version)
    return Found(
        service=one_line(service),
        package=one_line(name),
        ecosystem=ecosystem,
        client=package.client,
        version=one_line(number),
        unknown=one_line(package.why or why),
        place=one_line(place),
        note=one_line(note),
    )


def release(ecosystem: str, name: str, text: str) -> Answer:
    """Return the release that a text names for a package; or the reason why it names none."""
    return _release(known(ecosystem, name) or Package(), ecosystem, text)


def _release(package: Package, ecosystem: str, text: str) -> Answer:
    number, why = exact(ecosystem, text)
    if number and package.releases is not None and not package.releases.fullmatch(number):
        return "", f"{number} is no release of the project but a build of others, whose changes are not known"
    return number, why


def fork(ecosystem: str, name: str, version: str, origin: str, *, place: str, service: str = "") -> Found:
    """Return a client that replaces one of the table and is not listed itself; a folder has no version."""
    return Found(
        service=one_line(service),
        package=one_line(name),
        ecosystem=ecosystem,
        version=one_line(version),
        unknown=one_line(
            f"it replaces {origin}, and a fork is not its origin's version"
            if version
            else f"this folder replaces {origin}, and no version of it is named"
        ),
        place=one_line(place),
    )
