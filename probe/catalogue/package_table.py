"""The one table of packages that are Kafka clients: `data/packages.toml`.

Each `[[package]]` has `ecosystem` (the type of a package URL), `names`, and `client` or `why`; each `[[conflict]]` has
`ecosystem`, `names` and `why`. `PackageRow` describes the other keys.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from probe.catalogue.files import data_file


@dataclass(frozen=True, slots=True, kw_only=True)
class PackageRow:
    """A package that is a Kafka client, by all its names."""

    ecosystem: str
    names: tuple[str, ...]
    client: str = ""
    """Family or application of the catalogue; empty = none, and `why` says why."""
    why: str = ""
    inside: frozenset[str] = frozenset()
    """Packages inside it: where an inventory names one of these, too, this one says nothing more."""
    releases: re.Pattern[str] | None = None
    """The form of all releases; a version of another form is a build of others. None = any form."""
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


@dataclass(frozen=True, slots=True)
class PackageTable:
    """The content of the table."""

    packages: tuple[PackageRow, ...]
    conflicts: tuple[Conflict, ...]


def normal(ecosystem: str, name: str) -> str:
    """Return the name by which a package is found in the table.

    PyPI takes `Kafka_Python` for `kafka-python`; in package URLs of Go modules some tools write all letters small, and
    NuGet makes no difference between large and small ones.
    """
    if ecosystem == "pypi":
        return re.sub(r"[-_.]+", "-", name).lower()
    return name.lower() if ecosystem in {"golang", "nuget"} else name


@cache
def package_table() -> PackageTable:
    """Return the table. CatalogueError if it is broken."""
    return read_table(data_file("packages.toml"))


def read_table(path: Path) -> PackageTable:
    """Read a table. CatalogueError with the file and the problem."""
    try:
        data = tomllib.loads(path.read_text())
        return PackageTable(
            tuple(_package(row) for row in data["package"]),
            tuple(Conflict(row["ecosystem"], frozenset(row["names"]), row["why"]) for row in data["conflict"]),
        )
    except (OSError, ValueError, KeyError, TypeError, re.error) as error:
        from probe.catalogue.families import CatalogueError  # noqa: PLC0415  # loads pydantic, which readers do not need

        raise CatalogueError(f"{path}: {error}; correct the file") from None


def _package(row: Mapping[str, Any]) -> PackageRow:
    kind = row["ecosystem"]
    typed = {
        "names": tuple(row["names"]),
        "inside": frozenset(normal(kind, name) for name in row.get("inside", ())),
        "releases": re.compile(row["releases"]) if "releases" in row else None,
    }
    return PackageRow(**{**row, **typed})
