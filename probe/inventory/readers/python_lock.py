"""poetry.lock and uv.lock. A package from a repository has the version of the release before it, without a mark."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of, concerns, mentions
from probe.inventory.shapes import table, tables, text

LIMIT = 8 * MIB
"""Bytes of the largest file: TOML takes about a second for three of them."""
ELSEWHERE: Mapping[str, Origin] = {
    "git": Origin.COMMIT,
    "directory": Origin.FOLDER,
    "path": Origin.FILE,
    "file": Origin.FILE,
    "url": Origin.ADDRESS,
    "editable": Origin.FOLDER,
    "virtual": Origin.FOLDER,
}
"""Sources other than an index of packages, by poetry's `type` and uv's key."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked."""
    whole = document.text(LIMIT)
    packages = tables(tomllib.loads(whole).get("package")) if mentions(whole, "pypi") else ()
    service = next((text(one.get("name")) for one in packages if _is_root(table(one.get("source")))), "")
    for one in packages:
        name, version = text(one.get("name")), text(one.get("version"))
        if not concerns("pypi", name) or _is_root(table(one.get("source"))):
            continue
        place = document.at(line_of(whole, name, version))
        why = _elsewhere(table(one.get("source")), version)
        item = client_of("pypi", name, version, place=place, service=service, unknown=why)
        if item is not None:
            yield item


def _is_root(source: Mapping[str, Any]) -> bool:
    return "." in {source.get("virtual"), source.get("editable")}


def _elsewhere(source: Mapping[str, Any], version: str) -> str:
    kind = text(source.get("type")) or next((key for key in ELSEWHERE if key in source), "")
    if kind not in ELSEWHERE:
        return ""
    commit = text(source.get("resolved_reference")) or text(source.get("git")).rpartition("#")[2]
    return came_from(ELSEWHERE[kind], says=version, commit=commit)


def line_of(whole: str, name: str, version: str) -> int:
    """Return the line of a package's name, as poetry, uv and cargo write it; TOML's reader keeps no lines."""
    named = f'\nname = "{name}"\n'
    at = whole.find(f'{named}version = "{version}"\n')
    return whole.count("\n", 0, max(0, at if at >= 0 else whole.find(named))) + 2
