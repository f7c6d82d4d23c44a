"""Results stored before release 0.1.0 give the same matrix, as stored and judged again.

The files under tests/data/stored_before_0_1_0 were written once and are never written again. They hold cells with
properties and elections, and `unsupported`, `broken` (a client whose control cell storms) and `flaky` cells. Two of the
runs are kept without events, so they can be settled and not judged again.
"""

from __future__ import annotations

import csv
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from probe.model import Cell, Profile
from spark.job import build_matrix
from spark.rejudge import rejudge

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


def test_stored_results_judged_again_differ_in_reason_alone(spark: SparkSession, results: Path) -> None:
    for run in results.glob("run_id=*"):
        if not (run / "events").is_dir():
            shutil.rmtree(run)
    judged = rejudge(str(results), session=spark)
    assert judged.problems == ()
    assert judged.trials > 0
    assert {change.cell for change in judged.changed} == set(CHANGED_SINCE)
    built = build_matrix(str(results), str(results / "out"), session=spark)
    published = {tuple(row[name] for name in ("run_id", *Cell.__dataclass_fields__)): row for row in rows(PUBLISHED)}
    for row in rows(Path(built.csv)):
        before = published[tuple(row[name] for name in ("run_id", *Cell.__dataclass_fields__))]
        assert {**as_then(row), "reason": ""} == {**before, "reason": ""}
