"""A program of Go: the modules that the linker listed in it. Nothing of it is run."""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.programs import LARGEST, go_modules
from probe.inventory.readers.go_version import clients


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield the clients in a program; none if it is no program of Go, or is packed."""
    modules = go_modules(document.seekable(LARGEST))
    if modules:
        yield from clients((document.at(), line) for line in (f"{document.head.file}: go1", *modules.splitlines()))
