"""A kind of inventory: how a file of it is recognised, and which reader reads it."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from probe.inventory.document import Document, Head
from probe.inventory.entries import Found, Skipped

Reader: TypeAlias = Callable[[Document], Iterable[Found | Skipped]]
"""Reads a document. InventoryError, ValueError and RecursionError mean that it cannot be read."""


def always(_: Head) -> bool:
    """Return that a walk needs no more."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A kind of inventory."""

    title: str
    """The name of such a file in reports."""
    recognises: Callable[[Head], bool]
    """Decides by content first, and by the name only where the content cannot tell."""
    reader: str
    """Module of `probe.inventory.readers`; its function `read` is a `Reader`. Imported when a file is met."""
    walked: Sequence[str] = ("*",)
    """Names of files that a walk of a folder tries it for. A file that the user names may have any name."""
    walked_if: Callable[[Head], bool] = always
    """Decides besides whether a walk reads it: what a user names is more certainly meant."""
    environment: bool = False
    """Whether there is a file per package, so that the files of one service in a walked folder are seen together."""
    project: bool = False
    """Whether a file is about one program or service: its folder names it where nothing else does, and a package that
    it lists several times is one client."""

    quiet: bool = False
    """Whether most files of it hold no client, so that a walk says so of all together."""

    def read(self, document: Document) -> Iterable[Found | Skipped]:
        """Return what the reader finds in a document."""
        reader: Reader = importlib.import_module(f"probe.inventory.readers.{self.reader}").read
        return reader(document)
