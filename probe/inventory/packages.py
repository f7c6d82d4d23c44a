"""The one table of packages: which are Kafka clients, and which of ours they are (`data/packages.toml`)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from probe.inventory.found import Found, Skipped
from probe.inventory.text import one_line
from probe.inventory.versions import exact

TABLE = Path(__file__).resolve().parent / "data" / "packages.toml"


@dataclass(frozen=True, slots=True)
class Package:
    """A package that is a Kafka client."""

    client: str = ""
    """Family or application of the catalogue; empty = none, and `why` says why."""
    why: str = ""
    inside: frozenset[str] = frozenset()
    """Packages inside it: where an inventory names one of these, too, this one says nothing more."""


@dataclass(frozen=True, slots=True)
class Conflict:
    """Packages that cannot work side by side."""

    ecosystem: str
    names: frozenset[str]
    why: str


def normal(ecosystem: str, name: str) -> str:
    """Return the name under which a registry knows a package: PyPI takes `Kafka_Python` for `kafka-python`."""
    return re.sub(r"[-_.]+", "-", name).lower() if ecosystem == "pypi" else name


@cache
def packages() -> Mapping[tuple[str, str], Package]:
    """Return the table, by ecosystem and name."""
    found: dict[tuple[str, str], Package] = {}
    for row in _table()["package"]:
        package = Package(row.get("client", ""), row.get("why", ""), frozenset(row.get("inside", ())))
        found |= {(row["ecosystem"], name): package for name in row["names"]}
    return found


@cache
def conflicts() -> tuple[Conflict, ...]:
    """Return the packages that cannot work side by side."""
    return tuple(Conflict(row["ecosystem"], frozenset(row["names"]), row["why"]) for row in _table()["conflict"])


@cache
def _table() -> Mapping[str, list[Mapping[str, str]]]:
    return tomllib.loads(TABLE.read_text())


def is_known(ecosystem: str, name: str) -> bool:
    """Return whether a package is a Kafka client by the table."""
    return (ecosystem, normal(ecosystem, name)) in packages()


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
    package = packages().get((ecosystem, normal(ecosystem, name)))
    if package is None:
        if "kafka" not in name.lower():
            return None
        return Skipped(one_line(f"{name} {version}".strip()), "no client that is known by this name")
    number, why = ("", unknown) if unknown else exact(ecosystem, version)
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


def fork(ecosystem: str, name: str, version: str, origin: str, *, place: str, service: str = "") -> Found:
    """Return a client that replaces one of the table and is not listed itself."""
    return Found(
        service=one_line(service),
        package=one_line(name),
        ecosystem=ecosystem,
        version=one_line(version),
        unknown=one_line(f"it replaces {origin}, and a fork is not its origin's version; ask for the origin's release"),
        place=one_line(place),
        note=one_line(f"in place of {origin}"),
    )
