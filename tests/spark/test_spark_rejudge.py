"""Judging again: from stored histories alone, with the current rules, with a list of changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from probe.model import Outcome
from probe.store import RunStore, trials
from spark.job import build_matrix
from spark.rejudgement import rejudge
from tests.support.synthetic_rows import CELL, EVENTS, history, verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
STEADY = replace(CELL, scenario="steady")
OTHER = replace(CELL, version="1.27.0")
ABSENT = replace(CELL, version="0.1")


@pytest.fixture
def results(tmp_path: Path) -> Path:
    with RunStore.create(str(tmp_path), command=[], seed=1) as store:
        store.add(history(STEADY, 1), verdict(Outcome.CLEAN))
        store.add(history(CELL, 1, steady=Outcome.CLEAN), verdict(Outcome.REFRESHES))
        store.flush()
        store.add(history(CELL, 2), verdict(Outcome.REFRESHES))
        store.add(history(OTHER, 1), verdict(Outcome.LATE, fault_hits=len(EVENTS)))
        store.add_not_run(ABSENT, "no wheel")
    return tmp_path


def test_stored_histories_are_judged_by_the_current_rules(spark: SparkSession, results: Path) -> None:
    done = rejudge(str(results), session=spark, judge="tests.support.judges:by_trial")
    assert done.trials == 3
    assert [Path(path).name for path in done.written] == ["2-000000.parquet"]
    (problem,) = done.problems
    assert "trial 2 of sarama 1.43.3" in problem
    assert "ValueError: even" in problem
    rows = {(row.cell, row.trial): row.verdict for row in trials(str(results))}
    assert rows[CELL, 1].outcome is Outcome.LATE
    assert rows[CELL, 1].facts.fault_hits == len(EVENTS)
    assert rows[CELL, 1].reason == "steady surfaces"  # the current reason, not the stored one
    assert rows[OTHER, 1].reason == "steady None"
    assert rows[CELL, 2].outcome is Outcome.REFRESHES
    assert rows[ABSENT, 0].outcome is Outcome.NOT_RUN
    changed = {change.cell: (change.before, change.after) for change in done.changed}
    assert changed == {CELL: ("refreshes", "flaky"), STEADY: ("clean", "surfaces"), OTHER: ("late", "late")}


def test_the_matrix_takes_the_newest_verdicts(spark: SparkSession, results: Path) -> None:
    rejudge(str(results), session=spark, judge="tests.support.judges:by_trial")
    built = build_matrix(str(results), str(results / "out"), session=spark)
    found = {(row["version"], row["scenario"]): row["outcome"] for row in pq.read_table(built.parquet).to_pylist()}
    assert found == {
        ("0.1", "disk/storage-error"): "not_run",
        ("1.27.0", "disk/storage-error"): "late",
        ("1.43.3", "disk/storage-error"): "flaky",
        ("1.43.3", "steady"): "surfaces",
    }


def test_the_same_rules_again_change_and_write_nothing(spark: SparkSession, results: Path) -> None:
    rejudge(str(results), session=spark, judge="tests.support.judges:by_trial")
    again = rejudge(str(results), session=spark, judge="tests.support.judges:by_trial")
    assert again.trials == 3
    assert (again.written, again.changed) == ((), ())


def test_a_file_without_its_events_keeps_its_verdicts(spark: SparkSession, results: Path) -> None:
    (gone,) = results.glob("run_id=*/events/1of1-000000.parquet")
    gone.unlink()
    done = rejudge(str(results), session=spark, judge="tests.support.judges:by_trial")
    assert sum("1of1-000000" in line for line in done.problems) == 1
    assert {change.cell for change in done.changed} == {OTHER}
