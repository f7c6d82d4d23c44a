"""package-lock.json and npm-shrinkwrap.json, lockfileVersion 1 to 3. An alias hides a package's name in its key."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, Place, Skipped
from probe.inventory.package_origins import came_from, origin_of, origin_of_archive
from probe.inventory.packages import client_of, mentions, only_for_development
from probe.inventory.shapes import table, text

FOLDER = "node_modules/"
Entry = tuple[str, str, Mapping[str, Any]]
"""Place, name and values of a package."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked; those that only development needs are skipped."""
    whole = document.text()
    data = table(json.loads(whole)) if mentions(whole, "npm") else {}
    for place, name, values in _packages(data) if "packages" in data else _dependencies(data):
        item = _client(name, values, document.at(place), text(data.get("name")))
        if item is not None:
            yield item


def _packages(data: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the packages of lockfileVersion 2 and 3, by their folders; links lead to folders of the project."""
    for key, value in table(data.get("packages")).items():
        values = table(value)
        if FOLDER in key and not values.get("link"):
            yield key, text(values.get("name")) or key.rpartition(FOLDER)[2], values


def _dependencies(data: Mapping[str, Any]) -> Iterator[Entry]:
    """Yield the packages of lockfileVersion 1, which lie inside each other; an alias is `npm:NAME@VERSION`."""
    waiting = [("", table(data.get("dependencies")))]
    while waiting:
        above, dependencies = waiting.pop()
        for key, value in dependencies.items():
            values, place = table(value), f"{above}{FOLDER}{key}"
            waiting.append((f"{place}/", table(values.get("dependencies"))))
            name, _, version = text(values.get("version")).removeprefix("npm:").rpartition("@")
            aliased = text(values.get("version")).startswith("npm:")
            yield place, name if aliased else key, {**values, "version": version} if aliased else values


def _client(name: str, values: Mapping[str, Any], place: Place, service: str) -> Found | Skipped | None:
    version = text(values.get("version"))
    origin = origin_of(version) or origin_of_archive(text(values.get("resolved")))
    why = came_from(origin) if origin else ""
    item = client_of("npm", name, "" if origin_of(version) else version, place=place, service=service, unknown=why)
    return only_for_development(item, "dev") if item is not None and values.get("dev") is True else item
