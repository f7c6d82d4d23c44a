"""Cores, idle time and memory, as the system's files report them; and what a run makes of them."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path

import pytest

from probe.processes.machine import MEMORY_VARIABLE, CpuTimes, MachineFiles, usable_cores
from probe.runner import loop_lag as lags
from probe.runner.capacity import CALM_MS
from probe.runner.loop_lag import LoopLag
from tests.support import virtual_time

TICKS = os.sysconf("SC_CLK_TCK")
CORES = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else list(range(os.cpu_count() or 1))


class Files:
    """The system's files in a folder."""

    def __init__(self, folder: Path, groups: str = "0::/\n", available_mb: int = 8000) -> None:
        self.proc, self.groups = folder / "proc", folder / "groups"
        self.write("proc/meminfo", f"MemTotal: 99999999 kB\nMemAvailable: {available_mb << 10} kB\n")
        self.write("proc/self/cgroup", groups)
        self.groups.mkdir()

    def write(self, name: str, text: str) -> None:
        path = self.proc.parent / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def read(self) -> MachineFiles:
        return MachineFiles(self.proc, self.groups)


def test_memory_without_groups_is_what_the_system_has(tmp_path: Path) -> None:
    assert Files(tmp_path).read().available_mb() == 8000


def test_a_limit_of_version_2_counts_at_every_level(tmp_path: Path) -> None:
    files = Files(tmp_path, "0::/outer/inner\n")
    files.write("groups/cgroup.controllers", "cpu memory\n")
    files.write("groups/outer/memory.max", f"{2000 << 20}\n")
    files.write("groups/outer/memory.current", f"{1500 << 20}\n")
    files.write("groups/outer/memory.stat", f"anon 1\ninactive_file {300 << 20}\n")
    files.write("groups/outer/inner/memory.max", "max\n")
    files.write("groups/outer/inner/memory.current", "4096\n")
    assert files.read().available_mb() == 800, "files' pages are dropped before memory is short"


def test_threads_are_those_that_every_group_allows(tmp_path: Path) -> None:
    files = Files(tmp_path, "0::/outer/inner\n")
    assert files.read().threads_left() is None
    files.write("groups/cgroup.controllers", "pids\n")
    for group, most, now in (("outer", "500", "480"), ("outer/inner", "max", "3")):
        files.write(f"groups/{group}/pids.max", f"{most}\n")
        files.write(f"groups/{group}/pids.current", f"{now}\n")
    assert files.read().threads_left() == 20


def test_a_limit_of_version_1_counts_and_none_is_none(tmp_path: Path) -> None:
    files = Files(tmp_path, "5:memory:/a\n4:cpu,cpuacct:/\n0::/x\n")
    files.write("groups/memory/a/memory.limit_in_bytes", f"{1000 << 20}\n")
    files.write("groups/memory/a/memory.usage_in_bytes", f"{400 << 20}\n")
    files.write("groups/memory/memory.limit_in_bytes", "9223372036854771712\n")
    files.write("groups/memory/memory.usage_in_bytes", "1\n")
    assert files.read().available_mb() == 600
    files.write("groups/memory/a/memory.limit_in_bytes", "9223372036854771712\n")
    assert files.read().available_mb() == 8000


def test_a_container_may_show_the_path_of_its_host(tmp_path: Path) -> None:
    files = Files(tmp_path, "5:memory:/docker/abc\n")
    files.write("groups/memory/memory.limit_in_bytes", f"{512 << 20}\n")
    files.write("groups/memory/memory.usage_in_bytes", f"{12 << 20}\n")
    assert files.read().available_mb() == 500


def test_a_smaller_memory_can_be_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(MEMORY_VARIABLE, "2000")
    files = Files(tmp_path)
    machine = files.read()
    assert machine.available_mb() == 2000
    files.write("proc/meminfo", f"MemAvailable: {7500 << 10} kB\n")
    assert machine.available_mb() == 1500, "what the run took counts"
    files.write("proc/meminfo", f"MemAvailable: {100 << 10} kB\n")
    assert machine.available_mb() == 0


def test_only_usable_cores_count(tmp_path: Path) -> None:
    files = Files(tmp_path)
    own = "".join(f"cpu{core} 0 0 0 {3 * TICKS} {1 * TICKS} 0\n" for core in CORES)
    files.write("proc/stat", f"cpu  1 2 3 4 5\n{own}cpu99999 0 0 0 {99 * TICKS} 0 0\nintr 5\nprocs_running 7\n")
    assert files.read().cpu() == CpuTimes(4.0 * len(CORES), 6)
    assert files.read().cores == len(CORES) == usable_cores()


