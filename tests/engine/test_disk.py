"""Disk faults apply immediately and are reverted; tested on processes that the tests start."""

from __future__ import annotations

import asyncio
import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from probe.engines.kafka.disks.choice import METHODS, DiskError, choose
from probe.engines.kafka.disks.control import SLOTS, Control, library
from probe.engines.kafka.disks.methods import Rename, Shim
from probe.errors import EngineError
from probe.toolchain.tools import ToolError
from tests.support.fetched_tools import c_compiler

needs_compiler = pytest.mark.usefixtures("compiler")

WORKER_CODE = r"""
import errno, json, mmap, os, sys, time

def tried(work):
    begin = time.monotonic()
    try:
        work()
        code = 0
    except OSError as error:
        code = error.errno
    return code, round((time.monotonic() - begin) * 1000)

opened = {}
for line in sys.stdin:
    name, path = json.loads(line)
    if name == "open":
        opened[path] = os.open(path, os.O_RDWR | os.O_CREAT)
    fd = opened.get(path, -1)
    work = {
        "open": lambda: None,
        "write": lambda: os.write(fd, b"x"),
        "writev": lambda: os.writev(fd, [b"x", b"y"]),
        "pwrite": lambda: os.pwrite(fd, b"x", 0),
        "fsync": lambda: os.fsync(fd),
        "fdatasync": lambda: os.fdatasync(fd),
        "truncate": lambda: os.ftruncate(fd, 8192),
        "read": lambda: os.pread(fd, 10, 0),
        "map": lambda: mmap.mmap(fd, 1).close(),
        "sendfile": lambda: os.sendfile(os.open("/dev/null", os.O_WRONLY), fd, 0, 10),
        "create": lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT)),
        "create_new": lambda: os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL)),
        "look": lambda: os.close(os.open(path, os.O_RDONLY)),
        "rename": lambda: os.rename(path, path + ".moved"),
        "mkdir": lambda: os.mkdir(path),
        "unlink": lambda: os.unlink(path),
    }[name]
    print(json.dumps(tried(work)), flush=True)
"""


@dataclass
class Node:
    """The attributes of a broker that a disk fault reads."""

    folder: Path
    name: str = "broker 1"


class Worker:
    """A process that reads and writes on a disk."""

    def __init__(self, env: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", WORKER_CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **env},
        )

    def ask(self, what: str, path: Path) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps([what, str(path)]) + "\n")
        self.process.stdin.flush()

    def answer(self) -> tuple[int, int]:
        assert self.process.stdout is not None
        code, ms = json.loads(self.process.stdout.readline())
        return code, ms

    def attempt(self, what: str, path: Path) -> int:
        """Run one operation; return its errno, or 0."""
        self.ask(what, path)
        return self.answer()[0]


@dataclass
class Machine:
    way: Shim
    broker: Any
    log_dir: Path
    worker: Worker


