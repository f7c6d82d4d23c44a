"""How formats are recognised by the beginning of a file. Pure, and without any library, since every file is tried."""

from __future__ import annotations

import re
from collections.abc import Iterator

from probe.inventory.columns import column_names, delimiter_of
from probe.inventory.document import Head

GO_MODULE = re.compile(r"^module\s+\S+\s*(//.*)?$", re.MULTILINE)
LISTED = re.compile(r"^(- )?[A-Za-z][\w.-]*@\S+$")
FLEET_KEY = re.compile(r'"(client|family|library|software|clientSoftwareName|client_software_name)"\s*:', re.IGNORECASE)
TOML_SERVICE = re.compile(r"^\s*(\[\[?\s*service\s*\]\]?|service\s*=)", re.MULTILINE)


def content(head: Head, comments: tuple[str, ...] = ("#",)) -> Iterator[str]:
    """Yield the lines that are neither empty nor comments, without white space at both ends."""
    for line in head.text.splitlines():
        if (plain := line.strip()) and not plain.startswith(comments):
            yield plain


def go_mod(head: Head) -> bool:
    """Return whether the first statement names a module, as the go command writes it."""
    first = next(content(head, ("//",)), "")
    return GO_MODULE.fullmatch(first) is not None and "{" not in first


def fleet_toml(head: Head) -> bool:
    """Return whether there are tables `service`."""
    return head.file.endswith(".toml") and TOML_SERVICE.search(head.text) is not None


def fleet_json(head: Head) -> bool:
    """Return whether it is JSON with the keys of a fleet, or a list of texts `CLIENT@VERSION`."""
    start = head.text.lstrip()
    return start[:1] in {"[", "{"} and (
        FLEET_KEY.search(start) is not None or re.match(r'\[\s*"[\w.-]+@', start) is not None
    )


def sheet(head: Head) -> bool:
    """Return whether the first line is a header with a column of clients."""
    first = next(content(head), "")
    return "client" in column_names(first, delimiter_of(first))


def plain_list(head: Head) -> bool:
    """Return whether the first line is `CLIENT@VERSION`."""
    return LISTED.match(next(content(head), "")) is not None
