"""A fleet as JSON: a list, one object, or one object per line, with the keys of a sheet's columns."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from probe.inventory.document import Document
from probe.inventory.entries import Found
from probe.inventory.rows import found_in, numbered


def read(document: Document) -> Iterator[Found]:
    """Yield the client of each entry."""
    yield from found_in(numbered("entry", _entries(document.text())), document)


def _entries(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        return list(json.loads(text))
    try:
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    except json.JSONDecodeError:
        return [json.loads(text)]  # one object over several lines; an error concerns the whole text
