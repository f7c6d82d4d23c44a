"""Locks of a results folder that several processes use."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from probe.store.lock import FOLDER, PUBLISHING, RUNS, LockedError, locked, run_lock

HOLD = """
import sys, time
from probe.store.lock import locked
with locked(sys.argv[1], sys.argv[2]):
    print("held", flush=True)
    time.sleep(float(sys.argv[3]))
"""


def holder(folder: Path, name: str, seconds: float = 60) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder), name, str(seconds)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_lock_error_names_the_holder(tmp_path: Path) -> None:
    with holder(tmp_path, PUBLISHING) as process:
        try:
            with pytest.raises(LockedError) as caught, locked(str(tmp_path), PUBLISHING):
                pass
        finally:
            process.kill()
    assert f"pid {process.pid} on " in str(caught.value)
    assert " since 2" in str(caught.value)
    assert "--wait SECONDS" in str(caught.value)
    assert caught.value.exit_code == 2


def test_a_lock_of_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    process = holder(tmp_path, PUBLISHING)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=20)
    messages: list[str] = []
    with locked(str(tmp_path), PUBLISHING, say=messages.append):
        pass
    assert len(messages) == 1
    assert f"pid {process.pid}" in messages[0]
    messages.clear()
    with locked(str(tmp_path), PUBLISHING, say=messages.append):
        pass
    assert messages == []


def test_waiting_ends_when_the_lock_is_released(tmp_path: Path) -> None:
    messages: list[str] = []
    with holder(tmp_path, PUBLISHING, 1.0) as process:
        started = time.monotonic()
        with locked(str(tmp_path), PUBLISHING, wait_s=30, say=messages.append):
            assert process.wait(20) == 0
        assert time.monotonic() - started < 25
    assert "waiting for it, at most 30 s" in messages[0]


def test_waiting_has_a_time_limit(tmp_path: Path) -> None:
    with locked(str(tmp_path), PUBLISHING):
        started = time.monotonic()
        with pytest.raises(LockedError), locked(str(tmp_path), PUBLISHING, wait_s=0.5):
            pass
        assert 0.4 < time.monotonic() - started < 10


def test_shards_share_the_lock_and_removal_waits_for_all_runs(tmp_path: Path) -> None:
    folder = str(tmp_path)
    with locked(folder, RUNS, shared=True), locked(folder, run_lock("1of2")):
        with locked(folder, RUNS, shared=True), locked(folder, run_lock("2of2")):
            pass
        with pytest.raises(LockedError), locked(folder, run_lock("1of2")):
            pass
        with pytest.raises(LockedError, match="pid ") as caught, locked(folder, RUNS):
            pass
    assert "runs in" in str(caught.value)
    with locked(folder, RUNS):
        pass


def test_a_url_has_no_lock_and_an_unwritable_folder_is_named(tmp_path: Path) -> None:
    with locked("s3://bucket/results", PUBLISHING):
        pass
    (tmp_path / FOLDER).write_text("")
    with pytest.raises(Exception, match="cannot be written"), locked(str(tmp_path), PUBLISHING):
        pass
