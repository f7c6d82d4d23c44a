"""Output of `mvn dependency:list`: `group:artifact:type[:classifier]:version:scope`, with or without `[INFO]`."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.found import Found, Skipped
from probe.inventory.packages import client_of

LONGEST = 1_000
"""Characters of a line that are read."""
MODULE = re.compile(r"--- \S+:list .*@ (\S+) ---")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
ARTIFACT = re.compile(
    r"(?:\[INFO\])?\s+([\w.-]+):([\w.-]+):[\w.-]+:(?:[\w.-]+:)?([\w.-]+):([a-z]+)(?: -- .*| \(.*)?\s*"
)


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients of each module that is listed."""
    module = ""
    for number, line in document.lines():
        plain = COLOUR.sub("", line[:LONGEST])
        if begins := MODULE.search(plain):
            module = begins[1]
        found = ARTIFACT.fullmatch(plain)
        item = found and client_of(
            "maven", f"{found[1]}:{found[2]}", found[3], place=document.at(number), service=module
        )
        if found and isinstance(item, Found) and found[4] == "test":
            item = Skipped(f"{item.package} {item.version}", "only for tests (scope test)")
        if item:
            yield item
