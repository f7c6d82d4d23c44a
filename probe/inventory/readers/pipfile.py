"""Pipfile (https://github.com/pypa/pipfile): what is asked for. Pipfile.lock beside it says what is installed."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Place, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of, concerns, only_for_development
from probe.inventory.shapes import table, text

LIMIT = MIB
DEVELOPMENT = frozenset({"dev-packages", "develop"})
"""Names of the packages that only development needs, here and in Pipfile.lock."""
OTHER = frozenset({"source", "requires", "scripts", "pipenv", "pipfile", "build-system"})
"""Tables of a Pipfile that are no packages."""
REPOSITORIES = frozenset({"git", "hg", "svn", "bzr"})


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are asked for; none if Pipfile.lock lies beside it, since that is read."""
    with document.beside("Pipfile.lock") as lock:
        if lock is not None:
            yield Skipped("what it asks for", "Pipfile.lock beside it says what is installed")
            return
    for section, packages in tomllib.loads(document.text(LIMIT)).items():
        yield from clients(section, {} if section in OTHER else table(packages), document)


def clients(section: str, packages: Mapping[str, Any], document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients of a table of packages, also of Pipfile.lock; those of development are skipped."""
    for name, values in packages.items():
        if not concerns("pypi", name):
            continue
        item = _client(name, values, document.at(f"{section} {name}"))
        if item is not None:
            yield only_for_development(item, section) if section in DEVELOPMENT else item


def _client(name: str, values: Any, place: Place) -> Found | Skipped | None:
    """Return the client of a version as text, or of a table with one."""
    known = table(values)
    wanted = text(known.get("version") if known else values)
    origin = _origin(known)
    markers = text(known.get("markers"))
    return client_of(
        "pypi",
        name,
        wanted.removeprefix("==").removeprefix("=").strip(),
        place=place,
        unknown=came_from(origin, commit=text(known.get("ref"))) if origin else "",
        note=f"only if {markers}" if markers else "",
    )


def _origin(values: Mapping[str, Any]) -> Origin | None:
    if not REPOSITORIES.isdisjoint(values):
        return Origin.COMMIT
    if "path" in values:
        return Origin.FOLDER
    if "file" in values:
        return Origin.ADDRESS if "://" in text(values["file"]) else Origin.FILE
    return None
