"""Locks in a results folder, which separate two processes of one machine.

The kernel releases flock(2) when its holder ends in any way. A stale lock is therefore impossible; only its text can
remain. Child processes do not inherit the files. Nothing is locked between machines: their runs are in separate
folders, and the schedule decides which machine publishes.
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
"""Shared by all runs; a process that removes runs takes it exclusively."""


class LockedError(ProbeError):
    """Another process holds the lock; the text names the process, the time and the way out."""


def run_lock(shard: str) -> str:
    """Return the name of the lock of runs: runs of one shard exclude each other, runs of different shards do not."""
    return f"run-{shard}"


@contextmanager
def locked(
    folder: str, name: str, *, shared: bool = False, wait_s: float = 0.0, say: Callable[[str], None] = lambda _: None
) -> Iterator[None]:
    """Hold a lock for the block. LockedError names the holder after `wait_s`. There is no lock in a URL."""
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
        say(f"{_held(path, name)}; waiting for it, at most {wait_s:.0f} s")

    if not take(descriptor, shared=shared, wait_s=wait_s, waiting=waiting):
        raise LockedError(f"{_held(path, name)}; wait for it with --wait SECONDS, or end it")


def _held(path: Path, name: str) -> str:
    what = f"{name} in {path.parent.parent} is locked"
    if name == RUNS:  # shared by many runs: its own file names no holder
        holders = [text for other in sorted(path.parent.glob("run-*.lock")) if (text := _who(other))]
        return f"{what} by " + ("; ".join(holders) or "another probe")
    return f"{what} by {_who(path) or 'another probe'}"


def _who(path: Path) -> str:
    holder: object = None
    with suppress(OSError, ValueError):
        holder = json.loads(path.read_text(encoding="utf-8"))
    if not isinstance(holder, dict):
        return ""
    return f"pid {holder.get('pid')} on {holder.get('host')} since {holder.get('since')}"


def _take_over(path: Path, name: str, say: Callable[[str], None]) -> None:
    if before := _who(path):
        say(f"{name} was locked by {before}, which ended without releasing it; taken over")


def _write(path: Path, text: str) -> None:
    with suppress(OSError):  # the text is optional: the lock holds on a full disk, too
        path.write_text(text, encoding="utf-8")
