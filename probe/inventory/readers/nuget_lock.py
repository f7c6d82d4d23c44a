"""packages.lock.json of NuGet: a table of packages per target framework.

https://learn.microsoft.com/nuget/consume-packages/package-references-in-project-files#locking-dependencies
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import client_of, concerns, mentions
from probe.inventory.shapes import table, text

WRAPPER, LIBRARY = "Confluent.Kafka", "librdkafka.redist"


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked, for each framework.

    librdkafka.redist comes with Confluent.Kafka. A project that asks for it itself decides which one is built in.
    """
    whole = document.text()
    frameworks = table(table(json.loads(whole)).get("dependencies")) if mentions(whole, "nuget") else {}
    for framework, packages in frameworks.items():
        listed = {name: table(values) for name, values in table(packages).items() if concerns("nuget", name)}
        for name, values in listed.items():
            if text(values.get("type")) == "Project":
                continue
            yield from _clients(name, values, listed, document, framework)


def _clients(
    name: str, values: Mapping[str, Any], listed: Mapping[str, Mapping[str, Any]], document: Document, framework: str
) -> Iterator[Found | Skipped]:
    version = text(values.get("resolved"))
    own = text(table(listed.get(LIBRARY)).get("type")) == "Direct"
    if name == LIBRARY and WRAPPER in listed and not own:
        return
    if name == WRAPPER and own:
        yield Skipped(f"{name} {version}", f"the project asks for {LIBRARY} itself, which is listed")
        return
    item = client_of("nuget", name, version, place=document.at(f"{framework} {name}"))
    if item is not None:
        yield item
