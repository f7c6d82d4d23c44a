"""Conditions in Spark: the same spans and ranks as in `probe.model.conditions`, and the tables that follow them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from probe.cells.aggregate import settle
from probe.cells.agreement import pair
from probe.model import Cell, Engine, Outcome, Role, Workload, conditions
from probe.model.conditions import ConditionsChange
from probe.store import trials
from spark import conditions as ours
from spark.inputs import find_inputs
from spark.job import build_matrix
from spark.schema import IDENTITY
from spark.session import SMALL
from spark.tables import PUBLISHED
from tests.spark.test_spark_tables import assert_same, store, tables
from tests.support.duckdb_matrix import write_csv
from tests.support.duckdb_tables import recompute
from tests.support.synthetic_rows import CELL, RUNS, random_rows, trial, write

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
EARLY, MIDDLE, LATE = RUNS
READERS = frozenset({Role.CONSUMER, Role.GROUP})
NARROW = (
    ConditionsChange(number=2, engine=Engine.EMBEDDED, text="old lines", until="2.6"),
    ConditionsChange(number=2, engine=Engine.EMBEDDED, text="new lines", since="4.0", roles=READERS),
    ConditionsChange(number=2, engine=Engine.KAFKA, text="readers", roles=READERS),
    ConditionsChange(number=2, engine=Engine.KAFKA, text="another workload", workloads=frozenset({Workload.KEYED})),
    ConditionsChange(number=3, engine=Engine.KAFKA, text="lines between", since="2.6", until="3.9"),
    ConditionsChange(number=3, engine=Engine.KAFKA, text="lines between, readers", since="3.9", roles=READERS),
)
GENERAL = tuple(ConditionsChange(number=2, engine=engine, text="all") for engine in Engine)


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "CHANGES", NARROW)


@pytest.fixture
def general(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "CHANGES", GENERAL)
    monkeypatch.setattr(conditions, "CURRENT", dict.fromkeys(Engine, 2))


@pytest.mark.parametrize("table", [NARROW, GENERAL], ids=["narrow", "general"])
def test_spark_finds_the_same_spans_and_ranks_as_python(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch, table: Sequence[ConditionsChange]
) -> None:
    monkeypatch.setattr(conditions, "CHANGES", table)
    cells = [
        replace(CELL, engine=engine, role=role, broker=broker, workload=workload)
        for engine in Engine
        for role in Role
        for broker in ("0.10.2", "2.6", "3.9", "4.0", "4.10")
        for workload in (Workload.CONTINUOUS, Workload.KEYED)
    ]
    asked = [(*cell.columns().values(), number, "stuck") for cell in cells for number in (1, 2, 3, 4)]
    names = ", ".join(f"{name} STRING" for name in IDENTITY)
    rows = spark.createDataFrame(asked, f"{names}, conditions INT, outcome STRING")
    first, end = ours.span()
    found = rows.select(*IDENTITY, "conditions", first.alias("first"), end.alias("end"), ours.tier().alias("tier"))
    for row in found.withColumn("since", ours.since_of(found["tier"])).collect():
        cell = Cell.of({name: row[name] for name in IDENTITY})
        assert (row["first"], row["end"]) == conditions.span(cell, row["conditions"]), row
        assert row["since"] == conditions.rank(cell, Outcome.STUCK, row["conditions"], EARLY)[1]
        assert row["tier"] >= ours.settling_tier()


@pytest.mark.parametrize(("table", "small"), [(GENERAL, SMALL), (NARROW, 0)], ids=["general", "narrow"])
def test_duckdb_and_python_give_the_same_results(
    spark: SparkSession,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    table: Sequence[ConditionsChange],
    small: int,
) -> None:
    """Trials of a run may differ in their conditions, as if several programs had run its shards."""
    monkeypatch.setattr(conditions, "CHANGES", table)
    for module in ("spark.session", "spark.incremental_build"):
        monkeypatch.setattr(f"{module}.SMALL", small)
    write(tmp_path, random_rows(11, 150, 5, numbers=(1, 1, 2, 3)), parts=2)
    found, expected = tables(spark, tmp_path, tmp_path / "out"), recompute(tmp_path)
    assert (tmp_path / "out" / "matrix.csv").read_text() == write_csv(tmp_path, tmp_path / "duckdb.csv")
    for name in PUBLISHED:
        assert_same(found[name], expected[name])
    settled = settle(trials(str(tmp_path)))
    published = {Cell.of(row): row for row in pq.read_table(tmp_path / "out" / "matrix.parquet").to_pylist()}
    assert settled.keys() == published.keys()
    for cell, one in settled.items():
        row = published[cell]
        assert (row["outcome"], row["run_id"]) == (one.outcome, one.run_id)
        assert row["outcome"] == Outcome.NOT_RUN or row["trials"] == len(one.verdicts)
        assert conditions.span(cell, row["conditions"])[0] == one.since
    agreeing = {(one.cell, one.embedded_profile): one.agrees for one in pair(settled)}
    assert {
        (Cell.of({**row, "engine": "kafka"}), row["embedded_profile"]): {"yes": True, "no": False}.get(row["agrees"])
        for row in found["agreement"]
    } == agreeing


@pytest.mark.usefixtures("narrow")
def test_runs_added_to_a_cache_give_the_same_tables(spark: SparkSession, tmp_path: Path) -> None:
    rows = random_rows(13, 60, 5, numbers=(1, 2, 3))
    for run_id in RUNS:
        write(tmp_path, {run_id: rows[run_id]})
        built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    assert built.known == len(RUNS) - 1
    for name, expected in recompute(tmp_path).items():
        assert_same(pq.read_table(tmp_path / "out" / f"{name}.parquet").to_pylist(), expected)
    assert (tmp_path / "out" / "matrix.csv").read_text() == write_csv(tmp_path, tmp_path / "duckdb.csv")


def again(run_id: str, outcomes: Sequence[Outcome], number: int, **cell: str) -> list[dict[str, Any]]:
    mine = replace(CELL, **cell)  # type: ignore[arg-type]  # fields by name
    return [trial(run_id, nth, outcome, mine, conditions=number) for nth, outcome in enumerate(outcomes)]


@pytest.mark.usefixtures("general")
def test_results_under_new_conditions_are_no_changes(spark: SparkSession, tmp_path: Path) -> None:
    good, bad = [Outcome.REFRESHES] * 5, [Outcome.STUCK]
    store(
        tmp_path,
        *again(EARLY, good, 1),
        *again(EARLY, good, 1, version="1.27.0"),
        *again(EARLY, good, 2, version="1.44.0"),
        *again(MIDDLE, bad, 1, version="1.45.0"),
        *again(LATE, bad, 2),
        *again(LATE, bad, 2, version="1.44.0"),
    )
    found = tables(spark, tmp_path, tmp_path / "out")
    rows = {row["version"]: row for row in pq.read_table(tmp_path / "out" / "matrix.parquet").to_pylist()}
    assert {name: (row["outcome"], row["trials"], row["conditions"]) for name, row in rows.items()} == {
        CELL.version: ("stuck", 1, 2),
        "1.27.0": ("refreshes", 5, 1),
        "1.44.0": ("stuck", 1, 2),
        "1.45.0": ("stuck", 1, 1),
    }
    assert [(row["version"], row["kind"]) for row in found["changes"]] == [("1.44.0", "changed")]
    assert [(row["outcome"], row["conditions"]) for row in found["history"] if row["version"] == CELL.version] == [
        ("refreshes", 1),
        ("stuck", 2),
    ]
    flakes = {row["version"]: (row["trials"], row["differing"], row["conditions"]) for row in found["flakes"]}
    assert flakes[CELL.version] == (1, 0, 2)
    assert flakes["1.44.0"] == (6, 1, 2)
    stretches = {(row["conditions"], row["nth"]): row["first_version"] for row in found["versions"]}
    assert stretches == {(1, 1): "1.27.0", (1, 2): "1.45.0", (2, 1): CELL.version}


@pytest.mark.usefixtures("general")
def test_engines_under_other_conditions_are_not_compared(spark: SparkSession, tmp_path: Path) -> None:
    one = [Outcome.REFRESHES]
    real = {"engine": Engine.KAFKA}
    store(
        tmp_path,
        *again(EARLY, one, 1),
        *again(LATE, one, 2, **real),
        *again(EARLY, one, 1, version="1.27.0"),
        *again(EARLY, one, 1, version="1.27.0", **real),
    )
    (found,) = (tables(spark, tmp_path, tmp_path / "out")["agreement"],)
    names = ("version", "agrees", "embedded_conditions", "kafka_conditions")
    assert [tuple(row[name] for name in names) for row in found] == [
        ("1.27.0", "yes", 1, 1),
        (CELL.version, None, 1, 2),
    ]


def test_files_without_numbers_read_as_the_first(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, {EARLY: again(EARLY, [Outcome.STUCK], 1)}, parts=1)
    (path,) = tmp_path.glob("run_id=*/trials/*.parquet")
    pq.write_table(pq.read_table(path).drop_columns(["conditions"]), path)
    build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    (row,) = pq.read_table(tmp_path / "out" / "matrix.parquet").to_pylist()
    (stored,) = trials(str(tmp_path))
    assert find_inputs(str(tmp_path)).problems == ()
    assert row["conditions"] == stored.conditions == 1
    assert (tmp_path / "out" / "matrix.csv").read_text() == write_csv(tmp_path, tmp_path / "duckdb.csv")
