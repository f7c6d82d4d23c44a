"""Results stored before release 0.1.0 give the same matrix, as stored and judged again.

The files under tests/data/stored_before_0_1_0 were written once and are never written again. They hold cells with
properties and elections, and `unsupported`, `broken` (a client whose control cell storms) and `flaky` cells. Two of the
runs are kept without events, so they can be settled and not judged again.
"""

from __future__ import annotations

import csv
import json
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from probe.cells.aggregate import settle
from probe.cli.app import app
from probe.cli.wiring.reports import read_report
from probe.model import Cell, Engine, Outcome, Profile, conditions
from probe.model.columns import LEADING
from probe.model.conditions import ConditionsChange
from probe.reports.gates import read_gate, stopped
from probe.site.data.run_history import read_run_history
from probe.site.pages.feeds import feed
from probe.store import trials
from probe.store.files import Place
from probe.store.run_description import describe
from spark.job import build_matrix
from spark.rejudgement import rejudge
from tests.support.synthetic_rows import write_part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
STORED = Path(__file__).parents[1] / "data" / "stored_before_0_1_0"
PUBLISHED = STORED / "matrix.csv"
"""The matrix that the program built from these files when they were written."""
CHANGED_SINCE: dict[Cell, str] = {}
"""Cells that newer rules judge differently, with the number of the rules and the reason."""


@pytest.fixture
def results(tmp_path: Path) -> Path:
    for run in STORED.glob("run_id=*"):
        shutil.copytree(run, tmp_path / run.name)
    return tmp_path


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def as_then(row: dict[str, str]) -> dict[str, str]:
    """Return a row with the columns of that time, which are the first ones.

    A cell whose trials disagree had no conformity then; its worst trial decides it now.
    """
    columns = list(rows(PUBLISHED)[0])
    assert list(row)[: len(columns)] == columns
    kept = {name: row[name] for name in columns}
    return kept | ({"conforms": ""} if row["outcome"] == "flaky" else {})


def test_the_stored_cells_are_of_every_kind() -> None:
    outcomes = Counter(row["outcome"] for row in rows(PUBLISHED))
    assert {"flaky", "broken", "unsupported", "stuck", "refreshes"} <= set(outcomes)
    profiles = [Profile.parse(row["profile"]) for row in rows(PUBLISHED)]
    assert any(profile.properties for profile in profiles)
    assert any(profile.election for profile in profiles)


def test_stored_results_give_the_published_matrix(spark: SparkSession, results: Path) -> None:
    built = build_matrix(str(results), str(results / "out"), session=spark)
    assert built.problems == ()
    now = rows(Path(built.csv))
    assert [as_then(row) for row in now] == rows(PUBLISHED)
    assert {row["conforms"] for row in now if row["outcome"] == "flaky"} <= {"yes", "no"}
    assert {row["conditions"] for row in now} == {"1"}


def test_stored_results_judged_again_differ_in_reason_alone(spark: SparkSession, results: Path) -> None:
    for run in results.glob("run_id=*"):
        if not (run / "events").is_dir():
            shutil.rmtree(run)
    judged = rejudge(str(results), session=spark)
    assert judged.problems == ()
    assert judged.trials > 0
    assert {change.cell for change in judged.changed if change.before != change.after} == set(CHANGED_SINCE)
    built = build_matrix(str(results), str(results / "out"), session=spark)
    published = {tuple(row[name] for name in ("run_id", *LEADING)): row for row in rows(PUBLISHED)}
    for row in rows(Path(built.csv)):
        before = published[tuple(row[name] for name in ("run_id", *LEADING))]
        assert {**as_then(row), "reason": ""} == {**before, "reason": ""}


NEWER = "20991231T000000Z-ffff"


def under_newer_conditions(results: Path) -> None:
    """Store the same trials as a run under number 2, in which each client that was good is stuck and vice versa."""
    stored = [pq.read_table(path) for path in sorted(results.glob("run_id=*/trials/*.parquet"))]
    written: set[tuple[Cell, int]] = set()
    found = []
    for row in (row for table in stored for row in table.to_pylist()):
        key = (Cell.of(row), row["trial"])
        if key not in written:
            written.add(key)
            bad = row["conforms"] is not False
            changed = {"outcome": str(Outcome.STUCK if bad else Outcome.REFRESHES), "conforms": not bad}
            found.append({**row, **changed, "run_id": NEWER, "conditions": 2})
    write_part(results, NEWER, "1of1-000000", found)
    folder = results / f"run_id={NEWER}" / "run"
    folder.mkdir()
    about = describe(NEWER, "1of1", ["probe"], 1, {}, {})
    (folder / "1of1.json").write_text(json.dumps(about))


def test_no_cell_changed_where_only_the_conditions_did(
    spark: SparkSession, results: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Answers of `diff`, the page and feed of changes, and the gate `worse` about old results and a run of today."""
    changes = tuple(ConditionsChange(number=2, engine=engine, text="all") for engine in Engine)
    monkeypatch.setattr(conditions, "CHANGES", changes)
    monkeypatch.setattr(conditions, "CURRENT", dict.fromkeys(Engine, 2))
    before = {name: len(settle(trials(str(results), name))) for name in Place(str(results)).run_ids()}
    under_newer_conditions(results)
    report = read_report(str(results), NEWER)
    assert report.not_comparable() == len(report.before or {}) > 100
    assert report.changes() == []
    assert stopped(read_gate("worse"), report.cells, report.before) == []
    for run_id, count in before.items():
        done = CliRunner().invoke(app, ["diff", run_id, NEWER, "--results", str(results), "--fail-on", "worse"])
        assert done.exit_code == 0
        assert f"0 removed, 0 changed, 0 the same, {count} not comparable" in done.stdout
        assert " -> " not in done.stdout
    build_matrix(str(results), str(results / "out"), session=spark)
    past = read_run_history(results / "out")
    assert past.changes == []
    assert json.loads(feed(past))["items"] == []
    assert {(row["run_id"], row["conditions"]) for row in rows(results / "out" / "matrix.csv")} == {(NEWER, "2")}
