"""Inputs of the job: complete files, unusual names, and damaged files, which are named and left out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from probe.model import Outcome
from probe.model.results import ResultsError
from probe.store.schemas import TRIAL_SCHEMA
from spark import job
from spark.inputs import find_inputs
from spark.job import build_matrix
from tests.support.synthetic_rows import RUNS, trial, write_part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
EARLY, MIDDLE, LATE = RUNS


@pytest.mark.parametrize("where", ["footer", "pages", "columns"])
def test_a_damaged_file_is_named_and_the_others_count(spark: SparkSession, tmp_path: Path, where: str) -> None:
    good = write_part(tmp_path, EARLY, "1of1-000000", [trial(EARLY, 1, Outcome.STUCK)])
    bad = Path(write_part(tmp_path, EARLY, "1of1-000001", [trial(EARLY, n, Outcome.LATE) for n in range(2, 99)]))
    data = bytearray(bad.read_bytes())
    if where == "footer":
        bad.write_bytes(data[:-9])
    elif where == "pages":
        data[4:4000] = b"\xff" * 3996
        bad.write_bytes(data)
    else:
        pq.write_table(pq.read_table(bad).rename_columns([f"x{n}" for n in range(len(TRIAL_SCHEMA))]), bad)
    (bad.parent / ".1of1-000002.parquet.77").write_bytes(b"half")
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    (line,) = built.problems
    assert str(bad) in line
    assert "left out" in line
    assert "\n" not in line
    assert dict(built.outcomes) == {"stuck": 1}
    assert good not in line


def test_unreadable_results_are_one_line_and_exit_code_3(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ResultsError, match="has no trials"):
        find_inputs(str(tmp_path))
    Path(write_part(tmp_path, EARLY, "1of1-000000", [trial(EARLY, 1, Outcome.STUCK)])).write_bytes(b"PAR1")
    assert job.main(["--results", str(tmp_path), "--out", str(tmp_path / "out")]) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert "1of1-000000.parquet" in said.err


def test_a_file_of_another_run_is_named_and_left_out(tmp_path: Path) -> None:
    good = write_part(tmp_path, EARLY, "1of1-000000", [trial(EARLY, 1, Outcome.STUCK)])
    bad = Path(write_part(tmp_path, LATE, "1of1-000000", [trial(LATE, 1, Outcome.LATE)]))
    bad.write_bytes(Path(good).read_bytes())
    found = find_inputs(str(tmp_path))
    assert found.runs == (EARLY,)
    (line,) = found.problems
    assert line == f"{bad} cannot be read: it is a file of run {EARLY}; left out; delete it and resume its run"


def test_unusual_folder_names_are_read(spark: SparkSession, tmp_path: Path) -> None:
    results = tmp_path / "re sults [1] {a,b} *%20"
    write_part(results, EARLY, "1of1-000000", [trial(EARLY, 1, Outcome.STUCK)])
    assert build_matrix(str(results), str(tmp_path / "out"), session=spark).cells == 1
