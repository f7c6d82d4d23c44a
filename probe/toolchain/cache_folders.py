"""Locks for folders of the cache, which several processes may fill at once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from probe.errors import ProvisionError
from probe.files.locks import take

WAIT_S = 300
"""Longest wait for another process that fills the same folder."""


@contextlib.contextmanager
def locked(folder: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Hold the lock file of a folder. Raises ProvisionError after `wait_s`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = folder.with_name(folder.name + ".lock")
    with lock.open("w") as file:
        if not take(file.fileno(), wait_s=wait_s):
            raise ProvisionError(f"{folder}: another process has been filling it for {wait_s:.0f} s; end it")
        yield
