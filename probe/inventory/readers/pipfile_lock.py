"""Pipfile.lock of pipenv: JSON with a table of packages per category, `default` and `develop` among them."""

from __future__ import annotations

import json
from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import mentions
from probe.inventory.readers.pipfile import clients
from probe.inventory.shapes import table

META = "_meta"


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are locked; those that only development needs are skipped."""
    whole = document.text()
    categories = table(json.loads(whole)) if mentions(whole, "pypi") else {}
    for category, packages in categories.items():
        if category != META:
            yield from clients(category, table(packages), document)
