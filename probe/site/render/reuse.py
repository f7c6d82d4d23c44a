"""Pages of the site as it stands that would come out the same again: linked into the new folder, not drawn."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from collections.abc import Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path

from probe.site.render.replace_folder import MARKER

PACKAGE = Path(__file__).parents[1]


class Reuse:
    """Knows the key of every page of the last build, and notes those of this one.

    The keys lie in the site's marker file; a site without them, or of another version of this program, is drawn anew.
    """

    def __init__(self, standing: Path, fresh: Path) -> None:
        """Read what the site that stands is made of."""
        self._standing, self._fresh = standing, fresh
        self._old = _read(standing / MARKER)
        self._new: dict[str, tuple[str, int | None]] = {}
        self._taken: set[str] = set()

    def take(self, name: str, key: str) -> bool:
        """Take a page over if its key is the same; say whether it was."""
        old = self._old.get(name)
        if old is None or old[0] != key or not _link(self._standing / name, self._fresh / name):
            return False
        self._new[name] = old
        self._taken.add(name)
        return True

    def taken(self, name: str) -> bool:
        """Say whether a page was taken over."""
        return name in self._taken

    def link(self, name: str) -> bool:
        """Take over what lies beside a page; say whether it is there."""
        return _link(self._standing / name, self._fresh / name)

    def worst(self, name: str) -> int | None:
        """Return what was noted with a page that was taken over."""
        return self._new[name][1]

    def note(self, name: str, key: str, worst: int | None) -> None:
        """Note a page that was drawn, and the severity of its worst trial."""
        self._new[name] = (key, worst)

    def save(self) -> None:
        """Write the keys into the new site's marker."""
        text = json.dumps({"program": program(), "pages": self._new}, separators=(",", ":"))
        (self._fresh / MARKER).write_text(text, encoding="utf-8")


def key(parts: Iterable[object]) -> str:
    """Return a digest of what a page is made of."""
    return hashlib.sha256(repr(tuple(parts)).encode()).hexdigest()[:16]


@cache
def program() -> str:
    """Return a digest of the code that draws: of this package, and of what it reads histories with."""
    folders = (PACKAGE, PACKAGE.parent / "verdict", PACKAGE.parent / "scenarios", PACKAGE.parent / "model")
    files = sorted(path for folder in folders for path in folder.rglob("*") if path.suffix in {".py", ".html"})
    whole = hashlib.sha256()
    for path in files:
        whole.update(path.read_bytes())
    return whole.hexdigest()[:16]


def _read(marker: Path) -> dict[str, tuple[str, int | None]]:
    with suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
        known = json.loads(marker.read_text(encoding="utf-8"))
        if known["program"] == program():
            return {name: (str(one[0]), one[1]) for name, one in known["pages"].items()}
    return {}


def _link(old: Path, new: Path) -> bool:
    """Give a file a second name, or copy it where the file system cannot; say whether it is there now."""
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
