"""Lock files of Poetry, uv and PDM.

A package from a repository has the version of the release before it, without a mark. Poetry (since 2.0) and PDM name
the groups of each package, Poetry before 1.5 its category; uv those of what a project itself asks for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from probe.inventory.dependency_groups import development_groups
from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of, concerns, mentions, only_for_development
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
"""Sources other than an index of packages, by Poetry's `type`, and the key of uv and PDM."""
ARCHIVES = (".whl", ".gz", ".zip", ".bz2")
"""Ends of paths that are no folders; PDM writes both as `path`."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked; those of groups of development alone are skipped."""
    whole = document.text(LIMIT)
    packages = tables(tomllib.loads(whole).get("package")) if mentions(whole, "pypi") else ()
    service = next((text(one.get("name")) for one in packages if _is_root(table(one.get("source")))), "")
    asked = _asked_by_groups(packages)
    for one in packages:
        name, version = text(one.get("name")), text(one.get("version"))
        if not concerns("pypi", name) or _is_root(table(one.get("source"))):
            continue
        place = document.at(line_of(whole, name, version))
        why = _elsewhere(table(one.get("source")) or one, version)
        item = client_of("pypi", name, version, place=place, service=service, unknown=why)
        groups = development_groups(_groups(one) or asked.get(name, ()))
        if item is not None:
            yield only_for_development(item, groups) if groups else item


def _is_root(source: Mapping[str, Any]) -> bool:
    return "." in {source.get("virtual"), source.get("editable")}


def _groups(one: Mapping[str, Any]) -> Sequence[str]:
    """Return the groups that a package states, as Poetry and PDM write them; none if it states none."""
    groups = one.get("groups", one.get("category"))
    return [text(group) for group in groups] if isinstance(groups, list) else [groups] if text(groups) else []


def _asked_by_groups(packages: Sequence[Mapping[str, Any]]) -> Mapping[str, Collection[str]]:
    """Return the groups of what projects of uv ask for in groups alone, by name."""
    asked: dict[str, set[str]] = {}
    for one in packages:
        for group, wanted in table(one.get("dev-dependencies")).items():
            for name in _names(wanted):
                asked.setdefault(name, set()).add(group)
    optional = [part for one in packages for part in table(one.get("optional-dependencies")).values()]
    for part in [*(one.get("dependencies") for one in packages), *optional]:
        for name in _names(part):
            asked.pop(name, None)
    return asked


def _names(wanted: Any) -> Iterator[str]:
    return (text(one.get("name")) for one in tables(wanted))


def _elsewhere(source: Mapping[str, Any], version: str) -> str:
    kind = text(source.get("type")) or next((key for key in ELSEWHERE if key in source), "")
    if kind not in ELSEWHERE:
        return ""
    stated = text(source.get("resolved_reference")) or text(source.get("revision"))
    commit = stated or text(source.get("git")).rpartition("#")[2]
    is_folder = kind == "path" and not text(source.get("path")).endswith(ARCHIVES)
    return came_from(Origin.FOLDER if is_folder else ELSEWHERE[kind], says=version, commit=commit)


def line_of(whole: str, name: str, version: str) -> int:
    """Return the line of a package's name, as poetry, uv and cargo write it; TOML's reader keeps no lines."""
    named = f'\nname = "{name}"\n'
    at = whole.find(f'{named}version = "{version}"\n')
    return whole.count("\n", 0, max(0, at if at >= 0 else whole.find(named))) + 2
