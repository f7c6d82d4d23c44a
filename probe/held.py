"""Temporary files and folders that are locked by who works in them, so that others know what a dead one left.

flock(2) is given back by the kernel however its holder dies, and works between containers that share a folder, where
process ids say nothing.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

SETTLED_S = 60
"""What is younger than this may not be locked yet."""


def hold(descriptor: int) -> None:
    """Lock what is open; it stays locked until it is closed. OSError where the file system has no locks."""
    fcntl.flock(descriptor, fcntl.LOCK_EX)


def is_left(place: Path) -> bool:
    """Tell whether nobody holds a file or folder. OSError if it is gone, somebody else's, or without locks."""
    held = os.open(place, os.O_RDONLY if place.is_dir() else os.O_RDWR)
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(held)
    return True
