"""Temporary folders of sessions. Each is locked by its process, so that the next session knows what a dead one left.

flock(2) is given back by the kernel however its holder dies, and works between containers that share a folder, where
process ids say nothing.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

PREFIX = "probe-spark-"
_OWNER = "owner.lock"
_SETTLED_S = 60
"""A folder younger than this may not be locked yet."""
_held: dict[str, int] = {}


def make_folder() -> str:
    """Make a temporary folder that is this process's until `remove_folder`; remove those whose processes are gone."""
    _sweep(Path(tempfile.gettempdir()))
    folder = tempfile.mkdtemp(prefix=PREFIX)
    held = os.open(Path(folder) / _OWNER, os.O_CREAT | os.O_RDWR)
    fcntl.flock(held, fcntl.LOCK_EX)
    _held[folder] = held
    return folder


def remove_folder(folder: str) -> None:
    """Remove a folder of `make_folder`, and no other."""
    if Path(folder).name.startswith(PREFIX):
        shutil.rmtree(folder, ignore_errors=True)
    if (held := _held.pop(folder, None)) is not None:
        os.close(held)


def _sweep(place: Path) -> None:
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):  # somebody else's, or just removed
            if time.time() - folder.stat().st_mtime > _SETTLED_S and _is_left(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_left(folder: Path) -> bool:
    """Tell whether a folder was locked by a process that is gone."""
    held = os.open(folder / _OWNER, os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(held)
    return True
