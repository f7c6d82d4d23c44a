"""A bill of materials in CycloneDX JSON (https://cyclonedx.org/docs/1.6/json/). Package URLs name the packages."""

from __future__ import annotations

import json
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.purls import can_name_one, client_of_component
from probe.inventory.shapes import table, tables, text


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients among the components, also those inside others. An alias of npm is in the name only."""
    whole = document.text()
    data = table(json.loads(whole)) if can_name_one(whole) else {}
    service = text(table(table(data.get("metadata")).get("component")).get("name"))
    waiting = list(reversed(tables(data.get("components"))))
    while waiting:
        component = waiting.pop()
        waiting += reversed(tables(component.get("components")))
        name = text(component.get("name"))
        item = client_of_component(
            text(component.get("purl")),
            ":".join(filter(None, (text(component.get("group")), name))),
            text(component.get("version")),
            place=document.at(f"component {name}"),
            service=service,
        )
        if item is not None:
            yield item
