"""The other tables: each compared with DuckDB on the same files, and by hand where a rule matters."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pyarrow.parquet as pq
import pyspark.sql.functions as F  # noqa: N812  # the name every Spark program uses
import pytest

from probe.model import Cell, Engine, Outcome, Profile
from probe.model.intervals import Z_95, wilson
from probe.model.versions import version_key
from spark.encoding import version_place
from spark.incremental_build import IncrementalBuild
from spark.inputs import find_inputs
from spark.job import build_matrix
from spark.schema import IDENTITY
from spark.session import SMALL
from spark.statistics import plain_profile
from spark.tables import PUBLISHED, TRAFFIC
from tests.support.duckdb_matrix import write_csv
from tests.support.duckdb_tables import recompute
from tests.support.synthetic_rows import CELL, RUNS, random_rows, trial, write, write_part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = Mapping[str, Any]
ROOT = Path(__file__).parents[2]
MANY = tuple(f"202611{day:02d}T000000Z-{day:04x}" for day in range(1, 8))
OLD, NEWEST = MANY[0], MANY[6]


def tables(session: SparkSession, results: Path, out: Path) -> dict[str, list[dict[str, Any]]]:
    build_matrix(str(results), str(out), session=session)
    return {name: pq.read_table(out / f"{name}.parquet").to_pylist() for name in PUBLISHED}


def store(results: Path, *trials: dict[str, Any]) -> None:
    for run_id in sorted({row["run_id"] for row in trials}):
        write_part(results, run_id, "1of1-000000", [row for row in trials if row["run_id"] == run_id])


def assert_same(ours: Sequence[Row], theirs: Sequence[Row]) -> None:
    """Compare cell by cell; fractions within a thousandth, to which they are rounded."""
    mine, other = sorted(ours, key=_key), sorted(theirs, key=_key)
    assert [_key(row) for row in mine] == [_key(row) for row in other]
    for one, two in zip(mine, other, strict=True):
        for name, value in two.items():
            close = isinstance(value, float) and math.isclose(one[name], value, abs_tol=1.1e-3)
            assert close or one[name] == value, (name, one, two)


def _key(row: Row) -> str:
    return repr(sorted((name, value) for name, value in row.items() if not isinstance(value, (float, list))))


def test_every_table_has_a_schema_for_its_readers() -> None:
    for name, columns in {**PUBLISHED, "traffic": TRAFFIC}.items():
        schema = json.loads((ROOT / "docs" / "schema" / f"{name}-row.json").read_text())
        assert list(schema["properties"]) == schema["required"] == columns.names, name


@pytest.mark.spark
@pytest.mark.parametrize(("seed", "cells", "runs", "small"), [(1, 600, MANY, SMALL), (16, 900, RUNS, 0)])
def test_duckdb_gives_the_same_tables(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    seed: int,
    cells: int,
    runs: Sequence[str],
    small: int,
) -> None:
    """The same on the path for many rows: compiled, in several tasks, adaptively planned."""
    for module in ("spark.session", "spark.incremental_build"):
        monkeypatch.setattr(f"{module}.SMALL", small)
    write(tmp_path, random_rows(seed, cells, 4, runs), parts=2)
    ours, theirs = tables(spark, tmp_path, tmp_path / "out"), recompute(tmp_path)
    for name, rows in ours.items():
        assert_same(rows, theirs[name])
        schema = json.loads((ROOT / "docs" / "schema" / f"{name}-row.json").read_text())
        check = jsonschema.Draft202012Validator(schema)
        for row in rows[:50]:
            check.validate(row)
    assert all(ours.values())
    assert {"yes", "no", None} <= {row["agrees"] for row in ours["agreement"]} or runs is MANY
    assert {row["kind"] for row in ours["changes"]} == {"added", "changed"}
    assert max(row["runs"] for row in ours["history"]) > 1


@pytest.mark.spark
def test_few_of_many_runs_are_read_whole(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs that give cells their rows, now or before the newest run."""
    rows = random_rows(7, 4, 4, MANY)
    write(tmp_path, rows, parts=2)
    inputs = find_inputs(str(tmp_path))
    for small in (0, inputs.of(runs_behind(rows)).bytes):
        for module in ("spark.session", "spark.incremental_build"):
            monkeypatch.setattr(f"{module}.SMALL", small)
        with ExitStack() as caches:
            ranked = IncrementalBuild(spark, inputs, None, caches).ranked
        assert {run for run, _ in ranked} == runs_behind(rows)
    assert small < inputs.bytes
    ours, theirs = tables(spark, tmp_path, tmp_path / "out"), recompute(tmp_path)
    for name, found in ours.items():
        assert_same(found, theirs[name])
    assert (tmp_path / "out" / "matrix.csv").read_text() == write_csv(tmp_path, tmp_path / "duckdb.csv")


