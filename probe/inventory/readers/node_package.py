"""package.json of a package in `node_modules`, which has the package's real name also behind an alias."""

from __future__ import annotations

import json
from collections.abc import Iterator

from probe.inventory.document import MIB, Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import client_of, release
from probe.inventory.text import one_line

LIBRARY = "librdkafka"
"""Key under which wrappers of librdkafka name the version inside."""


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the client that the package is."""
    values = json.loads(document.text(MIB))
    if not isinstance(values, dict):
        return
    name, version = str(values.get("name", "")), str(values.get("version", ""))
    folder = document.place.rpartition("/node_modules/")[0]
    if isinstance(values.get(LIBRARY), str):
        number, why = release("", LIBRARY, values[LIBRARY])
        yield Found(
            service=one_line(folder),
            package=one_line(f"{name} {version}"),
            client=LIBRARY,
            version=one_line(number),
            unknown=one_line(why),
            place=document.at(),
            note="the librdkafka that its package.json names",
        )
        return
    item = client_of("npm", name, version, place=document.at(), service=folder)
    if item is not None:
        yield item
