"""Folders of the cache that several processes may fill at once: one after the other."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

from probe.errors import ProvisionError
from probe.files.locks import take

WAIT_S = 300
"""Another process that fills the same folder gets so long."""


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder's lock, which lies beside it. ProvisionError if somebody else keeps it too long."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    lock = folder.with_name(folder.name + ".lock")
    with lock.open("w") as file:
        if not take(file.fileno(), wait_s=WAIT_S):
            raise ProvisionError(f"{folder}: another process has been filling it for {WAIT_S} s; end it")
        yield