def runs_behind(rows: Mapping[str, Sequence[Row]]) -> set[str]:
    """Find them cell by cell, without Spark."""
    weights = {"not_run": 0, "broken": 1, "waiting": 2}
    ranks: dict[tuple[str, ...], list[tuple[int, str]]] = {}
    for row in (row for run in rows.values() for row in run if not (row["shortened"] or row["sweep"])):
        cell = tuple(row[name] for name in IDENTITY)
        ranks.setdefault(cell, []).append((weights.get(row["outcome"], 3), row["run_id"]))
    earlier = ([rank for rank in mine if rank[1] != NEWEST] for mine in ranks.values())
    return {max(mine)[1] for mine in (*ranks.values(), *earlier) if mine}


def of(family: str, **changes: Any) -> Cell:
    return replace(CELL, family=family, **changes)


def invented() -> list[dict[str, Any]]:
    """Trials of four families, one per table, so that one build serves the tests below."""
    said = (Outcome.STUCK, Outcome.STUCK, Outcome.BROKEN, Outcome.STUCK, Outcome.REFRESHES, Outcome.STUCK)
    versions = {
        "1.9.0": Outcome.REFRESHES,
        "1.27.0": Outcome.STUCK,
        "1.30.0": Outcome.BROKEN,
        "1.38.1": Outcome.STUCK,
        "1.43.0-rc1": Outcome.REFRESHES,
        "1.43.0": Outcome.REFRESHES,
    }
    real = of("engines", engine=Engine.KAFKA)
    return [
        *(trial(OLD, 1, Outcome.STUCK, of("changes", version=name)) for name in ("same", "better", "broken", "gone")),
        trial(NEWEST, 1, Outcome.STUCK, of("changes", version="same"), fault_hits=99),
        trial(NEWEST, 1, Outcome.REFRESHES, of("changes", version="better")),
        trial(NEWEST, 1, Outcome.BROKEN, of("changes", version="broken")),
        trial(NEWEST, 1, Outcome.LATE, of("changes", version="new")),
        *(trial(run, 1, outcome, of("history")) for run, outcome in zip(MANY, said, strict=False)),
        *(trial(OLD, 1, outcome, of("versions", version=name)) for name, outcome in versions.items()),
        trial(OLD, 1, Outcome.STUCK, of("engines")),
        trial(OLD, 1, Outcome.REFRESHES, of("engines", profile="isolated+election=250")),
        trial(OLD, 1, Outcome.REFRESHES, real),
        trial(OLD, 1, Outcome.REFRESHES, replace(real, profile="idempotent")),
        trial(OLD, 1, Outcome.WAITING, of("engines", version="1.0")),
        trial(OLD, 1, Outcome.REFRESHES, replace(real, version="1.0")),
    ]


