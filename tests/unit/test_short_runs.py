"""Programs that are run once: what is kept of their output is bounded, and none outlives its time."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from probe.processes.short_runs import KEPT, run_once
from tests.support.deadlines import LONGEST_S


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def test_output_is_kept_up_to_its_bound_and_bytes_that_are_no_text_are_replaced() -> None:
    body = "import sys; sys.stdout.buffer.write(b'\\xff' + b'x' * 3_000_000); sys.stderr.write(sys.stdin.read())"
    said = run_once([sys.executable, "-c", body], "given", seconds=LONGEST_S)
    assert said.out == "\ufffd" + "x" * (KEPT - 1)
    assert said.errors == "given"


def test_a_program_that_reads_nothing_gets_no_more_than_a_pipe_holds() -> None:
    assert run_once(["/bin/true"], "x" * 10_000_000, seconds=LONGEST_S).out == ""


def test_a_program_that_does_not_end_is_killed_with_its_children(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    script = f"sleep 600 & echo $! > {told}; yes"
    with pytest.raises(subprocess.TimeoutExpired):
        run_once(["/bin/sh", "-c", f"({script}) & while [ ! -s {told} ]; do sleep 0.01; done; wait"], seconds=3)
    text = told.read_text().strip() if told.exists() else ""
    if text:  # on a machine that is too busy the time is over before
        deadline = time.monotonic() + LONGEST_S
        while is_running(int(text)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not is_running(int(text))


def test_a_child_that_is_left_behind_does_not_hold_the_end(tmp_path: Path) -> None:
    told = tmp_path / "pid"
    said = run_once(["/bin/sh", "-c", f"sleep 600 & echo $! > {told}; echo done"], seconds=LONGEST_S)
    os.kill(int(told.read_text()), 9)
    assert said.out == "done\n"
