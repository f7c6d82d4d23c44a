"""Retention: old runs are removed, except for those that a published cell needs."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.errors import ProbeError
from probe.model import Cell, Outcome
from probe.store import RunStore, runs, trials
from probe.store import history as read_history
from probe.store.lock import RUNS, locked
from probe.store.pruning import ASIDE, choose, remove
from tests.support.synthetic_rows import CELL, history, verdict

OTHER = replace(CELL, version="1.27.0")
NOW = datetime(2026, 6, 1, tzinfo=UTC)


def run(folder: Path, day: int, *cells: tuple[Cell, Outcome], finished: bool = True, **header: object) -> str:
    run_id = f"202605{day:02}T000000Z-0000"
    store = RunStore.create(str(folder), command=["probe"], seed=1, run_id=run_id)
    store.__enter__()
    for cell, outcome in cells:
        store.add(history(cell, 1, **header), verdict(outcome))
    store.__exit__(*((None, None, None) if finished else (KeyboardInterrupt, KeyboardInterrupt(), None)))
    return run_id


def gone(folder: Path, **how: object) -> tuple[str, ...]:
    return choose(str(folder), now=NOW, **how).gone  # type: ignore[arg-type]  # keywords of `choose`


def test_only_runs_with_newer_results_are_removed(tmp_path: Path) -> None:
    first = run(tmp_path, 1, (CELL, Outcome.STUCK), (OTHER, Outcome.STUCK))
    second = run(tmp_path, 2, (CELL, Outcome.STUCK))
    third = run(tmp_path, 3, (CELL, Outcome.REFRESHES))
    found = choose(str(tmp_path), keep=1, now=NOW)
    assert found.gone == (second,)
    assert {kept.run_id: kept.reason for kept in found.kept} == {
        first: "last evidence of 1 cells",
        third: "among the newest 1",
    }
    assert remove(str(tmp_path), found.gone) > 1000
    assert [info.run_id for info in runs(str(tmp_path))] == [first, third]
    assert read_history(str(tmp_path), first, OTHER, 1).header.cell == OTHER
    assert gone(tmp_path, keep=1) == ()


@pytest.mark.parametrize("outcome", [Outcome.BROKEN, Outcome.NOT_RUN])
def test_a_newer_trial_without_a_verdict_is_no_evidence(tmp_path: Path, outcome: Outcome) -> None:
    run(tmp_path, 1, (CELL, Outcome.STUCK))
    run(tmp_path, 2, (CELL, outcome))
    third = run(tmp_path, 3, (OTHER, Outcome.STUCK))
    assert [kept.run_id for kept in choose(str(tmp_path), keep=1, now=NOW).kept][-1] == third
    assert gone(tmp_path, keep=1) == ("20260502T000000Z-0000",)


def test_a_shortened_trial_is_no_evidence(tmp_path: Path) -> None:
    first = run(tmp_path, 1, (CELL, Outcome.STUCK))
    run(tmp_path, 2, (CELL, Outcome.STUCK), shortened=True)
    assert first not in gone(tmp_path, keep=1)


def test_the_age_of_a_run_is_from_its_start(tmp_path: Path) -> None:
    first, second, _ = (run(tmp_path, day, (CELL, Outcome.STUCK)) for day in (1, 20, 30))
    assert gone(tmp_path, older_than_days=20) == (first,)
    assert gone(tmp_path, older_than_days=5) == (first, second)
    assert gone(tmp_path, older_than_days=5, keep=2) == (first,)


def test_damaged_and_unfinished_runs_are_kept(tmp_path: Path) -> None:
    damaged = run(tmp_path, 1, (CELL, Outcome.STUCK))
    (tmp_path / f"run_id={damaged}" / "trials" / "1of1-000000.parquet").write_bytes(b"")
    under_way = run(tmp_path, 31, (CELL, Outcome.STUCK), finished=False)
    run_id = "20260531T120000Z-0000"
    with RunStore.create(str(tmp_path), command=[], seed=1, run_id=run_id) as store:
        store.add(history(), verdict())
    reasons = {kept.run_id: kept.reason for kept in choose(str(tmp_path), keep=1, now=NOW).kept}
    assert "cannot be read whole" in reasons[damaged]
    assert reasons[under_way] == "has not ended"


def test_an_interrupted_removal_is_completed_by_the_next(tmp_path: Path) -> None:
    first = run(tmp_path, 1, (CELL, Outcome.STUCK))
    (tmp_path / f"run_id={first}").rename(tmp_path / f"{ASIDE}{first}")
    assert list(trials(str(tmp_path))) == []
    assert remove(str(tmp_path), ()) > 1000
    assert list(tmp_path.glob(f"{ASIDE}*")) == []


def test_prune_lists_runs_and_waits_for_running_ones(tmp_path: Path) -> None:
    first = run(tmp_path, 1, (CELL, Outcome.STUCK))
    run(tmp_path, 2, (CELL, Outcome.STUCK))
    command = ["prune", "--results", str(tmp_path), "--keep", "1"]
    tried = CliRunner().invoke(app, [*command, "--dry-run"])
    assert f"would be removed  {first}" in tried.stdout
    assert "MB would be freed" in tried.stdout
    assert len(runs(str(tmp_path))) == 2
    with locked(str(tmp_path), RUNS, shared=True):
        refused = CliRunner().invoke(app, command)
        assert isinstance(refused.exception, ProbeError)
        assert "is locked by" in str(refused.exception)
    done = CliRunner().invoke(app, command)
    assert f"removed  {first}" in done.stdout
    assert len(runs(str(tmp_path))) == 1
    nothing = CliRunner().invoke(app, command[:-2])
    assert "--older-than DAYS" in str(nothing.exception)
