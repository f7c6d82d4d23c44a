"""libs.versions.toml, Gradle's version catalogue (https://docs.gradle.org/current/userguide/version_catalogs.html)."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import client_of, concerns
from probe.inventory.shapes import table, text

LIMIT = MIB
NO_VERSION = "the catalogue names no version; a bill of materials decides it"
RICH = ("strictly", "require", "prefer")
"""Keys of a rich version, the strongest first."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients of the catalogue; which build files use them it does not say."""
    whole = document.text(LIMIT)
    catalogue = tomllib.loads(whole)
    versions = table(catalogue.get("versions"))
    for alias, entry in table(catalogue.get("libraries")).items():
        name, version = _library(entry, versions)
        if not concerns("maven", name):
            continue
        at = whole.find(f"\n{alias} ")
        place = document.at(whole.count("\n", 0, at) + 2) if at >= 0 else document.at(f"library {alias}")
        item = client_of("maven", name, version, place=place, unknown="" if version else NO_VERSION)
        if item is not None:
            yield item


def _library(entry: Any, versions: Mapping[str, Any]) -> tuple[str, str]:
    """Return group and name, and the version; empty where the entry has none."""
    if isinstance(entry, str):
        group, _, rest = entry.partition(":")
        name, _, version = rest.partition(":")
        return f"{group}:{name}", version
    values = table(entry)
    name = text(values.get("module")) or f"{text(values.get('group'))}:{text(values.get('name'))}"
    named = values.get("version")
    reference = text(table(named).get("ref"))
    return name, _version(versions.get(reference) if reference else named)


def _version(value: Any) -> str:
    return text(value) or next((found for key in RICH if (found := text(table(value).get(key)))), "")
