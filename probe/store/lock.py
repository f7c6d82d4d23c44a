"""Keeps two processes of one machine apart: locks in a results folder, held by the system for as long as we live.

flock(2) is given back by the kernel when its holder dies, however that happens: a stale lock cannot exist, only the
text of one. Files are opened so that no child inherits them. Between machines nothing is locked: their runs lie in
folders of their own, and who publishes is decided by the schedule.
"""

from __future__ import annotations

import json
import os
import platform
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from probe.errors import ProbeError
from probe.files.locks import take
from probe.store.run_description import now

FOLDER = ".locks"
PUBLISHING = "publishing"
RUNS = "runs"
"""Shared by all runs, taken whole by who removes runs."""


class LockedError(ProbeError):
    """Somebody else holds it; the text says who, since when, and what to do."""


def run_lock(shard: str) -> str:
    """Name the lock of runs: two of one shard are kept apart, different shards of a plan may run together."""
    return f"run-{shard}"


@contextmanager
def locked(
    folder: str, name: str, *, shared: bool = False, wait_s: float = 0.0, say: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    """Hold a lock for the block; after `wait_s` LockedError names its holder. No lock where the folder is a URL."""
    if "://" in folder:
        yield
        return
    path = Path(folder) / FOLDER / f"{name}.lock"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("a+", encoding="utf-8")
    except OSError as error:
        raise ProbeError(f"{path} cannot be written: {error.strerror}; give a folder that can be written") from None
    with file:
        _take(file.fileno(), path, name, wait_s=wait_s, shared=shared, say=say)
        if not shared:
            _take_over(path, name, say)
            _write(path, json.dumps({"pid": os.getpid(), "host": platform.node(), "since": now()}))
        try:
            yield
        finally:
            if not shared:
                _write(path, "")


def _take(descriptor: int, path: Path, name: str, *, wait_s: float, shared: bool, say: Callable[[str], None]) -> None:
    def waiting() -> None:
        say(f"{_held(path, name)}; waiting for it, {wait_s:.0f} s at most")

    if not take(descriptor, shared=shared, wait_s=wait_s, waiting=waiting):
        raise LockedError(f"{_held(path, name)}; wait for it with --wait SECONDS, or end it")


def _held(path: Path, name: str) -> str:
    what = f"{name} in {path.parent.parent} is locked"
    if name == RUNS:  # many may share it, so its own file names nobody
        holders = [text for other in sorted(path.parent.glob("run-*.lock")) if (text := _who(other))]
        return f"{what} by " + ("; ".join(holders) or "another probe")
    return f"{what} by {_who(path) or 'another probe'}"


def _who(path: Path) -> str:
    told: object = None
    with suppress(OSError, ValueError):
        told = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(told, dict):
        return ""
    return f"pid {told.get('pid')} on {told.get('host')} since {told.get('since')}"


def _take_over(path: Path, name: str, say: Callable[[str], None]) -> None:
    if before := _who(path):
        say(f"{name} was locked by {before}, which is gone without having ended; taken over")


def _write(path: Path, text: str) -> None:
    with suppress(OSError):  # a full disk must not keep the kernel's lock from doing its work
        path.write_text(text, encoding="utf-8")
