"""Locks that the kernel releases when their holder ends, for whatever reason. Standard library only.

flock(2) also works between containers that share a folder, where process ids say nothing. Python opens files so that
children do not inherit them.
"""

from __future__ import annotations

import fcntl
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

SETTLED_S = 60
"""A younger file or folder may not be locked yet."""
STEP_S = 0.1
"""Time between two attempts to take a lock."""


def take(
    descriptor: int, *, shared: bool = False, wait_s: float = 0.0, waiting: Callable[[], object] = lambda: None
) -> bool:
    """Lock an open file or folder until it is closed; return whether that succeeded within `wait_s` seconds.

    `waiting` is called once, before the first wait. Raises OSError where the file system has no locks.
    """
    deadline, waits = time.monotonic() + wait_s, False
    while True:
        try:
            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            if (left := deadline - time.monotonic()) <= 0:
                return False
            if not waits:
                waiting()
                waits = True
            time.sleep(min(STEP_S, left))
        else:
            return True


def hold(descriptor: int) -> None:
    """Lock an open file or folder and wait as long as needed. Raises OSError where the file system has no locks."""
    take(descriptor, wait_s=math.inf)


def is_left(place: Path) -> bool:
    """Return whether a file or folder is unlocked. Raises OSError if it is missing, not ours, or cannot be locked."""
    held = os.open(place, os.O_RDONLY if place.is_dir() else os.O_RDWR)
    try:
        return take(held)
    finally:
        os.close(held)
