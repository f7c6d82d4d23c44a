"""A fleet as TOML: tables `[[service]]` with the keys of a sheet's columns."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, InventoryError
from probe.inventory.readers.python_lock import LIMIT
from probe.inventory.rows import found_in, kind, numbered


def read(document: Document) -> Iterator[Found]:
    """Yield the client of each table `service`."""
    found = tomllib.loads(document.text(LIMIT)).get("service", [])
    if not isinstance(found, list):
        raise InventoryError(f"`service` is {kind(found)}; begin each service with [[service]]")
    yield from found_in(numbered("[[service]]", found), document)
