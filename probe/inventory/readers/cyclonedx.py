"""A bill of materials in CycloneDX JSON (https://cyclonedx.org/docs/1.6/json/). Package URLs name the packages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import Document
from probe.inventory.elsewhere import Origin, came_from
from probe.inventory.found import Found, Skipped
from probe.inventory.packages import client_of, ecosystem_of, mentions
from probe.inventory.shapes import table, tables, text
from probe.inventory.versions import with_v

JOINED = {"maven": ":", "golang": "/", "npm": "/", "composer": "/"}
"""How a namespace and a name are joined; in other ecosystems a namespace is no part of the name."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients among the components, also those inside others. An alias of npm is in the name only."""
    whole = document.text()
    data = table(json.loads(whole)) if _can_name_one(whole) else {}
    service = text(table(table(data.get("metadata")).get("component")).get("name"))
    waiting = list(reversed(tables(data.get("components"))))
    while waiting:
        component = waiting.pop()
        waiting += reversed(tables(component.get("components")))
        item = _client(component, document, service)
        if item is not None:
            yield item


def _can_name_one(whole: str) -> bool:
    return any(mentions(whole, ecosystem) for ecosystem in ("golang", "deb", "npm"))


def _client(component: Mapping[str, Any], document: Document, service: str) -> Found | Skipped | None:
    address, version = text(component.get("purl")), text(component.get("version"))
    place = document.at(f"component {text(component.get('name'))}")
    if not mentions(address or text(component.get("name")), "golang"):
        return None
    if not address:
        name = ":".join(filter(None, (text(component.get("group")), text(component.get("name")))))
        ecosystem = ecosystem_of(name)
        return client_of(ecosystem, name, with_v(ecosystem, version), place=place, service=service)
    from packageurl import PackageURL  # noqa: PLC0415  # of this format alone

    try:
        purl = PackageURL.from_string(address)
    except ValueError:
        return Skipped(str(place), "its purl is no package URL")
    commit = isinstance(purl.qualifiers, dict) and "vcs_url" in purl.qualifiers
    return client_of(
        purl.type,
        _name(purl.type, purl.namespace, purl.name, purl.subpath),
        with_v(purl.type, purl.version or version),
        place=place,
        service=service,
        unknown=came_from(Origin.COMMIT, says=purl.version or version) if commit else "",
    )


def _name(kind: str, namespace: str | None, name: str, subpath: str | None) -> str:
    whole = f"{namespace}{JOINED[kind]}{name}" if namespace and kind in JOINED else name
    return f"{whole}/{subpath}" if subpath and kind == "golang" else whole
