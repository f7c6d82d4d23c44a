"""Resources of this machine, or of the container around this process: cores, their idle time, and memory.

A container's limits stand in the files of its control groups (cgroups(7); for version 1 `cpu` and `memory` in the
kernel's admin-guide/cgroup-v1). `/proc` shows the whole machine.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MEMORY_VARIABLE = "PROBE_MEMORY_MB"
"""Environment variable with the memory that a run may take, in MB, where it is to be less than there is."""
NO_LIMIT = 1 << 50
"""Limits of memory of at least this many bytes are none: version 1 writes 2^63 less a page."""


@dataclass(frozen=True, slots=True)
class CpuTimes:
    """One reading of the CPU's counters."""

    idle_s: float
    """Idle time of the usable cores since the start of the machine, in seconds."""
    runnable: int
    """Other threads of the machine that run or wait for a core."""
    group_s: float | None = None
    """CPU time of the control group whose quota applies, in seconds; None without a quota."""


class MachineFiles:
    """Reads the files in which the system reports cores, load and memory."""

    def __init__(self, proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> None:
        """Read below these folders. `PROBE_MEMORY_MB` counts from the memory that is available now."""
        self._proc, self._groups = proc, groups
        self._cores = _allowed_cores()
        self._quota = self._read_quota()
        self._memory = self._folders("memory")
        self._most_mb = _number(os.environ.get(MEMORY_VARIABLE, ""))
        self._at_first_mb = self._free_mb()

    @property
    def cores(self) -> float:
        """Cores that this process may use: by its affinity and the quota of its control group."""
        return len(self._cores) if self._quota is None else min(self._quota, len(self._cores))

    def cpu(self) -> CpuTimes | None:
        """Return the CPU's counters; None if the system does not report them."""
        idle, runnable, found = 0, 0, False
        try:
            lines = (self._proc / "stat").read_text().splitlines()
            for line in lines:
                name, _, rest = line.partition(" ")
                if name.startswith("cpu") and name[3:].isdigit():
                    if int(name[3:]) in self._cores:
                        words = rest.split()
                        idle, found = idle + int(words[3]) + int(words[4]), True
                elif name == "procs_running":
                    runnable = max(0, int(rest) - 1)
        except (OSError, ValueError, IndexError):
            return None
        return CpuTimes(idle / os.sysconf("SC_CLK_TCK"), runnable, self._group_s()) if found else None

    def available_mb(self) -> int | None:
        """Return the memory that can be had without swapping, in MB; None if the system does not report it."""
        free = self._free_mb()
        if free is None or self._most_mb is None or self._at_first_mb is None:
            return free
        return max(0, min(free, int(self._most_mb) - (self._at_first_mb - free)))

    def threads_left(self) -> int | None:
        """Return the threads that this process's control groups allow beside those there are; None without a limit."""
        found = [(_of(folder / "pids.max"), _of(folder / "pids.current")) for folder in self._folders("pids")]
        return min(
            (max(0, int(most - now)) for most, now in found if most is not None and now is not None), default=None
        )

    def _free_mb(self) -> int | None:
        found = [one for one in (self._system_bytes(), *map(_left, self._memory)) if one is not None]
        return max(0, min(found)) >> 20 if found else None

    def _system_bytes(self) -> int | None:
        with suppress(OSError, ValueError, IndexError):
            for line in (self._proc / "meminfo").read_text().splitlines():
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
        return None

    def _folders(self, controller: str) -> tuple[Path, ...]:
        """Return the folders of this process's group for a controller, from its own to the root's."""
        try:
            lines = (self._proc / "self" / "cgroup").read_text().splitlines()
        except OSError:
            return ()
        # version 1 first: where both are mounted, a controller belongs to one of them, mostly to version 1
        for line in sorted(lines, reverse=True):
            _, names, place = [*line.split(":", 2), "", ""][:3]
            if controller in names.split(","):
                root = self._groups / controller
            elif not names and (self._groups / "cgroup.controllers").exists():
                root = self._groups
            else:
                continue
            own = root / place.lstrip("/")
            # inside a container the path may be the host's, of which only the root is mounted
            return tuple(folder for folder in (own, *own.parents) if folder.is_relative_to(root) and folder.is_dir())
        return ()

    def _read_quota(self) -> float | None:
        """Return the least quota of CPU time of all groups above this process, in cores."""
        return min(filter(None, map(_quota, self._folders("cpu"))), default=None)

    def _group_s(self) -> float | None:
        if self._quota is None:
            return None
        for folder in self._folders("cpu"):
            if _quota(folder) == self._quota:
                used = _stat(folder / "cpu.stat", "usage_usec")
                return used / 1e6 if used is not None else _of(folder / "cpuacct.usage", 1e9)
        return None


def usable_cores() -> int:
    """Return the number of cores that this process may use, at least 1."""
    return max(1, math.ceil(MachineFiles().cores))


def _allowed_cores() -> frozenset[int]:
    if hasattr(os, "sched_getaffinity"):
        return frozenset(os.sched_getaffinity(0))
    return frozenset(range(os.cpu_count() or 1))


def _left(folder: Path) -> int | None:
    """Return the bytes below the limit of a group, with files' pages that can be dropped; None without a limit."""
    limits = [_of(folder / name) for name in ("memory.max", "memory.high", "memory.limit_in_bytes")]
    limit = min((one for one in limits if one is not None), default=NO_LIMIT)
    used = next(_found(folder, "memory.current", "memory.usage_in_bytes"), None)
    if limit >= NO_LIMIT or used is None:
        return None
    stat = folder / "memory.stat"
    files = _stat(stat, "total_inactive_file")
    files = _stat(stat, "inactive_file") if files is None else files
    return int(limit - used + (files or 0))


def _quota(folder: Path) -> float | None:
    """Return a group's quota of CPU time in cores; None without one."""
    with suppress(OSError, ValueError):
        most, period = (folder / "cpu.max").read_text().split()
        return None if most == "max" else int(most) / int(period)
    most_us, period_us = _of(folder / "cpu.cfs_quota_us"), _of(folder / "cpu.cfs_period_us")
    return most_us / period_us if most_us and period_us and most_us > 0 else None


def _found(folder: Path, *names: str) -> Iterator[float]:
    return (value for value in (_of(folder / name) for name in names) if value is not None)


def _stat(path: Path, key: str) -> int | None:
    with suppress(OSError, ValueError, IndexError):
        for line in path.read_text().splitlines():
            if line.partition(" ")[0] == key:
                return int(line.split()[1])
    return None


def _of(path: Path, unit: float = 1) -> float | None:
    with suppress(OSError):
        value = _number(path.read_text().strip())
        return None if value is None else value / unit
    return None


def _number(text: str) -> int | None:
    try:
        return int(text)
    except ValueError:
        return None
