"""Folders of the cache that several processes may fill at once: locked, written aside, renamed when whole."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from probe.drivers.launch import ProvisionError

WAIT_S = 300
"""Another process that fills the same folder gets so long."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, which lies beside it. ProvisionError if somebody else keeps it too long."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = folder.with_name(folder.name + ".lock")
    deadline = time.monotonic() + WAIT_S
    with lock.open("w") as file:
        while not _taken(file.fileno()):
            if time.monotonic() > deadline:
                raise ProvisionError(f"{folder}: another process has been filling it for {WAIT_S} s; end it")
            time.sleep(0.1)
        yield


def _taken(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextlib.contextmanager
def filling(folder: Path) -> Iterator[Path]:
    """Give an empty folder to fill; on success it takes the place of `folder` at once, on failure nothing changes."""
    aside = Path(tempfile.mkdtemp(prefix=f".{folder.name}-", dir=folder.parent))
    try:
        whole = aside / "whole"
        whole.mkdir()
        yield whole
        if folder.exists():
            folder.rename(aside / "old")
        whole.rename(folder)
    finally:
        shutil.rmtree(aside, ignore_errors=True)
