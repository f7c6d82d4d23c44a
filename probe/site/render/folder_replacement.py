"""Replace a folder by a new one in one step, so that a reader never sees an incomplete folder."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from probe.errors import reason_of
from probe.files.atomic_writes import put_folder
from probe.files.locks import SETTLED_S, hold, is_left
from probe.site.data.matrix_rows import SiteError

MARKER = ".probe-site"
"""A file in every folder that the probe made; only such a folder is replaced."""

ASIDE = ".site-"
"""Prefix of the temporary folders in which a site is built."""
FORGOTTEN_S = 24 * 3600
"""An older temporary folder belongs to a build that was killed."""


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield an empty folder that replaces `target` at the end of the block; after an error it is removed.

    Raises SiteError if `target` was not made by the probe, or if the folder cannot be written.
    """
    if target.exists() and not (target / MARKER).is_file():
        raise SiteError(f"{target}: exists already and was not made by the probe; move it away, or name another --out")
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
        stands = "the old site is unchanged" if target.exists() else "there is no site yet"
        raise SiteError(
            f"{target} cannot be written: {reason_of(error)}; {stands}; free disk space, then run `probe matrix`"
        ) from error


@contextmanager
def _aside(folder: Path) -> Iterator[Path]:
    """Yield a folder that is removed after the block; its lock marks it as in use."""
    aside = Path(tempfile.mkdtemp(prefix=ASIDE, dir=folder))
    held = os.open(aside, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems have no locks; the age of the folder counts there
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
