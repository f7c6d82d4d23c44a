"""No child process outlives the probe: after a normal end, when the child hangs, or when the probe is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import uvloop

from probe.processes import vfork
from probe.processes.children import child
from probe.processes.resources import said_exhaustion
from tests.support.deadlines import LONGEST_S

DECENT_S = 2.5
"""Seconds; longer than a busy machine delays the check."""

ENDS_WITH_PIPE = "import sys; print('up', flush=True); sys.stdin.read()"
IGNORES_PIPE = (
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)"
)


def state(pid: int) -> str:
    """Return the state letter of a process: Z if it ended and was not waited for, "" if it does not exist."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return ""


def alive(pid: int) -> bool:
    return state(pid) not in {"", "Z"}


def gone(pid: int, within_s: float = LONGEST_S) -> bool:
    deadline = time.monotonic() + within_s
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


@pytest.mark.parametrize("program", [ENDS_WITH_PIPE, IGNORES_PIPE])
def test_a_child_ends_with_its_context(program: str) -> None:
    async def play() -> int:
        async with child([sys.executable, "-c", program]) as running:
            assert await running.read_line(LONGEST_S) == "up"
            return running.pid

    assert gone(uvloop.run(play()))


def test_a_stopped_child_ends_with_its_context() -> None:
    async def play() -> int:
        async with child([sys.executable, "-c", ENDS_WITH_PIPE]) as running:
            await running.read_line(LONGEST_S)
            os.kill(running.pid, signal.SIGSTOP)
            return running.pid

    assert gone(uvloop.run(play()))


def test_bytecode_of_a_child_is_stored_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "library.py").write_text("print('up', flush=True)")
    monkeypatch.setenv("PROBE_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")

    async def play() -> None:
        async with child([sys.executable, "-c", "import library"], env={"PYTHONPATH": str(tmp_path)}) as running:
            await running.read_line(LONGEST_S)
            await running.process.wait()

    uvloop.run(play())
    assert list((tmp_path / "cache" / "bytecode").rglob("library.*.pyc"))
    assert not list(tmp_path.glob("__pycache__"))


@pytest.mark.parametrize(("end", "code"), [("sys.exit(7)", 7), ("os.kill(os.getpid(), 9)", -9), ("pass", 0)])
def test_an_exit_code_is_known_at_once_and_the_process_is_reaped(
    end: str, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vfork, "DECENT_S", DECENT_S)

    async def play() -> int:
        async with child([sys.executable, "-c", f"import os, sys; {end}"]) as running:
            assert await running.process.wait() == code
            assert state(running.pid) == "Z"  # not reaped yet: its threads may still be ending
            return running.pid

    pid = uvloop.run(play())
    deadline = time.monotonic() + LONGEST_S
    while state(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not state(pid)


def test_the_last_error_output_of_a_child_is_kept() -> None:
    async def play() -> str:
        async with child([sys.executable, "-c", "import sys; sys.exit('no such broker line')"]) as running:
            await running.process.wait()
            await asyncio.sleep(0.2)
            return running.last_words()

    assert uvloop.run(play()) == "no such broker line"


def test_the_end_of_a_child_is_known_where_no_thread_can_be_started(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise RuntimeError("can't start new thread")

    async def play() -> int:
        async with child([sys.executable, "-c", "raise SystemExit(7)"]) as running, asyncio.timeout(LONGEST_S):
            return await running.process.wait()

    monkeypatch.setattr(vfork, "_reaper", vfork._Reaper())
    monkeypatch.setattr("probe.processes.vfork.threading.Thread", lambda **_: SimpleNamespace(start=refuse))
    assert uvloop.run(play()) == 7


CRASH = """
import sys
sys.stderr.write("runtime: failed to create new OS thread (have 7 already; errno=11)\\n")
sys.stderr.write("runtime: may need to increase max user processes (ulimit -u)\\n")
sys.stderr.write("fatal error: newosproc\\n")
for nth in range(200):
    sys.stderr.write(f"\\truntime/proc.go:{nth} +0x1\\n")
sys.exit(2)
"""


def test_a_runtime_that_names_its_end_before_its_stacks_is_quoted_with_it() -> None:
    async def play() -> str:
        async with child([sys.executable, "-c", CRASH]) as running:
            await running.process.wait()
            await running.end()  # all of its output is read by then
            return running.last_words()

    words = uvloop.run(play())
    assert words == "runtime: failed to create new OS thread (have 7 already; errno=11)"
    found = said_exhaustion(words)
    assert found is not None
    assert "no further process or thread can be started" in str(found)


def test_children_end_when_the_probe_is_killed() -> None:
    program = f"""
import asyncio, sys
import uvloop
from probe.processes.children import child
async def main():
    async with child([sys.executable, "-c", {ENDS_WITH_PIPE!r}]) as running:
        await running.read_line({LONGEST_S})
        print(running.pid, flush=True)
        await asyncio.sleep(600)
uvloop.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as ours:
        assert ours.stdout is not None
        pid = int(ours.stdout.readline())
        assert alive(pid)
        ours.kill()
        ours.wait()
    assert gone(pid)
