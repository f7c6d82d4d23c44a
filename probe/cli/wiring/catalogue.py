"""The catalogue as commands see it: families, applications, and the selected and obtained clients."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from probe.catalogue.families import Family, Version, read_families
from probe.catalogue.files import clients_folder, data_file
from probe.catalogue.lazy_tables import LateMapping
from probe.catalogue.selectors import Chosen, select_clients
from probe.model import Client
from probe.toolchain.tools import cache_root

if TYPE_CHECKING:
    from probe.catalogue.apps import App
    from probe.catalogue.packages import Packages

PROGRAM = "exec:"
"""Prefix of a client that is a program on lines of JSON (docs/join.md)."""


@cache
def families() -> Mapping[str, Family]:
    """Return every client family. CatalogueError for a broken client.toml."""
    return read_families(clients_folder())


@cache
def apps() -> Mapping[str, App]:
    """Return the applications and wrappers, by all their names; read when first looked into.

    The first look raises CatalogueError for a broken apps.toml.
    """
    return LateMapping(_apps)


def _apps() -> Mapping[str, App]:
    from probe.catalogue.apps_file import read_apps  # noqa: PLC0415  # a family needs none of its models

    return read_apps(data_file("apps.toml"), families())


@cache
def packages() -> Packages:
    """Return the packages under which registries serve clients. CatalogueError for a broken packages.toml."""
    from probe.catalogue.package_table import package_table  # noqa: PLC0415  # a look-up names no package
    from probe.catalogue.packages import packages_of  # noqa: PLC0415  # the same

    return packages_of(package_table().packages, families(), apps())


def inside(client: Client) -> Sequence[str]:
    """Return the names of the applications and wrappers with this client inside."""
    from probe.catalogue.app_relations import inside_of  # noqa: PLC0415  # as above

    return inside_of(apps(), client.family, client.version)


def choose_clients(names: Sequence[str]) -> tuple[Chosen, ...]:
    """Return the selected client versions; unpinned ones are looked up at the registry, programs are asked."""
    from probe.drivers.provision import resolve  # noqa: PLC0415  # a look-up needs no registry

    listed = [name for name in names if not name.startswith(PROGRAM)]
    programs = [chosen_program(name) for name in dict.fromkeys(names) if name.startswith(PROGRAM)]
    if programs and not listed:
        return tuple(programs)
    found = select_clients(families(), listed, lambda family, text: resolve(family, text, cache_root()), apps())
    return (*found, *programs)


def chosen_program(text: str) -> Chosen:
    """Return the client that is a program on lines of JSON, `exec:PROGRAM`. ProvisionError if it is none."""
    from probe.drivers.sources.lines_program import described  # noqa: PLC0415  # as above

    return Chosen(*described(text))


def by_number(family: Family, text: str) -> Version:
    """Return a version without a registry: a listed one, or one that is identified by its number alone."""
    if text == "latest":
        return family.newest
    return next((item for item in family.versions if item.pinned_artifact == text), Version(version=text))


def is_installed(family: Family, version: Version) -> bool:
    """Return whether a version is in the cache."""
    return obtained(family.client(version)).exists()


def obtained(client: Client) -> Path:
    """Return the file that marks an obtained client."""
    return cache_root() / "obtained" / f"{client}"
