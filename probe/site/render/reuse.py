"""Reuse of unchanged pages: they are linked from the existing site into the new folder."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from probe.site.render.folder_replacement import MARKER

PACKAGE = Path(__file__).parents[1]


class Reuse:
    """The keys of the pages of the last build, and those of this one.

    The keys are in the marker file of the site. Nothing is reused from a site without keys or of another version of
    this program.
    """

    def __init__(self, standing: Path, fresh: Path) -> None:
        """Read the keys of the existing site."""
        self._standing, self._fresh = standing, fresh
        self._old = _read(standing / MARKER)
        self._new: dict[str, str] = {}
        self._taken: set[str] = set()

    def take(self, name: str, key: str) -> bool:
        """Reuse a page if its key is unchanged; return whether it was reused."""
        old = self._old.get(name)
        if old != key or not _link(self._standing / name, self._fresh / name):
            return False
        self._new[name] = key
        self._taken.add(name)
        return True

    def taken(self, name: str) -> bool:
        """Return whether a page was reused."""
        return name in self._taken

    def link(self, name: str) -> bool:
        """Reuse a file in addition to a page; return whether it exists."""
        return _link(self._standing / name, self._fresh / name)

    def note(self, name: str, key: str) -> None:
        """Note the key of a rendered page."""
        self._new[name] = key

    def save(self) -> None:
        """Write the keys into the marker file of the new site."""
        text = json.dumps({"program": program(), "pages": self._new}, separators=(",", ":"))
        (self._fresh / MARKER).write_text(text, encoding="utf-8")


def key(parts: Iterable[object]) -> str:
    """Return a digest of the inputs of a page."""
    return hashlib.sha256(repr(tuple(parts)).encode()).hexdigest()[:16]


@cache
def program() -> str:
    """Return a digest of the code behind the pages: this package, and the code that reads and judges histories."""
    folders = (PACKAGE, PACKAGE.parent / "verdict", PACKAGE.parent / "scenarios", PACKAGE.parent / "model")
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".html"})
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def _read(marker: Path) -> dict[str, str]:
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        known = json.loads(marker.read_text(encoding="utf-8"))
        if known["program"] == program():
            return {str(name): str(one) for name, one in known["pages"].items()}
    return {}


def _link(old: Path, new: Path) -> bool:
    """Link a file, or copy it if the file system has no links; return whether it exists now."""
    try:
        os.link(old, new)
    except FileNotFoundError:
        return False
    except OSError:
        with suppress(OSError):
            shutil.copyfile(old, new)
            return True
        return False
    return True
