"""Damaged files of a results folder: the way out that their line names is one."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.model import Outcome
from probe.model.results import ResultsError
from probe.store import RunStore, trials
from probe.store.reader import histories
from tests.support.synthetic_rows import CELL, fill


@pytest.mark.parametrize("damage", ["cut", "removed"])
def test_trials_without_a_history_are_played_again_once_both_files_are_deleted(tmp_path: Path, damage: str) -> None:
    """A file of events that is deleted alone leaves verdicts, so `--resume` has nothing to play."""
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    folder = tmp_path / f"run_id={run_id}"
    events = folder / "events" / "1of1-000000.parquet"
    if damage == "cut":
        events.write_bytes(b"")
    else:
        events.unlink()
    warned: list[str] = []
    assert not list(histories(str(tmp_path), run_id, warn=warned.append))
    assert warned[0].endswith("; delete it and trials/1of1-000000.parquet, and resume its run")
    assert RunStore.resume(str(tmp_path), run_id).done() == {(CELL, 1)}
    events.unlink(missing_ok=True)
    (folder / "trials" / "1of1-000000.parquet").unlink()
    assert RunStore.resume(str(tmp_path), run_id).done() == set()
    assert not list(histories(str(tmp_path), run_id, warn=warned.append))
    assert len(warned) == 1


def test_a_column_whose_name_is_no_text_is_damage(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    path = tmp_path / f"run_id={run_id}" / "trials" / "1of1-000000.parquet"
    path.write_bytes(path.read_bytes().replace(b"family", b"\x80amily"))
    warned: list[str] = []
    with pytest.raises(ResultsError, match="none of 1 trial files can be read"):
        list(trials(str(tmp_path), warn=warned.append))
    assert warned[0].endswith("; delete the file and resume its run")
