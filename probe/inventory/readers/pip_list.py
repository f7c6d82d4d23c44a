"""Output of `pip list`, as columns or as JSON. It does not tell a release from a commit after it."""

from __future__ import annotations

import json
from collections.abc import Iterator

from probe.inventory.document import Document, Spot
from probe.inventory.entries import Found, Skipped
from probe.inventory.packages import client_of
from probe.inventory.shapes import tables, text


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients that are installed."""
    whole = document.text()
    rows = _json(whole) if whole.lstrip().startswith("[") else _columns(whole)
    for place, name, version in rows:
        item = client_of("pypi", name, version, place=document.at(place))
        if item is not None:
            yield item


def _json(whole: str) -> Iterator[tuple[Spot, str, str]]:
    for number, row in enumerate(tables(json.loads(whole)), 1):
        yield f"entry {number}", text(row.get("name")), text(row.get("version"))


def _columns(whole: str) -> Iterator[tuple[Spot, str, str]]:
    for number, line in enumerate(whole.splitlines(), 1):
        words = line.split()
        if len(words) > 1:
            yield number, words[0], words[1]
