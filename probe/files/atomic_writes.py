"""Atomic writes of files and folders: each is made under a temporary name, then renamed. Standard library only.

A reader finds the old state or the new one, even if the writer is killed or the machine loses power: a file is on the
disk before it is renamed.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

AT_FDCWD = -100
RENAME_EXCHANGE = 2
"""From linux/fs.h; both names exist at every moment."""


def beside(path: Path) -> Path:
    """Return the temporary name under which this process writes a file: `.<name>.<process id>`."""
    return path.with_name(f".{path.name}.{os.getpid()}")


def put_file(whole: Path, path: Path) -> None:
    """Flush a finished file to the disk and rename it to `path` on the same file system. Raises OSError."""
    descriptor = os.open(whole, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    whole.replace(path)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yield a path to write to; rename it to `path` if the block succeeds, remove it otherwise. Raises OSError."""
    aside = beside(path)
    try:
        yield aside
        put_file(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise


def write_file(path: Path, content: str | bytes) -> None:
    """Write bytes, or text as UTF-8 (lone surrogates are escaped), atomically. Makes the folder. Raises OSError."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as aside:
        aside.write_bytes(data)


def put_folder(whole: Path, path: Path, old: Path) -> None:
    """Rename a finished folder to `path`; the folder it replaces is left at `whole` or at `old`. Raises OSError."""
    if path.exists() and not _exchange(whole, path):
        path.rename(old)
    if whole.exists() and not path.exists():
        whole.rename(path)


@contextlib.contextmanager
def filling(path: Path) -> Iterator[Path]:
    """Yield an empty folder; rename it to `path` if the block succeeds, remove it otherwise. Raises OSError."""
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        whole = aside / "whole"
        whole.mkdir()
        yield whole
        put_folder(whole, path, aside / "old")
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def remove_folder(path: Path) -> None:
    """Remove a folder under another name, so that none is ever found in part; nothing if there is none."""
    aside = beside(path)
    with contextlib.suppress(FileNotFoundError):
        path.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Exchange two names in one step; return False where the system cannot (Linux, glibc 2.28 or newer can)."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)
