"""Claims on what was built for client versions, and what is dropped when nobody claims it.

Releases that no `client.toml` lists are many, and most of them are played once. What was built for them stays in the
cache for the next run up to a limit. Above it, what was not used for longest is dropped, unless a run plays it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path, PurePosixPath
from typing import IO

from probe.catalogue.families import Family, Version, is_local
from probe.drivers.launch import Launch
from probe.errors import ProvisionError
from probe.files.atomic_writes import remove_folder
from probe.files.locks import take

FOLDER = "claims"
"""Folder of the cache with a file per released client version. A run holds a shared lock on it, its time is that of the
last use, and its text names what was built; it is empty for a version that is listed, since that stays."""
LIMIT = 4 << 30
"""Bytes that what was built for unlisted releases may take when no run plays them."""
WAIT_S = 60.0
"""Longest wait for another process that drops a version."""


class Claims:
    """The claims of one run. They end with `release`, or with the process."""

    def __init__(self, cache: Path, limit: int = LIMIT) -> None:
        """Claim nothing yet. `limit`: bytes of unlisted releases that stay unclaimed."""
        self._cache, self._limit, self._held = cache, limit, ExitStack()
        self._files: dict[str, IO[str]] = {}

    def claim(self, wanted: Sequence[tuple[Family, Version]]) -> None:
        """Claim versions before they are obtained. ProvisionError where another process drops one for too long."""
        folder = self._cache / FOLDER
        folder.mkdir(parents=True, exist_ok=True)
        for family, version in wanted:
            name = str(family.client(version))
            if is_local(version.version) or name in self._files:
                continue
            file = self._held.enter_context((folder / name).open("a+", encoding="utf-8"))
            if not take(file.fileno(), shared=True, wait_s=WAIT_S):
                raise ProvisionError(f"{name}: another process has been dropping it for {WAIT_S:.0f} s; end it")
            self._files[name] = file
            os.utime(file.fileno())

    def note(self, family: Family, version: Version, launch: Launch) -> None:
        """Write down what was built for a claimed version."""
        file = self._files.get(str(family.client(version)))
        if file is None:
            return
        listed = family.find(version.version) is not None
        built = "" if listed or launch.built is None else str(launch.built.relative_to(self._cache))
        file.seek(0)
        if _noted(file)[0] != built:
            file.truncate(0)
            file.write(json.dumps({"built": built, "bytes": _size(self._cache / built)}) if built else "")
            file.flush()

    def release(self) -> None:
        """End all claims."""
        self._held.close()
        self._files.clear()

    def drop(self) -> list[str]:
        """Drop what no run plays, beyond the limit, least recently used first; return the names of these versions."""
        dropped, left = [], self._limit
        for record in sorted((self._cache / FOLDER).glob("*"), key=_last_used, reverse=True):
            with record.open("r+", encoding="utf-8") as file:
                built, size = _noted(file)
                if not built or not take(file.fileno()):
                    continue
                left -= size
                if left < 0:
                    remove_folder(self._cache / built)
                    file.truncate(0)
                    dropped.append(record.name)
        return dropped


def _noted(file: IO[str]) -> tuple[str, int]:
    """Return what a record names, and its bytes; nothing of a damaged record, which the next use writes again.

    What is named is removed some day, so it has to be a path below the cache.
    """
    with suppress(ValueError, KeyError, TypeError):
        noted = json.loads(file.read())
        built = PurePosixPath(str(noted["built"]))
        if built.parts and not built.is_absolute() and ".." not in built.parts:
            return str(built), int(noted["bytes"])
    return "", 0


def _last_used(record: Path) -> float:
    return record.stat().st_mtime


def _size(folder: Path) -> int:
    return sum(path.lstat().st_size for path in folder.rglob("*"))
