"""Incremental builds: what they cache, when the cache is used, and that results do not depend on it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.pandas.types import to_arrow_schema

from probe.model import Outcome
from probe.store.schemas import VERDICT_SCHEMA
from spark import job
from spark.cache import SettledCache, sources
from spark.inputs import Inputs
from spark.job import Built, build_matrix
from spark.tables import KEPT, PUBLISHED
from tests.support.synthetic_rows import random_rows, trial, write, write_part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RUNS = tuple(f"202611{day:02d}T000000Z-{day:04x}" for day in range(1, 6))


@pytest.fixture
def results(tmp_path: Path) -> Path:
    return tmp_path / "results"


def build(session: Any, results: Path, out: str = "out") -> Built:
    return build_matrix(str(results), str(results.parent / out), session=session)


def written(results: Path, out: str) -> dict[str, object]:
    folder = results.parent / out
    found: dict[str, object] = {name: pq.read_table(folder / f"{name}.parquet") for name in (*PUBLISHED, "matrix")}
    return {**found, "csv": (folder / "matrix.csv").read_text()}


def store(results: Path, run_id: str, outcome: Outcome = Outcome.STUCK, part: int = 0) -> Path:
    return Path(write_part(results, run_id, f"1of1-{part:06d}", [trial(run_id, part + 1, outcome)]))


@pytest.mark.spark
def test_incremental_builds_equal_a_full_build(spark: SparkSession, results: Path) -> None:
    rows = random_rows(11, 60, 3, RUNS[:3])
    for nth, run in enumerate(RUNS[:3]):
        write(results, {run: rows[run]})
        built = build(spark, results)
        assert (built.known, built.runs, built.files, built.problems) == (nth, nth + 1, 2, ())
        spoil(results, run)  # from here on, reading it again fails
    assert built.cells > 40
    bare = results.parent / "bare"
    write(bare, rows)
    build(spark, bare, "from_nothing")
    assert written(results, "out") == written(results, "from_nothing")


def spoil(results: Path, run_id: str) -> None:
    """Overwrite a run's trials so that only reading them shows it."""
    for path in results.glob(f"run_id={run_id}/trials/*.parquet"):
        before = path.stat()
        path.write_bytes(b"x" * before.st_size)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


class Folding:
    """A stand-in for Spark that notes what would be read and returns nothing."""

    def __init__(self) -> None:
        self.asked: list[tuple[tuple[str, ...], tuple[str, ...]]] = []

    def __call__(self, session: object, new: Inputs, kept: SettledCache | None) -> dict[str, pa.Table]:
        self.asked.append((new.runs, () if kept is None else tuple(sorted(kept.runs))))
        return {name: to_arrow_schema(columns).empty_table() for name, columns in KEPT.items()}


@pytest.fixture
def folding(monkeypatch: pytest.MonkeyPatch) -> Folding:
    fake = Folding()
    monkeypatch.setattr(job, "build_incrementally", fake)
    return fake


def test_only_new_runs_are_read(results: Path, folding: Folding) -> None:
    for run in RUNS[:3]:
        store(results, run)
        assert build("a session", results).files == 1
    assert build("a session", results).files == 0
    assert folding.asked == [(RUNS[:1], ()), (RUNS[1:2], RUNS[:1]), (RUNS[2:3], RUNS[:2])]
    assert len(list((results / "settled").iterdir())) == 2


def test_a_build_without_news_starts_no_spark(results: Path, folding: Folding, monkeypatch: pytest.MonkeyPatch) -> None:
    store(results, RUNS[0])
    build("a session", results)
    monkeypatch.setattr(job, "start_session", lambda master: pytest.fail("Spark was started for nothing"))
    assert build(None, results).known == 1
    assert (results.parent / "out" / "matrix.csv").exists()


def test_only_a_growing_run_is_read_again(results: Path, folding: Folding) -> None:
    for run in RUNS[:2]:
        store(results, run)
    build("a session", results)
    for part in range(3):
        store(results, RUNS[2], part=part)
        assert build("a session", results).files == part + 1
    assert folding.asked[1:] == [((RUNS[2],), RUNS[:2])] * 3


def test_newer_verdicts_and_added_old_runs_are_noticed(results: Path, folding: Folding) -> None:
    for run in RUNS[1:3]:
        store(results, run)
        build("a session", results)
    folder = results / f"run_id={RUNS[2]}" / "verdicts"
    folder.mkdir()
    newer = [trial(RUNS[2], 1, Outcome.LATE, rules=3)]
    pq.write_table(pa.Table.from_pylist(newer, schema=VERDICT_SCHEMA), folder / "3-000000.parquet")
    build("a session", results)
    store(results, RUNS[0])
    build("a session", results)
    assert folding.asked[2:] == [((RUNS[2],), (RUNS[1],)), (RUNS[:3], ())]


def test_every_build_names_a_damaged_file(results: Path, folding: Folding) -> None:
    store(results, RUNS[0])
    bad = store(results, RUNS[0], part=1)
    bad.write_bytes(b"PAR1")
    first = build("a session", results)
    store(results, RUNS[1])
    second, third = build("a session", results), build("a session", results)
    assert (second.known, third.known) == (1, 2)
    assert first.problems == second.problems == third.problems
    assert str(bad) in first.problems[0]
    bad.unlink()
    assert build("a session", results).problems == ()


@pytest.mark.parametrize("what", ["covers.json", "matrix.parquet", "history.parquet"])
def test_a_damaged_cache_costs_time_only(results: Path, folding: Folding, what: str) -> None:
    store(results, RUNS[0])
    build("a session", results)
    (path,) = results.glob(f"settled/*/{what}")
    path.write_bytes(b"PAR1 but not really, and long enough to be no footer PAR1")
    assert build("a session", results).problems == ()
    assert folding.asked == [(RUNS[:1], ())] * 2
    assert build("a session", results).known == 1


def test_results_that_cannot_be_written_are_still_read(results: Path, folding: Folding) -> None:
    store(results, RUNS[0])
    (results / "settled").write_text("a file where the folder should be")
    (line,) = build("a session", results).problems
    assert "settled" in line
    assert "the next build will read every run again" in line
    assert (results.parent / "out" / "matrix.csv").exists()


def test_the_table_of_columns_is_part_of_the_code() -> None:
    root = Path(__file__).parents[2]
    assert {root / "probe/model/columns.py", root / "spark/measures.py"} <= set(sources())


def test_other_code_ignores_the_cache(results: Path, folding: Folding, monkeypatch: pytest.MonkeyPatch) -> None:
    store(results, RUNS[0])
    build("a session", results)
    monkeypatch.setattr("spark.cache._code", lambda: "another")
    assert build("a session", results).known == 0
