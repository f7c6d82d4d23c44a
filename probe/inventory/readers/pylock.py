"""pylock.toml (PEP 751), as `pip lock`, `uv export` and `pdm lock` write it.

A package may stand in it several times, with markers of which only one holds on a machine: each is a client.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.dependency_groups import development_groups, marked_groups
from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of, concerns, mentions, only_for_development
from probe.inventory.readers.python_lock import LIMIT, line_of
from probe.inventory.shapes import table, tables, text

ELSEWHERE: Mapping[str, Origin] = {"vcs": Origin.COMMIT, "directory": Origin.FOLDER, "archive": Origin.ADDRESS}
"""Sources other than an index of packages, by their key; an archive has an address or a path."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked; those of groups of development alone are skipped."""
    whole = document.text(LIMIT)
    for one in tables(tomllib.loads(whole).get("packages")) if mentions(whole, "pypi") else ():
        name, version, marker = text(one.get("name")), text(one.get("version")), text(one.get("marker"))
        if not concerns("pypi", name):
            continue
        item = client_of(
            "pypi",
            name,
            version,
            place=document.at(line_of(whole, name, version)),
            unknown=_elsewhere(one, version),
            note=f"only if {marker}" if marker else "",
        )
        if (groups := development_groups(marked_groups(marker))) and item is not None:
            item = only_for_development(item, groups)
        if item is not None:
            yield item


def _elsewhere(one: Mapping[str, Any], version: str) -> str:
    key = next((key for key in ELSEWHERE if key in one), "")
    if not key:
        return ""
    source = table(one.get(key))
    origin = Origin.FILE if key == "archive" and "path" in source else ELSEWHERE[key]
    return came_from(origin, says=version, commit=text(source.get("commit-id")))
