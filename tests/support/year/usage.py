"""Commands and folders, measured: time, processor time and memory of a command, bytes and files of a folder."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Usage:
    """A command that ended."""

    code: int
    wall_s: float
    cpu_s: float
    """Processor time of the command and of all its descendants."""
    peak_mb: float
    """Resident memory of its largest process, at most, in MB."""
    said: str
    """Its standard error."""


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes and files below a path."""

    mb: float
    files: int

    def __add__(self, other: Size) -> Size:
        """Add two sizes."""
        return Size(self.mb + other.mb, self.files + other.files)


def measured(argv: Sequence[str], environment: Mapping[str, str], errors: Path) -> Usage:
    """Run a command to its end. Its standard error goes to a file, its standard output is dropped.

    Linux counts the memory of the process that starts a command as the command's, so its peak is never below ours.
    """
    began = time.monotonic()
    with errors.open("wb") as file:
        process = subprocess.Popen(argv, env={**os.environ, **environment}, stdout=subprocess.DEVNULL, stderr=file)
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:  # the command ends with us
            process.terminate()
            process.wait()
            raise
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(
        code=process.returncode,
        wall_s=time.monotonic() - began,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_mb=used.ru_maxrss / 1024,
        said=errors.read_text(errors="replace"),
    )


def size(path: Path) -> Size:
    """Return the bytes and files below a path, or of a file; nothing where nothing is."""
    if path.is_file():
        return Size(path.stat().st_size / 1e6, 1)
    total = Size(0.0, 0)
    for folder, _, names in os.walk(path):
        with suppress(FileNotFoundError):
            total += Size(sum(os.lstat(Path(folder) / name).st_size for name in names) / 1e6, len(names))
    return total
