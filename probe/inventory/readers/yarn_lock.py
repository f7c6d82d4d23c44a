"""yarn.lock of Yarn 1, and that of Yarn 2 and later, which is YAML. Both are read by lines.

An entry begins with what was asked for, `NAME@RANGE` once or several times; an alias is `ALIAS@npm:NAME@RANGE`. Since
Yarn 2 `resolution` names the package. Neither says which packages only development needs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.package_origins import Origin, came_from, commit_in, npm_reference, origin_of, origin_of_archive
from probe.inventory.packages import client_of, concerns, mentions

FIELD = re.compile(r'  (version|resolved|resolution):? +"?([^"]*)"?\s*')
ROOT = re.compile(r'^"(@?[^@"\n]+)@workspace:\."', re.MULTILINE)
"""The project itself, since Yarn 2."""
REGISTRY = "npm:"
WORKSPACE = "workspace:"


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry: its line, what was asked for, and its fields."""

    line: int
    asked: str
    fields: dict[str, str] = field(default_factory=dict)


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked. InventoryError for a line that no yarn.lock has."""
    whole = document.text()
    root = ROOT.search(whole)
    for entry in _entries(whole) if mentions(whole, "npm") else ():
        names = _names(entry)
        name, where = names[0]
        if not concerns("npm", name) or where.startswith(WORKSPACE):
            continue
        resolved, version = entry.fields.get("resolved", ""), entry.fields.get("version", "")
        origin = _origin([where for _, where in names], resolved)
        commit = commit_in(resolved if resolved.startswith("git") else where)
        item = client_of(
            "npm",
            name,
            version,
            place=document.at(entry.line),
            service=root[1] if root else "",
            unknown=came_from(origin, says=version, commit=commit) if origin else "",
        )
        if item is not None:
            yield item


def _entries(whole: str) -> Iterator[Entry]:
    entry = None
    for number, line in enumerate(whole.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        if not line.startswith(" "):
            if entry is not None:
                yield entry
            if not line.endswith(":"):
                raise InventoryError(f"line {number}: no entry of a yarn.lock begins like this; correct the file")
            entry = Entry(number, line[:-1].replace('"', ""))
        elif entry is not None and (found := FIELD.fullmatch(line)):
            entry.fields.setdefault(found[1], found[2])
    if entry is not None:
        yield entry


def _names(entry: Entry) -> list[tuple[str, str]]:
    """Return the package's name and what stands in place of its version: once since Yarn 2, else as often as asked."""
    resolution = entry.fields.get("resolution", "")
    return [_name(text) for text in ([resolution] if resolution else entry.asked.split(", "))]


def _name(text: str) -> tuple[str, str]:
    """Return name and version or range; those behind the alias, if it is one."""
    name, asked = npm_reference(text)
    where = asked.removeprefix(REGISTRY).partition("::")[0]  # behind it: where a registry serves the archive
    real = npm_reference(where) if asked.startswith(REGISTRY) else ("", "")
    return real if real[1] else (name, where)


def _origin(wheres: list[str], resolved: str) -> Origin | None:
    return next(filter(None, (*map(origin_of, wheres), origin_of_archive(resolved))), None)
