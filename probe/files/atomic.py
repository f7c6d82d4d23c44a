"""Files and folders that appear whole or not at all: made beside their place, then renamed. Standard library only.

A reader sees the old state or the new one, also where the writer is killed or the machine loses power: a file reaches
the disk before it gets its name.
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
    """Return the name under which this process writes a file until it is whole: `.<name>.<process id>`."""
    return path.with_name(f".{path.name}.{os.getpid()}")


def put_file(whole: Path, path: Path) -> None:
    """Give a finished file of the same file system its place, once it is on the disk. Raises OSError."""
    descriptor = os.open(whole, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    whole.replace(path)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Give a path to write to; the file becomes `path` when the block ends well, and vanishes otherwise. OSError."""
    aside = beside(path)
    try:
        yield aside
        put_file(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file whole: bytes, or text as UTF-8 (lone surrogates are escaped). Its folder is made. Raises OSError."""
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    with writing(path) as aside:
        aside.write_bytes(data)


def put_folder(whole: Path, path: Path, old: Path) -> None:
    """Give a finished folder its place; what was there before is then at `whole` or at `old`. Raises OSError."""
    if path.exists() and not _exchange(whole, path):
        path.rename(old)
    if whole.exists() and not path.exists():
        whole.rename(path)


@contextlib.contextmanager
def filling(path: Path) -> Iterator[Path]:
    """Give an empty folder that takes the place of `path` when the block ends well, and vanishes otherwise. OSError."""
    aside = Path(tempfile.mkdtemp(prefix=f".{path.name}-", dir=path.parent))
    try:
        whole = aside / "whole"
        whole.mkdir()
        yield whole
        put_folder(whole, path, aside / "old")
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step where the system can (Linux, glibc 2.28); say whether it could."""
    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    return bool(rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0)
