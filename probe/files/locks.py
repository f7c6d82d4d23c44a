"""Locks that the kernel gives back however their holder dies. Standard library only.

flock(2) also works between containers that share a folder, where process ids say nothing. Python opens files so that
no child inherits them.
"""

from __future__ import annotations

import fcntl
import math
import os
import time
from collections.abc import Callable
from pathlib import Path

SETTLED_S = 60
"""What is younger than this may not be locked yet."""
STEP_S = 0.1
"""Between two attempts at a lock that is held."""


def take(
    descriptor: int, *, shared: bool = False, wait_s: float = 0.0, waiting: Callable[[], object] = lambda: None
) -> bool:
    """Lock what is open, until it is closed; say whether that worked within `wait_s` seconds.

    `waiting` is called once, before the first wait. OSError where the file system has no locks.
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
    """Lock what is open, however long that takes. OSError where the file system has no locks."""
    take(descriptor, wait_s=math.inf)


def is_left(place: Path) -> bool:
    """Tell whether nobody holds a file or folder. OSError if it is gone, somebody else's, or without locks."""
    held = os.open(place, os.O_RDONLY if place.is_dir() else os.O_RDWR)
    try:
        return take(held)
    finally:
        os.close(held)
