"""Files below a folder that nobody vetted, within bounds. Symlinks, FIFOs and devices are not opened."""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from probe.inventory.entries import InventoryError, Skipped
from probe.inventory.text import one_line

NAMED = 5
"""Entries of a kind that are named; of further ones there is the number."""
NOT_WALKED = frozenset({".git", ".hg", ".svn", "__pycache__"})
"""Folders without inventories: version control and compiled code."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """The most that one walk may cost."""

    files: int = 200_000
    depth: int = 40
    """Folders inside folders."""
    seconds: float = 120.0


@dataclass(slots=True)
class LeftOut:
    """Files that a walk left out, by reason."""

    entries: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def add(self, why: str, what: str) -> None:
        """Count an entry, and keep its name if it is among the first."""
        self.counts[why] = self.counts.get(why, 0) + 1
        names = self.entries.setdefault(why, [])
        if len(names) < NAMED:
            names.append(one_line(what))

    def all(self) -> tuple[Skipped, ...]:
        """Return one entry per reason."""
        return tuple(Skipped(self._names(why), why) for why in self.entries)

    def _names(self, why: str) -> str:
        names, more = ", ".join(self.entries[why]), self.counts[why] - len(self.entries[why])
        return f"{names} and {more} more" if more else names


def walk(root: Path, left_out: LeftOut, bounds: Bounds) -> Iterator[str]:
    """Yield the regular files below a folder in the order of their names, as paths relative to it with `/`."""
    ends, files, folders = time.monotonic() + bounds.seconds, 0, [""]
    while folders:
        here = folders.pop()
        inner = []
        for entry in _entries(root, here, left_out):
            path = f"{here}{entry.name}"
            kind = _kind(entry)
            if kind == "folder":
                inner.append(f"{path}/")
            elif kind:
                left_out.add(kind, path)
            else:
                files += 1
                yield path
            if files >= bounds.files or time.monotonic() > ends:
                limit = f"{bounds.files} files" if files >= bounds.files else f"{bounds.seconds:g} s"
                left_out.add(f"the walk ended after {limit}; name a smaller folder", f"what follows {path}")
                return
        if inner and here.count("/") >= bounds.depth:
            left_out.add(f"deeper than {bounds.depth} folders", here)
            continue
        folders += reversed([path for path in inner if path.rsplit("/", 2)[-2] not in NOT_WALKED])


def unreadable(root: Path) -> str:
    """Return why a folder cannot be listed; empty if it can."""
    try:
        with os.scandir(root):
            return ""
    except OSError as error:
        return f"{error.strerror or error}; name a folder that can be read"


def _entries(root: Path, here: str, left_out: LeftOut) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(root / here) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        left_out.add(error.strerror or "it cannot be read", here or str(root))
        return []


def _kind(entry: os.DirEntry[str]) -> str:
    """Return `folder`, nothing for a regular file, or why an entry is not opened."""
    try:
        if entry.is_symlink():
            return "a link, which is not followed"
        if entry.is_dir(follow_symlinks=False):
            return "folder"
        return "" if entry.is_file(follow_symlinks=False) else "no regular file"
    except OSError as error:
        return error.strerror or "it cannot be read"


def open_regular(path: Path, *, follow: bool) -> BinaryIO:
    """Open a regular file for reading. InventoryError for anything else, OSError if the system refuses.

    A FIFO or device is not waited for: the open does not block, and what is no regular file is closed at once.
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if follow else os.O_NOFOLLOW)
    _require_regular(path.stat(follow_symlinks=follow))  # a device may act on being opened
    stream = os.fdopen(os.open(path, flags), "rb")
    try:
        _require_regular(os.fstat(stream.fileno()))
    except InventoryError:
        stream.close()
        raise
    return stream


def _require_regular(found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise InventoryError("it is no regular file; pipe its text into `probe audit -`")


def neighbour(name: str, relative: str) -> str:
    """Return the path of a file that another one names, both below one folder; empty if it lies outside."""
    parts: list[str] = list(PurePosixPath(name).parent.parts)
    for part in PurePosixPath(relative.replace("\\", "/")).parts:
        if part == "/" or (part == ".." and not parts):
            return ""
        parts = parts[:-1] if part == ".." else [*parts, part]
    return "/".join(parts)


def is_plain(root: Path, name: str) -> bool:
    """Return whether no part of a path below a folder is a link."""
    path = root
    for part in PurePosixPath(name).parts:
        path /= part
        if path.is_symlink():
            return False
    return True