def do(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(work)


@pytest.fixture
def compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a C compiler on PATH."""
    monkeypatch.setenv("PATH", str(c_compiler().parent), prepend=os.pathsep)


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """Yield a broker's folder with a log dir, and a process that writes there."""
    way, broker, log_dir = Shim(), Node(tmp_path), tmp_path / "d1"
    log_dir.mkdir()
    worker = Worker(dict(way.environment(tmp_path)))
    yield Machine(way, broker, log_dir, worker)
    worker.process.kill()
    worker.process.wait()


CHANGES = ("write", "writev", "pwrite", "fsync", "fdatasync", "truncate")


@needs_compiler
class TestShim:
    def test_writes_to_a_broken_disk_fail_and_reads_succeed(self, machine: Machine) -> None:
        path, attempt = machine.log_dir / "log", machine.worker.attempt
        assert [attempt(what, path) for what in ("open", *CHANGES, "read")] == [0] * 8
        do(machine.way.break_dir(machine.broker, machine.log_dir))
        assert [attempt(what, path) for what in CHANGES] == [errno.EIO] * len(CHANGES)
        assert [attempt(what, path) for what in ("read", "map", "sendfile", "look")] == [0] * 4
        assert attempt("create", machine.log_dir / "new") == errno.EIO
        assert attempt("create_new", machine.log_dir / "new") == errno.EIO
        assert attempt("create_new", path) == errno.EEXIST
        assert attempt("mkdir", machine.log_dir / "topic-0") == errno.EIO
        assert attempt("rename", path) == errno.EIO
        assert attempt("unlink", path) == errno.EIO
        assert machine.way.hits(machine.broker) == len(CHANGES) + 5

    def test_a_reverted_disk_works(self, machine: Machine) -> None:
        path, attempt = machine.log_dir / "log", machine.worker.attempt
        attempt("open", path)
        do(machine.way.break_dir(machine.broker, machine.log_dir))
        do(machine.way.break_dir(machine.broker, machine.log_dir))
        assert attempt("write", path) == errno.EIO
        do(machine.way.mend_dir(machine.broker, machine.log_dir))
        assert [attempt(what, path) for what in (*CHANGES, "unlink")] == [0] * 7

    def test_other_directories_are_unaffected(self, machine: Machine) -> None:
        neighbour = machine.log_dir.with_name("d10") / "log"
        neighbour.parent.mkdir()
        do(machine.way.break_dir(machine.broker, machine.log_dir))
        assert [machine.worker.attempt(what, neighbour) for what in ("open", *CHANGES)] == [0] * 7

    def test_a_process_that_starts_later_is_affected(self, machine: Machine, tmp_path: Path) -> None:
        do(machine.way.break_dir(machine.broker, machine.log_dir))
        again = Worker(dict(machine.way.environment(tmp_path)))
        assert again.attempt("create", machine.log_dir / "log") == errno.EIO
        again.process.kill()
        again.process.wait()

    def test_a_full_disk_rejects_writes(self, machine: Machine) -> None:
        path, attempt = machine.log_dir / "log", machine.worker.attempt
        attempt("open", path)
        do(machine.way.fill_dir(machine.broker, machine.log_dir))
        assert [attempt(what, path) for what in ("write", "pwrite", "truncate")] == [errno.ENOSPC] * 3
        assert [attempt(what, path) for what in ("fsync", "read", "rename")] == [0] * 3

    def test_a_slow_directory_delays_only_its_reads(self, machine: Machine) -> None:
        slow, quick = machine.log_dir / "t-0", machine.log_dir / "t-1"
        for path in (slow, quick):
            assert [machine.worker.attempt(what, path) for what in ("open", "write")] == [0, 0]
        do(machine.way.slow_reads(machine.broker, slow, 150))
        for what in ("read", "sendfile", "map"):
            machine.worker.ask(what, slow)
            assert machine.worker.answer()[1] >= 150
        for what, path in (("read", quick), ("write", slow)):
            machine.worker.ask(what, path)
            assert machine.worker.answer()[1] < 100

    def test_a_delayed_read_continues_after_the_revert(self, machine: Machine) -> None:
        path = machine.log_dir / "log"
        machine.worker.attempt("open", path)
        do(machine.way.slow_reads(machine.broker, path, 60_000))
        machine.worker.ask("read", path)
        time.sleep(0.1)
        do(machine.way.mend_dir(machine.broker, machine.log_dir))
        code, ms = machine.worker.answer()
        assert code == 0
        assert 50 <= ms < 5000

    def test_a_held_write_waits_for_the_revert_and_reads_do_not(self, machine: Machine) -> None:
        path = machine.log_dir / "t-0"
        assert [machine.worker.attempt(what, path) for what in ("open", "write")] == [0, 0]
        do(machine.way.hold_writes(machine.broker, path))
        machine.worker.ask("read", path)
        assert machine.worker.answer()[1] < 100
        machine.worker.ask("write", path)
        time.sleep(0.2)
        do(machine.way.mend_dir(machine.broker, path))
        code, ms = machine.worker.answer()
        assert code == 0
        assert 100 <= ms < 5000

    def test_a_symbolic_link_to_a_log_dir_is_followed(self, machine: Machine, tmp_path: Path) -> None:
        link = tmp_path / "link"
        link.symlink_to(machine.log_dir)
        machine.worker.attempt("open", link / "log")
        do(machine.way.break_dir(machine.broker, link))
        assert machine.worker.attempt("write", link / "log") == errno.EIO
        assert machine.worker.attempt("create", link / "new") == errno.EIO
        do(machine.way.mend_dir(machine.broker, link))
        assert machine.worker.attempt("write", link / "log") == 0

    def test_a_broker_started_without_the_library_is_named(self, tmp_path: Path) -> None:
        other: Any = Node(tmp_path / "other", name="broker 2")
        with pytest.raises(DiskError, match="broker 2 was started without"):
            do(Shim().break_dir(other, tmp_path))

    def test_without_a_control_file_nothing_fails(self, tmp_path: Path) -> None:
        worker = Worker({"LD_PRELOAD": str(library()), "BROKEN_DISK": str(tmp_path / "none")})
        assert [worker.attempt(what, tmp_path / "log") for what in ("open", "write")] == [0, 0]
        worker.process.kill()
        worker.process.wait()

    def test_the_library_is_built_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        built = library()
        monkeypatch.setenv("PATH", str(tmp_path))
        library.cache_clear()
        assert library() == built
        assert not Shim().impossible()

    def test_a_missing_compiler_is_reported(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("PATH", str(tmp_path))
        assert "cc is not on this machine" in Shim().impossible()
        library.cache_clear()
        with pytest.raises(ToolError, match="cc is not on this machine"):
            library()
        library.cache_clear()


def test_a_control_file_limits_faults_and_path_lengths(tmp_path: Path) -> None:
    control = Control(tmp_path / "control")
    for number in range(SLOTS):
        control.slow(tmp_path / str(number), 1)
    with pytest.raises(EngineError, match=f"room for {SLOTS} faults"):
        control.kill(tmp_path)
    control.clear(tmp_path / "7")
    control.kill(tmp_path)
    with pytest.raises(EngineError, match="paths below"):
        Control(tmp_path / "other").kill(tmp_path / ("x" * 1000))


def test_a_log_dir_is_renamed_and_renamed_back(tmp_path: Path) -> None:
    log_dir, broker = tmp_path / "d1", Node(tmp_path)
    log_dir.mkdir()
    (log_dir / "meta.properties").write_text("version=1")
    way: Any = Rename()
    for _ in range(2):
        do(way.break_dir(broker, log_dir))
        assert log_dir.is_file()
    for _ in range(2):
        do(way.mend_dir(broker, log_dir))
        assert (log_dir / "meta.properties").read_text() == "version=1"
    with pytest.raises(DiskError, match="install a C compiler"):
        do(way.fill_dir(broker, log_dir))
    with pytest.raises(DiskError, match="install a C compiler"):
        do(way.slow_reads(broker, log_dir, 5))
    with pytest.raises(DiskError, match="install a C compiler"):
        do(way.hold_writes(broker, log_dir))


class TestChoosing:
    @needs_compiler
    def test_the_library_is_preferred(self) -> None:
        assert choose().name == "eio"

    def test_without_a_compiler_log_dirs_are_renamed(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
        monkeypatch.setenv("PATH", str(tmp_path))
        assert choose().name == "rename"
        with pytest.raises(DiskError, match=r"`eio` here: cc is not on this machine"):
            choose("eio")

    def test_a_method_that_needs_root_reports_so(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(os, "geteuid", lambda: 1000)
        with pytest.raises(DiskError, match="not root"):
            choose("immutable")

    def test_an_unknown_method_is_rejected(self) -> None:
        with pytest.raises(DiskError, match="there are eio, rename, immutable, read-only"):
            choose("acid")

    def test_every_method_describes_itself(self) -> None:
        for name, (described, make) in METHODS.items():
            assert described.name == make().name == name
            assert all((described.needs, described.sees, described.repair))
