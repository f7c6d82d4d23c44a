"""Workloads in the pipeline: cells of their own, and files without the column are continuous."""

from __future__ import annotations

import csv
import shutil
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from probe.cells.aggregate import settle
from probe.model import Cell, Outcome, Workload
from probe.store import trials
from spark.job import build_matrix
from spark.rejudgement import rejudge
from tests.spark.test_spark_places import STORED
from tests.support.synthetic_rows import CELL, RUNS, trial, write_part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
PIPELINED = replace(CELL, workload=Workload.PIPELINED)
KEYED = replace(CELL, workload=Workload.KEYED)


def rows(text: str) -> dict[Cell, dict[str, str]]:
    with Path(text).open(newline="", encoding="utf-8") as file:
        return {Cell.of(row): row for row in csv.DictReader(file)}


def without_workload(path: str) -> None:
    """Make a file as a program wrote it before cells had a workload."""
    pq.write_table(pq.read_table(path).drop_columns(["workload"]).replace_schema_metadata({"probe.schema": "1"}), path)


def test_workloads_are_cells_of_their_own(spark: SparkSession, tmp_path: Path) -> None:
    said = {CELL: Outcome.REFRESHES, PIPELINED: Outcome.STUCK, KEYED: Outcome.LATE}
    stored = [trial(RUNS[0], 1, outcome, cell) for cell, outcome in said.items()]
    write_part(tmp_path, RUNS[0], "1of1-000000", stored)
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    found = rows(built.csv)
    assert {cell: Outcome(row["outcome"]) for cell, row in found.items()} == said
    assert list(found) == [CELL, KEYED, PIPELINED]
    names = list(next(iter(found.values())))
    assert names.index("workload") == names.index("phantom") + 1  # columns are added behind those that are there
    history = pq.read_table(tmp_path / "out" / "history.parquet").to_pylist()
    assert {Cell.of(row): Outcome(row["outcome"]) for row in history} == said


def test_older_trials_and_new_continuous_ones_are_one_cell(spark: SparkSession, tmp_path: Path) -> None:
    older = write_part(tmp_path, RUNS[0], "1of1-000000", [trial(RUNS[0], 1, Outcome.STUCK)])
    without_workload(older)
    newer = [trial(RUNS[1], 1, Outcome.REFRESHES), trial(RUNS[1], 1, Outcome.STUCK, PIPELINED)]
    write_part(tmp_path, RUNS[1], "1of1-000000", newer)
    build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    assert built.known == 2  # the cache has the column, too
    found = rows(built.csv)
    assert {cell: row["outcome"] for cell, row in found.items()} == {CELL: "refreshes", PIPELINED: "stuck"}
    assert {cell: one.outcome for cell, one in settle(trials(str(tmp_path))).items()} == {
        CELL: Outcome.REFRESHES,
        PIPELINED: Outcome.STUCK,
    }
    changes = pq.read_table(tmp_path / "out" / "changes.parquet").to_pylist()
    assert {Cell.of(row): row["kind"] for row in changes} == {CELL: "changed", PIPELINED: "added"}
    stretches = pq.read_table(tmp_path / "out" / "history.parquet").to_pylist()
    assert [Cell.of(row) for row in stretches] == [CELL, CELL, PIPELINED]


def test_later_runs_extend_the_history_of_each_workload(spark: SparkSession, tmp_path: Path) -> None:
    for run in RUNS:
        both = [trial(run, 1, Outcome.REFRESHES, cell) for cell in (PIPELINED, CELL)]
        write_part(tmp_path, run, "1of1-000000", both)
        build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    stretches = pq.read_table(tmp_path / "out" / "history.parquet").to_pylist()
    assert {Cell.of(row): row["runs"] for row in stretches} == {CELL: len(RUNS), PIPELINED: len(RUNS)}
    assert len(stretches) == 2


def test_older_histories_are_judged_again_as_continuous(spark: SparkSession, tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(STORED, results)
    judged = rejudge(str(results), session=spark, judge="tests.support.judges:by_trial")
    assert judged.problems == ()
    assert {change.cell.workload for change in judged.changed} == {Workload.CONTINUOUS}
    for path in judged.written:
        assert pc.unique(pq.read_table(results / path)["workload"]).to_pylist() == ["continuous"]
    after = {row.cell: row.verdict.outcome for row in trials(str(results))}
    built = build_matrix(str(results), str(tmp_path / "out"), session=spark)
    assert {cell: Outcome(row["outcome"]) for cell, row in rows(built.csv).items()} == after
