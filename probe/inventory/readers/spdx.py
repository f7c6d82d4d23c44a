"""A bill of materials in SPDX 2, as JSON (https://spdx.github.io/spdx-spec/v2.3/). Package URLs name the packages.

GitHub's API wraps it into `{"sbom": ...}`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from probe.inventory.document import Document, Spot
from probe.inventory.entries import Found, Skipped
from probe.inventory.purls import can_name_one, client_of_component
from probe.inventory.shapes import table, tables, text

PURL = "purl"
DOCUMENT = "SPDXRef-DOCUMENT"
DESCRIBES = "DESCRIBES"
DEPENDENCY = "_DEPENDENCY_OF"
SPARE = {"DEV_DEPENDENCY_OF": "only for development", "TEST_DEPENDENCY_OF": "only for tests"}
"""Relationships of packages that no service needs when it runs."""


@dataclass(slots=True)
class Package:
    """A package of either form."""

    spot: Spot
    id: str = ""
    name: str = ""
    version: str = ""
    purl: str = ""


@dataclass(slots=True)
class Relations:
    """Relationships of packages, by their ids."""

    described: list[str] = field(default_factory=list)
    """The subject of the document."""
    uses: dict[str, set[str]] = field(default_factory=dict)
    """The kinds of dependencies that a package is."""

    def add(self, element: str, kind: str, related: str) -> None:
        """Add one relationship."""
        if kind == DESCRIBES and element == DOCUMENT:
            self.described.append(related)
        elif kind == "DEPENDS_ON":
            self.uses.setdefault(related, set()).add(kind)
        elif kind.endswith(DEPENDENCY) or kind == "DEPENDENCY_OF":
            self.uses.setdefault(element, set()).add(kind)

    def spare(self, package: str) -> str:
        """Return why a package is not needed where the service runs; empty if it is, or nothing says so."""
        kinds = self.uses.get(package, set())
        return next((f"{SPARE[kind]} ({kind})" for kind in sorted(kinds)), "") if kinds.issubset(SPARE) else ""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients among the packages."""
    whole = document.text()
    data = table(json.loads(whole)) if can_name_one(whole) else {}
    data = table(data.get("sbom")) or data
    described = data.get("documentDescribes")
    relations = Relations(described=[text(one) for one in described] if isinstance(described, list) else [])
    for one in tables(data.get("relationships")):
        relations.add(*(text(one.get(key)) for key in ("spdxElementId", "relationshipType", "relatedSpdxElement")))
    yield from clients([_package(one) for one in tables(data.get("packages"))], relations, document)


def _package(values: Mapping[str, Any]) -> Package:
    references = tables(values.get("externalRefs"))
    purls = (text(one.get("referenceLocator")) for one in references if one.get("referenceType") == PURL)
    name = text(values.get("name"))
    return Package(
        f"package {name}", text(values.get("SPDXID")), name, text(values.get("versionInfo")), next(purls, "")
    )


def clients(packages: Iterable[Package], relations: Relations, document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients among packages; what only development or tests need is skipped."""
    every = list(packages)
    service = next((one.name for one in every if one.id in relations.described), "")
    for one in every:
        item = client_of_component(one.purl, one.name, one.version, place=document.at(one.spot), service=service)
        if isinstance(item, Found) and (why := relations.spare(one.id)):
            item = Skipped(f"{item.package} {item.version}".strip(), why)
        if item is not None:
            yield item
