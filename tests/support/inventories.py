"""Inventories from texts and from the files that real tools wrote (`tests/data/inventory`)."""

from __future__ import annotations

import io
from pathlib import Path

from probe.inventory.entries import FileContent, Found
from probe.inventory.inventory_reader import read_inventories, read_stream

SAMPLES = Path(__file__).parents[1] / "data" / "inventory"


def read(text: str | bytes, name: str = "-") -> FileContent:
    """Read a text as a file of this name."""
    data = text.encode() if isinstance(text, str) else text
    return read_stream(name, name, io.BytesIO(data), named=True)


def read_file(path: Path) -> FileContent:
    """Read one named file."""
    (reading,) = read_inventories([str(path)])
    return reading


def shown(reading: FileContent) -> list[tuple[str, str, str]]:
    """Return service, client and why it is not known of each client."""
    return [(item.service, item.shown, item.unknown) for item in reading.found]


def only(reading: FileContent) -> Found:
    """Return the one client of a file."""
    (found,) = reading.found
    return found
