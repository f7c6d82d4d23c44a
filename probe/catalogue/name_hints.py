"""The hint that a name of a client gets which is none of the catalogue's."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from probe.catalogue.package_table import normal, package_table
from probe.model.hints import mistyped


def client_hint(name: str, families: Collection[str], others: Iterable[str] = (), *, more: str = "") -> str:
    """Return `did you mean X?` for a mistyped name, else the known families.

    A package of the table is itself and no mistyped other one: pykafka is not rskafka. `more` follows the families.
    """
    otherwise = f"known are {', '.join(sorted(families))}{more}"
    return otherwise if is_package(name) else mistyped(name, sorted({*families, *others}), otherwise)


def is_package(name: str) -> bool:
    """Return whether a registry serves a Kafka client under a name, by the table of packages."""
    return any(
        normal(row.ecosystem, name) == normal(row.ecosystem, known)
        for row in package_table().packages
        for known in row.names
    )
