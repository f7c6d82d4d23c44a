"""Temporary folders of sessions. A process locks its folder, so that the next session finds folders of dead ones."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from probe.files.locks import SETTLED_S, hold, is_left

PREFIX = "probe-spark-"
_OWNER = "owner.lock"
_held: dict[str, int] = {}


def make_folder() -> str:
    """Make a temporary folder, locked until `remove_folder`; remove the folders of processes that have ended."""
    _sweep(Path(tempfile.gettempdir()))
    folder = tempfile.mkdtemp(prefix=PREFIX)
    held = os.open(Path(folder) / _OWNER, os.O_CREAT | os.O_RDWR)
    hold(held)
    _held[folder] = held
    return folder


def remove_folder(folder: str) -> None:
    """Remove a folder made by `make_folder`; others are left alone."""
    if Path(folder).name.startswith(PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
    if (held := _held.pop(folder, None)) is not None:
        os.close(held)


def _sweep(place: Path) -> None:
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):  # a folder of another user, or one removed meanwhile
            if time.time() - folder.stat().st_mtime > SETTLED_S and is_left(folder / _OWNER):
                shutil.rmtree(folder, ignore_errors=True)