@pytest.fixture(scope="module")
def built(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    folder = tmp_path_factory.mktemp("built")
    store(folder, *invented())
    found = tables(spark, folder, folder / "out")
    return {name: [row for row in rows if row["family"] == _FAMILY.get(name, name)] for name, rows in found.items()}


_FAMILY = {"agreement": "engines"}


@pytest.mark.spark
def test_changes_belong_to_the_newest_run(built: dict[str, list[dict[str, Any]]]) -> None:
    rows = {row["version"]: row for row in built["changes"]}
    assert sorted(rows) == ["better", "new"]
    names = ("kind", "outcome_before", "outcome", "conforms_before", "conforms", "run_before", "run_id")
    assert [rows["better"][name] for name in names] == ["changed", "stuck", "refreshes", "no", "yes", OLD, NEWEST]
    assert [rows["new"][name] for name in names] == ["added", None, "late", None, "no", None, NEWEST]


@pytest.mark.spark
def test_history_joins_runs_with_equal_answers(built: dict[str, list[dict[str, Any]]]) -> None:
    assert [(row["outcome"], row["first_run"], row["last_run"], row["runs"]) for row in built["history"]] == [
        ("stuck", MANY[0], MANY[3], 3),
        ("refreshes", MANY[4], MANY[4], 1),
        ("stuck", MANY[5], MANY[5], 1),
    ]


@pytest.mark.spark
def test_versions_show_since_when_an_answer_holds(built: dict[str, list[dict[str, Any]]]) -> None:
    rows = sorted(built["versions"], key=lambda row: row["nth"])
    assert [(row["outcome"], row["first_version"], row["last_version"], row["versions"]) for row in rows] == [
        ("refreshes", "1.9.0", "1.9.0", 1),
        ("stuck", "1.27.0", "1.38.1", 2),
        ("refreshes", "1.43.0-rc1", "1.43.0", 2),
    ]
    assert [row["newest"] for row in rows] == [False, False, True]


@pytest.mark.spark
def test_engines_are_compared_across_elections(built: dict[str, list[dict[str, Any]]]) -> None:
    found = {(row["version"], row["embedded_profile"], row["profile"]): row["agrees"] for row in built["agreement"]}
    assert found == {
        (CELL.version, "isolated", "isolated"): "no",
        (CELL.version, "isolated+election=250", "isolated"): "yes",
        ("1.0", "isolated", "isolated"): None,
    }


@pytest.mark.spark
def test_spark_removes_elections_as_python_does(spark: SparkSession) -> None:
    texts = [
        "isolated",
        "isolated+election=250,40",
        "isolated+a=1+++election=250+z=1",
        "isolated+a=1++election=250",
        "isolated+=election=250",
        "isolated+election=250+=election=5++",
        "isolated+election=250+=++k=v",
    ]
    rows = spark.createDataFrame([(text,) for text in texts], "text STRING")
    found = [row["plain"] for row in rows.select(plain_profile(F.col("text")).alias("plain")).collect()]
    assert found == [str(replace(Profile.parse(text), election=None)) for text in texts]


@pytest.mark.spark
def test_spark_sorts_versions_as_python_does(spark: SparkSession) -> None:
    names = ["0.11.4", "1.9.0", "1.27.0", "2.0", "2.0.0-rc1", "2.0.0", "2.0.0+local.00ff00ff", "2.0.1", "10.0.0", "2.x"]
    rows = spark.createDataFrame([(name,) for name in names], "name STRING")
    ours = [row["name"] for row in rows.orderBy(F.expr(version_place("name"))).collect()]
    assert ours == sorted(names, key=version_key)


@pytest.mark.spark
def test_intervals_follow_wilson(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(0, 3), (1, 10), (5, 10), (10, 10)], "hits INT, of INT")
    found = rows.select(*wilson(rows["hits"], rows["of"], Z_95, F.sqrt)).collect()
    expected = [(0.0, 0.5615), (0.0179, 0.4042), (0.2366, 0.7634), (0.7225, 1.0)]  # R: binom.confint(method="wilson")
    for row, (low, high) in zip(found, expected, strict=True):
        assert (row[0], row[1]) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))
