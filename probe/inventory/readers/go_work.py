"""go.work (https://go.dev/ref/mod#workspaces): modules that are built together, and what is replaced in all of them.

Versions stand in the go.mod of each module, which is read where it lies, with the replacements of its workspace.
"""

from __future__ import annotations

from collections.abc import Iterator

from probe.inventory.document import Document
from probe.inventory.entries import Found, Skipped
from probe.inventory.readers.go_mod import client, parse
from probe.inventory.text import one_line

READ_THERE = "its go.mod is read where it lies"
NOT_BESIDE = "its go.mod is not read; name the folder of the workspace"


def read(document: Document) -> Iterator[Found | Skipped]:
    """Yield each module that is used, as skipped; and if none of them can be read, the clients that replace others."""
    work, reads = parse(document.text()), False
    for path, _ in work.uses:
        with document.beside(f"{path}/go.mod") as module:
            yield Skipped(one_line(path), NOT_BESIDE if module is None else READ_THERE)
            reads = reads or module is not None
    for (path, version), new in work.replaced.items() if not reads else ():
        item = client(path, version, new, place=document.at(new.line), service="")
        if item is not None:
            yield item
