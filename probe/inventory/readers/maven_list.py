"""Output of `mvn dependency:list`: `group:artifact:type[:classifier]:version:scope`, with or without `[INFO]`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Place, Skipped
from probe.inventory.packages import client_of

LONGEST = 1_000
"""Characters of a line that are read."""
MODULE = re.compile(r"--- \S+:list .*@ (\S+) ---")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
COORDINATES = r"([\w.-]+):([\w.-]+):[\w.-]+:(?:[\w.-]+:)?([\w.-]+):([a-z]+)"
"""Group, artifact, version and scope."""
ARTIFACT = re.compile(rf"(?:\[INFO\])?\s+{COORDINATES}(?: -- .*| \(.*)?\s*")


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients of each module that is listed."""
    return clients_in(document, MODULE.search, ARTIFACT)


def clients_in(
    document: Document, begins: Callable[[str], re.Match[str] | None], artifact: re.Pattern[str]
) -> Iterator[Found | Skipped]:
    """Yield the clients among a printed list's artifacts; `begins` finds the name of the module that follows."""
    module = ""
    for number, line in document.lines():
        plain = COLOUR.sub("", line[:LONGEST])
        if named := begins(plain):
            module = named[1]
        found = artifact.fullmatch(plain)
        item = found and _client(found, document.at(number), module)
        if item:
            yield item


def _client(found: re.Match[str], place: Place, module: str) -> Found | Skipped | None:
    """Return the client of coordinates; one that only tests need is skipped."""
    item = client_of("maven", f"{found[1]}:{found[2]}", found[3], place=place, service=module)
    if isinstance(item, Found) and found[4] == "test":
        return Skipped(f"{item.package} {item.version}".strip(), "only for tests (scope test)")
    return item
