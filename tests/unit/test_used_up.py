"""Real runs on a machine with a full disk or a low limit of open files."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from probe.model import Outcome
from probe.model.history import FAILING_FROM
from probe.model.outcomes import PLAYED_AGAIN
from probe.runner.schedule.descriptors import DRIVER, OWN, TRIAL
from probe.store import runs, trials
from tests.engine.test_interruptions import SELECT, none_left, running, wait_for
from tests.support.deadlines import LONGEST_S

pytestmark = pytest.mark.real
PROBE = str(Path(sys.executable).with_name("probe"))


def limited(files: int, results: Path) -> subprocess.CompletedProcess[str]:
    argv = ["sh", "-c", f'ulimit -n {files}; exec "$@"', "sh", PROBE, "run", *SELECT, "--results", str(results)]
    return subprocess.run(argv, capture_output=True, text=True, check=False)


def test_a_run_works_with_few_open_files(tmp_path: Path) -> None:
    done = limited(96, tmp_path)
    assert done.returncode == 0, done.stderr
    found = sorted(row.verdict.outcome for row in trials(str(tmp_path)) if row.trial < FAILING_FROM)
    assert found == [Outcome.CLEAN, Outcome.CLEAN, Outcome.STUCK, Outcome.SURFACES]
    assert "Too many open files" not in done.stderr


def test_a_file_limit_that_is_too_low_names_the_number(tmp_path: Path) -> None:
    done = limited(64, tmp_path)
    assert done.returncode == 3, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last == f"probe: one trial needs {OWN + DRIVER + TRIAL} open files, and 64 are allowed; raise `ulimit -n`"
    assert "Traceback" not in done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", str(folder)], check=False)
    if mounted.returncode:
        pytest.skip("this user may not mount a file system in memory")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def test_a_full_disk_ends_a_run_without_broken_cells(small_disk: Path) -> None:
    results, filler = small_disk / "results", small_disk / "filler"
    with running(results, *SELECT, "--jobs", "1") as (process, mark):
        wait_for(mark, "fake-cluster")
        with suppress(OSError), filler.open("wb", buffering=0) as file:
            while True:
                file.write(bytes(4096))
        _, errors = process.communicate(timeout=LONGEST_S)
        assert process.returncode == 3, errors
        none_left(mark)
    lines = errors.strip().splitlines()
    assert "the disk is full" in lines[-1] or "No space left on device" in lines[-1], errors
    assert "--resume" in lines[-1]
    assert "Traceback" not in errors
    (info,) = runs(str(results))
    assert not list(trials(str(results), warn=lambda _: None))
    filler.unlink()
    with running(results, "--resume", info.run_id) as (process, mark):
        _, errors = process.communicate(timeout=LONGEST_S)
        assert process.returncode == 0, errors
    outcomes = (row.verdict.outcome for row in trials(str(results), info.run_id))
    found = sorted(outcome for outcome in outcomes if outcome not in PLAYED_AGAIN)  # as on a busy machine
    assert found == [Outcome.CLEAN, Outcome.CLEAN, Outcome.STUCK, Outcome.SURFACES]
