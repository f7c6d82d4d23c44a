"""mix.lock of Elixir (https://hexdocs.pm/mix/Mix.Tasks.Deps.html): a map from a package to where its source is from."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.package_origins import Origin, came_from
from probe.inventory.packages import client_of

ENTRY = re.compile(
    r'\s*"(?P<name>[\w.-]{1,200})": \{:(?P<kind>hex|git|path), :?"?(?P<what>[^,"]{1,300})"?'
    r'(?:, "(?P<version>[^"]{1,100})")?'
)


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked."""
    for number, line in document.lines():
        found = ENTRY.match(line[:1_000])
        if found is None:
            continue
        version, why = found["version"] or "", ""
        if found["kind"] != "hex":
            commit = found["kind"] == "git"
            why = came_from(Origin.COMMIT if commit else Origin.FOLDER, commit=version if commit else "")
        item = client_of("hex", found["name"], version, place=document.at(number), unknown=why)
        if item is not None:
            yield item
