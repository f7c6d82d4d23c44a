"""The one table of formats: name, how one is recognised by its content, and its reader."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TypeAlias

from probe.inventory import recognise
from probe.inventory.document import Document, Head
from probe.inventory.found import Found, Skipped

Reader: TypeAlias = Callable[[Document], Iterable[Found | Skipped]]
"""Reads a document. InventoryError, ValueError and RecursionError mean that it cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A kind of inventory."""

    title: str
    """What a file of it is called in reports."""
    recognises: Callable[[Head], bool]
    """Decides by content first, and by the name only where the content cannot tell."""
    reader: str
    """Module of `probe.inventory.readers`; its function `read` is a `Reader`. Imported when a file is met."""
    walked: Sequence[str] = ("*",)
    """Names of files that a walk of a folder tries it for. A file that the user names may have any name."""

    def read(self, document: Document) -> Iterable[Found | Skipped]:
        """Return what the reader finds in a document."""
        reader: Reader = importlib.import_module(f"probe.inventory.readers.{self.reader}").read
        return reader(document)


SHEETS = ("*.csv", "*.tsv", "*.psv")
FORMATS: tuple[Format, ...] = (
    Format(title="go.mod", recognises=recognise.go_mod, reader="go_mod", walked=("go.mod", "*.mod")),
    Format(title="fleet in TOML", recognises=recognise.fleet_toml, reader="fleet_toml", walked=("*.toml",)),
    Format(title="fleet in JSON", recognises=recognise.fleet_json, reader="fleet_json", walked=("*.json", "*.jsonl")),
    Format(title="sheet", recognises=recognise.sheet, reader="sheet", walked=SHEETS),
    Format(title="list of clients", recognises=recognise.plain_list, reader="plain_list", walked=()),
)
"""In the order in which they are tried: what the content shows beyond doubt first."""


def recognised(head: Head, *, walked: bool) -> Format | None:
    """Return the format of a file; None if no format is known for it."""
    fits = (item for item in FORMATS if not walked or any(fnmatchcase(head.file, name) for name in item.walked))
    return next((item for item in fits if item.recognises(head)), None)
