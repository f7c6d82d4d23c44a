"""The library that breaks disks (shim/broken_disk.c): its build, and the control file that steers it.

The probe and the broker's process both map the control file, so a fault is in force as soon as its slot is on. The C
source defines the format: a head of 1024 bytes (magic, number of slots that are on), then 63 slots of 1024 bytes.
"""

from __future__ import annotations

import errno
import hashlib
import mmap
import struct
from enum import IntFlag
from functools import cache as remember
from pathlib import Path

from probe.errors import EngineError
from probe.toolchain.commands import run_command
from probe.toolchain.golang import building
from probe.toolchain.tools import ToolError, cache_root, find_tool

SOURCE = Path(__file__).parent / "shim" / "broken_disk.c"
FLAGS = ("-shared", "-fPIC", "-O2", "-Wall", "-Wextra", "-Werror", "-U_FORTIFY_SOURCE")
COMPILE_S = 60.0
MAGIC = b"BRKNDSK1"
SLOTS = 63
SLOT_BYTES = 1024
PATH_BYTES = 1000
ACTIVE_AT = 8
RULE = struct.Struct("=IIIIQ")
"""Head of a slot: on, error, delay in ms, operations, hits; the path follows."""
ON = struct.Struct("=I")


Rule = tuple[Path, int, int, "Calls"]


class Calls(IntFlag):
    """Kinds of calls to a disk, with the numbers of the C source."""

    READ = 1
    WRITE = 2
    SYNC = 4
    GROW = 8
    OPEN = 16
    """Open for writing."""
    NAME = 32
    """Rename, unlink, mkdir."""


CHANGES = Calls.WRITE | Calls.SYNC | Calls.GROW | Calls.OPEN | Calls.NAME
TAKES_ROOM = Calls.WRITE | Calls.GROW
FOR_EVER_MS = 2**31
"""Delay of calls that wait for `clear`: 25 days."""


def library_path() -> Path:
    """Return the path of the library in the cache, below the digest of its source."""
    key = hashlib.sha256(SOURCE.read_bytes() + " ".join(FLAGS).encode()).hexdigest()[:16]
    return cache_root() / "broken-disk" / key / "broken_disk.so"


def compiler_missing() -> str:
    """Return why the library cannot be built here; empty if it can, or exists."""
    if library_path().exists():
        return ""
    try:
        find_tool("cc")
    except ToolError as error:
        return str(error)
    return ""


@remember
def library() -> Path:
    """Return the library; build it into the cache if it does not exist. ToolError with the compiler's first error."""
    path = library_path()
    with building(path.parent) as scratch:
        if scratch is not None:
            _compile(SOURCE, scratch / path.name)
    return path


def _compile(source: Path, out: Path) -> None:
    argv = [str(find_tool("cc")), *FLAGS, "-o", str(out), str(source), "-ldl"]
    late = ToolError(f"{argv[0]} took longer than {COMPILE_S:.0f} s; try again on a quieter machine")
    done = run_command(argv, COMPILE_S, late)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error" in line]
        raise ToolError(f"{source.name} did not compile: {(lines or ['no reason given'])[0].strip()}")


class Control:
    """The control file of one process. Its methods are idempotent."""

    def __init__(self, path: Path) -> None:
        self.path = path
        size = SLOT_BYTES * (SLOTS + 1)
        path.write_bytes(MAGIC.ljust(size, b"\0"))
        with path.open("r+b") as file:
            self._map = mmap.mmap(file.fileno(), size)
        self._rules: list[Rule | None] = [None] * SLOTS

    def kill(self, path: Path) -> None:
        """Let all calls that change something at or below a path fail with EIO."""
        self._put(path, errno.EIO, 0, CHANGES)

    def fill(self, path: Path) -> None:
        """Let all calls that take space at or below a path fail with ENOSPC."""
        self._put(path, errno.ENOSPC, 0, TAKES_ROOM)

    def slow(self, path: Path, delay_ms: int) -> None:
        """Delay all calls that read at or below a path."""
        self._put(path, 0, delay_ms, Calls.READ)

    def hold(self, path: Path) -> None:
        """Delay all calls that write at or below a path until `clear`."""
        self._put(path, 0, FOR_EVER_MS, Calls.WRITE)

    def clear(self, path: Path) -> None:
        """End the faults at and below a path; delayed calls return soon."""
        for index, rule in enumerate(self._rules):
            if rule is not None and any(rule[0].is_relative_to(name) for name in (path, path.resolve())):
                ON.pack_into(self._map, _at(index), 0)
                self._rules[index] = None
        self._count()

    @property
    def hits(self) -> int:
        """Return the number of calls that met a fault that is on."""
        return sum(int(RULE.unpack_from(self._map, _at(index))[-1]) for index, rule in enumerate(self._rules) if rule)

    def _put(self, path: Path, error: int, delay_ms: int, calls: Calls) -> None:
        """Set a rule for a path and its resolved form: the kernel reports open files without links, callers may not."""
        for name in dict.fromkeys((path, path.resolve())):
            rule = (name, error, delay_ms, calls)
            if rule not in self._rules:
                self._fill_slot(rule)
        self._count()

    def _fill_slot(self, rule: Rule) -> None:
        path, error, delay_ms, calls = rule
        name = str(path).encode()
        if None not in self._rules or len(name) >= PATH_BYTES:
            limits = f"{SLOTS} faults, of paths below {PATH_BYTES} bytes"
            raise EngineError(f"{path}: the control file has room for {limits}")
        index = self._rules.index(None)
        slot = RULE.pack(0, error, delay_ms, int(calls), 0) + name
        self._map[_at(index) : _at(index + 1)] = slot.ljust(SLOT_BYTES, b"\0")
        ON.pack_into(self._map, _at(index), 1)
        self._rules[index] = rule

    def _count(self) -> None:
        ON.pack_into(self._map, ACTIVE_AT, sum(rule is not None for rule in self._rules))


def _at(index: int) -> int:
    return SLOT_BYTES * (index + 1)
