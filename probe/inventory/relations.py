"""Relations of the clients of one inventory: a wrapper beside its library, packages in conflict. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

from probe.catalogue.package_table import normal, package_table
from probe.inventory.entries import FileContent, Found, Skipped
from probe.inventory.packages import known

Related: TypeAlias = tuple[tuple[Found, ...], tuple[Skipped, ...]]
Listed: TypeAlias = Mapping[tuple[str, str], Mapping[str, Found]]
"""Clients by service and ecosystem, then by the name of the package, or of the one that it replaces."""


def of_one_project(found: Iterable[Found], service: str) -> list[Found]:
    """Return each client once, with the name of the project where its file names none."""
    kept: dict[tuple[str, ...], Found] = {}
    for item in found:
        named = item if item.service else replace(item, service=service)
        kept.setdefault((named.service, named.ecosystem, named.shown, named.unknown), named)
    return list(kept.values())


def relate(found: Sequence[Found]) -> Related:
    """Return the clients without wrappers whose library is listed itself, broken ones marked; and what was left out."""
    return _related(found, _by_package(found))


def relate_files(readings: Sequence[FileContent]) -> Iterator[FileContent]:
    """Yield what was read of files that describe one environment together, each with what the others say about it."""
    listed = _by_package(item for reading in readings for item in reading.found)
    for reading in readings:
        kept, skipped = _related(reading.found, listed)
        yield replace(reading, found=kept, skipped=(*reading.skipped, *skipped))


def _related(found: Iterable[Found], listed: Listed) -> Related:
    kept, skipped = [], []
    for item in found:
        library = _library(item, listed)
        if library is None:
            kept.append(replace(item, broken=why) if (why := _broken(item, listed)) else item)
        else:
            skipped.append(Skipped(f"{item.package} {item.version}", f"{library.shown} inside it is listed itself"))
    return tuple(kept), tuple(skipped)


def _by_package(found: Iterable[Found]) -> Listed:
    listed: dict[tuple[str, str], dict[str, Found]] = {}
    for item in found:
        if item.ecosystem:
            name = normal(item.ecosystem, item.replaces or item.package)
            listed.setdefault((item.service, item.ecosystem), {})[name] = item
    return listed


def _library(wrapper: Found, listed: Listed) -> Found | None:
    """Return the library inside a wrapper that is listed itself, also in a version that names no release."""
    package = known(wrapper.ecosystem, wrapper.package)
    beside = listed.get((wrapper.service, wrapper.ecosystem), {})
    inside = package.inside if package is not None else ()
    return next((beside[name] for name in inside if name in beside), None)


def _broken(item: Found, listed: Listed) -> str:
    beside = listed.get((item.service, item.ecosystem), {})
    for conflict in package_table().conflicts:
        if conflict.ecosystem == item.ecosystem and normal(item.ecosystem, item.package) in conflict.names:
            return conflict.why if conflict.names <= beside.keys() else ""
    return ""
