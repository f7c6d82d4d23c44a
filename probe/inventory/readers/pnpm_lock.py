"""pnpm-lock.yaml (https://github.com/pnpm/spec/tree/master/lockfile), versions 5 to 9.

pnpm writes it in one regular form, so it is read by lines: quick, with their numbers, and without YAML's aliases. Until
version 6 a package says that only development needs it (`dev`). Since 9 this follows for what the project asks for
itself, unless another package asks for it, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, InventoryError, Skipped
from probe.inventory.package_origins import Origin, came_from, origin_of
from probe.inventory.packages import client_of, concerns, mentions, only_for_development

PACKAGE = re.compile(r"(?:[^/@]*/)?((?:@[^/@]+/)?[^/@]+)@([^(]+)(?:\(.*)?")
"""`kafkajs@2.2.4(peer@1.0.0)` since version 6, there with `/` before it, or with a registry, if not the default one."""
PACKAGE_5 = re.compile(r"[^/@]*/((?:@[^/]+/)?[^/]+)/(\d[^/_(]*)(?:[_(].*)?")
"""`/kafkajs/2.2.4_peer@1.0.0` in version 5."""
DEVELOPMENT = "devDependencies"
DEPENDENCIES = frozenset({"dependencies", "optionalDependencies", DEVELOPMENT})
FIELDS = frozenset({"name", "version", "dev"})
QUOTES = ("'", '"')
LIMIT = 16 * MIB

Keys = tuple[str, ...]
"""Keys from the outermost on."""
Package = tuple[str, str]
"""Name, and version or what stands in its place."""


@dataclass(slots=True)
class Lock:
    """Clients in the lines."""

    packages: dict[str, tuple[int, dict[str, str]]] = field(default_factory=dict)
    """Line and fields by key."""
    asked: dict[Package, set[str]] = field(default_factory=dict)
    """The kinds of dependencies by which the project itself asks for a package."""
    needed: set[Package] = field(default_factory=set)
    """Packages that others ask for."""
    patched: set[Package] = field(default_factory=set)
    """Packages that the project patches; without a version, in every version."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked. InventoryError for a line that no pnpm-lock.yaml has."""
    lock = Lock()
    whole = document.text(LIMIT)
    for number, keys, value in _values(whole) if mentions(whole, "npm") else ():
        _add(lock, number, keys, value)
    for key, (line, fields) in lock.packages.items():
        package = _package(key)
        name, where = package or (fields.get("name", ""), key)
        if not concerns("npm", name):
            continue
        is_patched = not lock.patched.isdisjoint({(name, where), (name, "")})
        origin = Origin.PATCHED if is_patched else origin_of(where)
        version = fields.get("version", "") if origin_of(where) else where
        why = came_from(origin, says=version) if origin else ""
        item = client_of("npm", name, version, place=document.at(line), unknown=why)
        if item is not None:
            yield only_for_development(item, "dev") if _is_spare(lock, package, fields) else item


def _add(lock: Lock, number: int, keys: Keys, value: str) -> None:
    """Keep what a line says, if it is about a package that may be a client."""
    match keys:
        case ("packages", key) if _may_be_client(key):
            lock.packages[key] = (number, {})
        case ("packages", key, name) if name in FIELDS and key in lock.packages:
            lock.packages[key][1][name] = value
        case ("patchedDependencies", key):
            lock.patched.add(_package(key) or (key, ""))
        case ("importers", _, kind, name, "version") if kind in DEPENDENCIES:
            if concerns("npm", (package := _reference(name, value))[0]):
                lock.asked.setdefault(package, set()).add(kind)
        case ("snapshots", _, kind, name) if kind in DEPENDENCIES:
            if concerns("npm", (package := _reference(name, value))[0]):
                lock.needed.add(package)
        case _:
            pass


def _may_be_client(key: str) -> bool:
    """Return whether a key names a client, or is an address, whose package stands among the fields."""
    package = _package(key)
    return package is None or concerns("npm", package[0])


def _values(whole: str) -> Iterator[tuple[int, Keys, str]]:
    """Yield every key with its line, those above it, and its plain value, empty if there is none."""
    keys: list[tuple[int, str]] = []
    for number, line in enumerate(whole.splitlines(), 1):
        plain = line.lstrip(" ")
        if not plain or plain.startswith(("#", "- ")) or line in {"---", "..."}:
            continue
        indent = len(line) - len(plain)
        key, value = _key(plain)
        if not indent and not key.isidentifier():
            raise InventoryError(f"line {number}: no part of a pnpm-lock.yaml begins like this; correct the file")
        if key:
            while keys and keys[-1][0] >= indent:
                keys.pop()
            keys.append((indent, key))
            yield number, tuple(key for _, key in keys), value


def _key(plain: str) -> Package:
    """Split a line into its key and its value; both empty if it has no key."""
    if plain.startswith(QUOTES):
        key, _, rest = plain[1:].partition(plain[0])
        colon, value = rest[:1] == ":", rest[1:]
    elif plain.endswith(":"):
        key, colon, value = plain[:-1], True, ""
    else:
        key, found, value = plain.partition(": ")
        colon = bool(found)
    return (key, value.strip().strip("".join(QUOTES))) if colon else ("", "")


def _package(key: str) -> Package | None:
    """Return name and version of a key; None if it is an address."""
    found = PACKAGE.fullmatch(key) or PACKAGE_5.fullmatch(key)
    return (found[1], found[2]) if found else None


def _reference(name: str, value: str) -> Package:
    """Return the package that a dependency means: its own name, or that behind an alias."""
    package = None if value[:1].isdecimal() else _package(value)
    return package or (name, value.partition("(")[0])


def _is_spare(lock: Lock, package: Package | None, fields: dict[str, str]) -> bool:
    if "dev" in fields:
        return fields["dev"] == "true"
    return package is not None and lock.asked.get(package) == {DEVELOPMENT} and package not in lock.needed
