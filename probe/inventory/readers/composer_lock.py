"""composer.lock of PHP (https://getcomposer.org/doc/01-basic-usage.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of, concerns, mentions, only_for_development
from probe.inventory.shapes import table, tables, text


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked, and PHP's extension where the project needs it; no client of development."""
    whole = document.text()
    values = table(json.loads(whole)) if mentions(whole, "composer") else {}
    for section in ("packages", "packages-dev"):
        for one in tables(values.get(section)):
            name, version = text(one.get("name")), text(one.get("version"))
            if not concerns("composer", name):
                continue
            why = (
                came_from(Origin.COMMIT, commit=text(table(one.get("source")).get("reference")))
                if "dev-" in version
                else ""
            )
            item = client_of("composer", name, version, place=document.at(f"package {name}"), unknown=why)
            if item is not None:
                yield only_for_development(item, section) if section == "packages-dev" else item
    for name in table(values.get("platform")):
        if concerns("composer", name):
            item = client_of("composer", name, "", place=document.at(f"platform {name}"))
            if item is not None:
                yield item