@pytest.mark.parametrize("version", [1, 2])
def test_a_quota_lowers_the_number_of_cores(tmp_path: Path, version: int) -> None:
    files = Files(tmp_path, "0::/a\n" if version == 2 else "3:cpu,cpuacct:/a\n")
    if version == 2:
        files.write("groups/cgroup.controllers", "cpu\n")
        files.write("groups/a/cpu.max", "50000 100000\n")
        files.write("groups/a/cpu.stat", "usage_usec 2500000\n")
    else:
        files.write("groups/cpu/a/cpu.cfs_quota_us", "50000\n")
        files.write("groups/cpu/a/cpu.cfs_period_us", "100000\n")
        files.write("groups/cpu/a/cpuacct.usage", "2500000000\n")
    files.write("proc/stat", f"cpu{CORES[0]} 0 0 0 {TICKS} 0\nprocs_running 1\n")
    machine = files.read()
    assert machine.cores == 0.5
    assert machine.cpu() == CpuTimes(1.0, 0, 2.5)


def test_missing_and_damaged_files_are_unknown(tmp_path: Path) -> None:
    bare = MachineFiles(tmp_path / "none", tmp_path / "none")
    assert bare.cpu() is None
    assert bare.available_mb() is None
    files = Files(tmp_path, "rubbish\n::::\n")
    files.write("proc/stat", "cpu0 a b\n")
    files.write("proc/meminfo", "MemAvailable: much\n")
    assert files.read().cpu() is None
    assert files.read().available_mb() is None


class Cpu(MachineFiles):
    """Reports cores that are idle for a share of the time."""

    def __init__(self, share: float | None, runnable: int = 0) -> None:
        super().__init__()
        self.share, self.runnable = share, runnable

    def cpu(self) -> CpuTimes | None:
        return None if self.share is None else CpuTimes(self.share * self.cores * time.monotonic(), self.runnable)


@pytest.mark.parametrize(("share", "spare"), [(0.5, True), (0.2, False), (None, False)])
def test_cores_are_spare_after_several_idle_seconds(
    monkeypatch: pytest.MonkeyPatch, share: float | None, spare: bool
) -> None:
    monkeypatch.setattr(lags, "SPARE_S", 0.4)

    async def play() -> tuple[bool, bool]:
        lag = LoopLag(Cpu(share))
        async with lag.measuring():
            early = lag.has_spare()
            await asyncio.sleep(0.6)
            return early, lag.has_spare()

    assert virtual_time.run(play()) == (False, spare)


def test_the_state_of_the_machine_has_idle_time_threads_and_delays() -> None:
    async def play() -> None:
        files = Cpu(0.5, runnable=12)
        lag = LoopLag(files)
        assert lag.machine().idle is None
        async with lag.measuring():
            await asyncio.sleep(0.5)
            calm = lag.machine()
            time.sleep(0.2)  # noqa: ASYNC251  # the stall that the test is about
            await asyncio.sleep(0.05)
            stalled = lag.machine()
            await asyncio.sleep(1.4)
            over = lag.machine()
        assert calm.idle == pytest.approx(0.5, abs=0.05)
        assert calm.runnable == pytest.approx(12 / files.cores)
        assert calm.memory_mb == pytest.approx(files.available_mb(), rel=0.5)
        assert stalled.lag_ms >= 150 > CALM_MS
        assert over.lag_ms < 150, "a delay holds starts for some time only"

    virtual_time.run(play())


def test_a_cohort_waits_for_a_punctual_loop() -> None:
    async def play() -> tuple[float, float]:
        lag = LoopLag(Cpu(1.0))
        async with lag.measuring():
            await asyncio.sleep(0.1)
            time.sleep(0.1)  # noqa: ASYNC251  # the stall that the test is about
            await asyncio.sleep(0.03)
            began = time.monotonic()
            await lag.calm(20)
            waited = time.monotonic() - began
            time.sleep(0.3)  # noqa: ASYNC251  # same
            await asyncio.sleep(0.03)
            began = time.monotonic()
            await lag.calm(0.1)
            return waited, time.monotonic() - began

    waited, impatient = virtual_time.run(play())
    assert 0.1 <= waited <= 10
    assert 0.05 <= impatient <= 1
