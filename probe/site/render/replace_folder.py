"""Puts a finished folder in the place of the old one; a reader never sees half of it."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from probe.files.atomic import put_folder
from probe.files.locks import SETTLED_S, hold, is_left
from probe.model.results import reason_of
from probe.site.data.matrix_rows import SiteError

MARKER = ".probe-site"
"""Stands in every folder we made; only such a folder is ever replaced."""

ASIDE = ".site-"
"""How the names of folders begin in which a site is made."""
FORGOTTEN_S = 24 * 3600
"""What has lain there for longer is of a build that was killed."""


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Give an empty folder that takes the place of `target` when the block ends well, and vanishes otherwise.

    Raises SiteError where `target` holds something that we did not make, or the place cannot be written.
    """
    if target.exists() and not (target / MARKER).is_file():
        raise SiteError(
            f"{target}: is there already and was not made by the probe; move it away, or name another --out"
        )
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target.parent)
        with _aside(target.parent) as aside:
            fresh = aside / "fresh"
            fresh.mkdir()
            (fresh / MARKER).touch()
            yield fresh
            put_folder(fresh, target, aside / "old")
    except OSError as error:
        stands = "the old site stands" if target.exists() else "there is no site yet"
        raise SiteError(
            f"{target} cannot be written: {reason_of(error)}; {stands}; free the place, then `probe matrix` writes it"
        ) from error


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """Give a folder that is gone after the block; its lock says that somebody is at work in it."""
    aside = Path(tempfile.mkdtemp(prefix=ASIDE, dir=folder))
    held = os.open(aside, os.O_RDONLY)
    try:
        with suppress(OSError):  # not every file system has locks; age tells there
            hold(held)
        yield aside
    finally:
        shutil.rmtree(aside, ignore_errors=True)
        os.close(held)


def _sweep(folder: Path) -> None:
    for old in folder.glob(f"{ASIDE}*"):
        with suppress(OSError):
            age_s = time.time() - old.stat().st_mtime
            if age_s > FORGOTTEN_S or (age_s > SETTLED_S and is_left(old)):
                shutil.rmtree(old, ignore_errors=True)
