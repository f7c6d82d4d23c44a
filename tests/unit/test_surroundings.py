"""Faults around a run: a second signal, a file system that becomes read-only, a wall clock that jumps back."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NoReturn

import pytest

from probe.cli.wiring.trial_execution import TrialExecution
from probe.errors import InterruptedRunError
from probe.model import Outcome
from probe.store import ResultsError, RunStore, runs, trials, writer
from probe.store.pruning import choose
from tests.support.synthetic_rows import CELL, create, history, verdict

SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Interrupted(TrialExecution):
    """An execution that gets a signal while it plays, and another one while it ends."""

    async def _trials(self) -> NoReturn:
        self._end_by_signals()
        for number in self.numbers:
            os.kill(os.getpid(), number)
            try:
                await asyncio.sleep(600)
            except asyncio.CancelledError:
                continue
        raise asyncio.CancelledError

    numbers: tuple[signal.Signals, ...] = ()


@pytest.mark.parametrize("second", SIGNALS)
@pytest.mark.parametrize("first", SIGNALS)
def test_the_first_of_two_signals_decides_the_exit_code(first: signal.Signals, second: signal.Signals) -> None:
    store: Any = SimpleNamespace(run_id="R", results="results", resumable=True)
    nothing: Any = SimpleNamespace()
    execution = Interrupted(
        engine=nothing, bound={}, plan=nothing, options=nothing, store=store, known={}, finished={}, keep=None
    )
    execution.numbers = (first, second)
    before = [signal.getsignal(number) for number in SIGNALS]
    with pytest.raises(
        InterruptedRunError, match=r"interrupted after 0 cells, which are stored; .*--resume R"
    ) as caught:
        execution.play()
    assert caught.value.exit_code == 128 + first
    assert [signal.getsignal(number) for number in SIGNALS] == before


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A file system in memory."""
    folder = tmp_path / "disk"
    folder.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", str(folder)], check=False).returncode:
        pytest.skip("this user may not mount a file system in memory")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


def add_on_a_disk_that_becomes_read_only(store: RunStore, disk: Path) -> None:
    with store:
        store.add(history(CELL, 1), verdict(Outcome.STUCK))
        store.flush()
        subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
        store.add(history(CELL, 2), verdict(Outcome.STUCK))


def test_a_place_that_becomes_read_only_ends_a_run_with_one_line_and_keeps_what_is_stored(disk: Path) -> None:
    store = create(disk)
    with pytest.raises(
        ResultsError, match=r"Read-only file system; free the place .*--resume .* repeats 1 trials"
    ) as told:
        add_on_a_disk_that_becomes_read_only(store, disk)
    assert "\n" not in str(told.value)
    assert [row.trial for row in trials(str(disk))] == [1]
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    with RunStore.resume(str(disk), store.run_id) as again:
        again.add(history(CELL, 2), verdict(Outcome.STUCK))
    assert sorted(row.trial for row in trials(str(disk))) == [1, 2]


def test_a_wall_clock_that_jumps_back_loses_no_trial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "now", lambda: "2025-08-01T00:00:00Z")  # long before the run began
    with create(tmp_path) as store:
        store.add(history(CELL, 1), verdict(Outcome.STUCK))
    (info,) = runs(str(tmp_path))
    assert info.finished
    assert [row.trial for row in trials(str(tmp_path))] == [1]
    assert choose(str(tmp_path), older_than_days=90).gone == ()
