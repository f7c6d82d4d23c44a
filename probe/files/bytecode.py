"""Bytecode of Python drivers and their libraries, kept in the cache under the paths of their sources."""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path

FOLDER = "bytecode"
"""Folder of the cache that Python writes to (PYTHONPYCACHEPREFIX): below it a source's folder has its whole path."""


def drop_orphans(cache: Path) -> None:
    """Remove the bytecode of folders that are gone: dropped releases, removed checkouts, pip's temporary folders."""
    _drop(cache / FOLDER, Path("/"))


def _drop(kept: Path, sources: Path) -> None:
    folders: list[str] = []
    with suppress(OSError), os.scandir(kept) as entries:
        folders = [entry.name for entry in entries if entry.is_dir(follow_symlinks=False)]
    for name in folders:
        if (sources / name).is_dir():
            _drop(kept / name, sources / name)
        else:
            shutil.rmtree(kept / name, ignore_errors=True)
