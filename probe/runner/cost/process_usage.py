"""CPU and memory of the clients' processes, read from /proc (proc(5))."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICKS = os.sysconf("SC_CLK_TCK")
USER, SYSTEM, RESIDENT = 11, 12, 21
"""Fields of `stat` behind the name of the program: utime, stime, rss."""


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU and memory of processes so far."""

    cpu_s: float = 0.0
    memory_mb: float = 0.0


def usage(pids: Iterable[int], proc: Path = PROC) -> Usage:
    """Return the CPU of these processes so far, and their resident memory; ended ones count nothing."""
    cpu = pages = 0
    for pid in pids:
        with suppress(OSError, ValueError, IndexError):
            fields = (proc / str(pid) / "stat").read_text().rpartition(")")[2].split()
            cpu += int(fields[USER]) + int(fields[SYSTEM])
            pages += int(fields[RESIDENT])
    return Usage(cpu / TICKS, pages * PAGE_BYTES / 2**20)
