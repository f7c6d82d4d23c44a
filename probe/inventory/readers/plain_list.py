"""A list with one CLIENT@VERSION per line, with or without `- ` before it."""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found
from probe.inventory.rows import found_in


def read(document: Document) -> Iterator[Found]:
    """Yield the client of each line."""
    rows = (
        (number, {"client": line.strip().removeprefix("- ")})
        for number, line in enumerate(document.text().splitlines(), 1)
        if line.strip()[:1] not in {"", "#"}
    )
    yield from found_in(rows, document)
