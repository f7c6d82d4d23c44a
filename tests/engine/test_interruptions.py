"""Interrupted runs: no process is left, and the judged trials can be read."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from contextlib import AbstractContextManager
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from probe.model import Outcome
from probe.model.history import FAILING_FROM
from probe.store import runs, trials
from tests.support.deadlines import LONGEST_S
from tests.support.marked_processes import PROBE, left, marked, started

pytestmark = pytest.mark.real
NO_MORE = ("--repeat-budget", "0")
"""No further trials, so that their number is known."""
SELECT = [
    "--client",
    "sarama@1.43.2",
    "--scenario",
    "disk/storage-error",
    "--role",
    "producer",
    "--role",
    "consumer",
    *NO_MORE,
]


def running(results: Path, *more: str) -> AbstractContextManager[tuple[subprocess.Popen[str], str]]:
    return started([PROBE, "run", *(more or SELECT), "--results", str(results)])


def wait_for(mark: str, name: str, within_s: float = LONGEST_S) -> int:
    """Return the pid of a marked process whose executable path contains the name; other arguments do not count."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        for pid, command in marked(mark).items():
            if name in command.split(" ", 1)[0]:
                return pid
        time.sleep(0.1)
    pytest.fail(f"no {name} was started")


def none_left(mark: str) -> None:
    assert left(mark) == {}


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_run_cleanly(tmp_path: Path, number: signal.Signals, code: int) -> None:
    wanted = ["--junit", str(tmp_path / "j.xml"), "--summary", str(tmp_path / "s.md")]
    with running(tmp_path, *SELECT, *wanted) as (process, mark):
        wait_for(mark, "fake-cluster")
        time.sleep(9)  # by then the control cells are judged and the stuck producer is still observed
        process.send_signal(number)
        _, errors = process.communicate(timeout=LONGEST_S)
        assert process.returncode == code
        assert "--resume" in errors.strip().splitlines()[-1]
        none_left(mark)
    (info,) = runs(str(tmp_path))
    kept = [row for row in trials(str(tmp_path), info.run_id) if row.trial < FAILING_FROM]
    assert {row.verdict.outcome for row in kept} <= {Outcome.CLEAN, Outcome.SURFACES}
    judged = {row.cell for row in trials(str(tmp_path), info.run_id)}
    assert len(list(ET.parse(tmp_path / "j.xml").iter("testcase"))) == len(judged) < 4
    assert f"**{4 - len(judged)} cell" in (tmp_path / "s.md").read_text()
    assert f"probe_run_left_cells {4 - len(judged)}\n" in (tmp_path / "metrics.prom").read_text()


def test_a_killed_run_leaves_no_process_and_can_be_resumed(tmp_path: Path) -> None:
    with running(tmp_path) as (process, mark):
        wait_for(mark, "fake-cluster")
        time.sleep(12)
        process.kill()
        process.wait(timeout=LONGEST_S)
        none_left(mark)
    (info,) = runs(str(tmp_path))
    before = {(row.cell, row.trial) for row in trials(str(tmp_path), info.run_id)}
    with running(tmp_path, "--resume", info.run_id, *NO_MORE) as (process, mark):
        _, errors = process.communicate(timeout=LONGEST_S)
        assert process.returncode == 0, errors
        none_left(mark)
    after = [(row.cell, row.trial) for row in trials(str(tmp_path), info.run_id)]
    assert before <= set(after)
    assert len(after) == len(set(after)) == 4


@pytest.mark.parametrize("victim", ["drivers/sarama", "fake-cluster"])
def test_a_killed_child_costs_only_its_own_trials(tmp_path: Path, victim: str) -> None:
    with running(tmp_path) as (process, mark):
        pid = wait_for(mark, victim)
        time.sleep(7)
        pid = wait_for(mark, victim)
        os.kill(pid, signal.SIGKILL)
        _, errors = process.communicate(timeout=LONGEST_S)
        assert process.returncode == 0, errors
        none_left(mark)
    found = {row.cell: row.verdict.outcome for row in trials(str(tmp_path)) if row.trial < FAILING_FROM}
    assert sorted(found.values()) == [Outcome.CLEAN, Outcome.CLEAN, Outcome.STUCK, Outcome.SURFACES]
