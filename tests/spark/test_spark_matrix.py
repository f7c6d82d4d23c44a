"""The matrix: settled by Spark, compared with DuckDB byte for byte, and by hand where a rule matters."""

from __future__ import annotations

import csv
import io
import json
import random
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql.pandas.types import to_arrow_schema

from probe.model import Facts, Outcome, Reroute, Trigger
from probe.model.harm import BY_WORD
from probe.model.versions import version_key
from probe.store.schemas import TRIAL_SCHEMA, VERDICT_SCHEMA
from spark.aggregate import enter, gather, latest, matrix
from spark.inputs import find_inputs
from spark.job import build_matrix
from spark.measures import GATHERED, SUPPORTING, as_matrix, keep_agreeing, measure
from spark.output import as_csv, in_order
from spark.reader import read_trials
from spark.schema import MATRIX, TRIAL, VERDICT
from spark.session import SMALL
from spark.tables import LATEST, PUBLISHED
from tests.support.duckdb_matrix import write_csv
from tests.support.synthetic_rows import CELL, RUNS, not_run, random_rows, trial, write, write_part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
EARLY, MIDDLE, LATE = RUNS


def rows_of(session: SparkSession, tmp_path: Path, *trials: dict[str, Any]) -> list[dict[str, str]]:
    for run_id in RUNS:
        mine = [row for row in trials if row["run_id"] == run_id]
        if mine:
            write_part(tmp_path / "results", run_id, "1of1-000000", mine)
    inputs = find_inputs(str(tmp_path / "results"))
    cells = read_trials(session, inputs).transform(matrix, inputs.runs)
    return list(csv.DictReader(io.StringIO(as_csv(in_order(cells.toArrow()).to_pylist()))))


def only(session: SparkSession, tmp_path: Path, *trials: dict[str, Any]) -> dict[str, str]:
    (row,) = rows_of(session, tmp_path, *trials)
    return row


def test_spark_and_the_store_agree_on_the_columns() -> None:
    for ours, stored in ((TRIAL, TRIAL_SCHEMA), (VERDICT, VERDICT_SCHEMA)):
        for field in to_arrow_schema(ours):
            assert stored.field(field.name).type == field.type, field.name
    assert set(VERDICT.names) == set(VERDICT_SCHEMA.names)
    assert set(TRIAL_SCHEMA.names) - set(TRIAL.names) == {"seed", "conforming", "header"}


@pytest.mark.parametrize(("seed", "cells", "trials", "small"), [(1, 300, 4, SMALL), (2, 60, 30, SMALL), (3, 400, 4, 0)])
def test_duckdb_gives_the_same_bytes(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, cells: int, trials: int, small: int
) -> None:
    for module in ("spark.session", "spark.incremental_build"):
        monkeypatch.setattr(f"{module}.SMALL", small)
    write(tmp_path, random_rows(seed, cells, trials), parts=3)
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    expected = write_csv(tmp_path, tmp_path / "duckdb.csv")
    ours = Path(built.csv).read_text()
    for mine, theirs in zip(csv.DictReader(io.StringIO(ours)), csv.DictReader(io.StringIO(expected)), strict=True):
        assert mine == theirs
    assert ours == expected
    assert built.cells > cells * 0.8
    harms = Counter(
        item.partition(":")[0] for row in csv.DictReader(io.StringIO(ours)) for item in row["harms"].split(";")
    )
    assert {*BY_WORD, ""} == set(harms), "some cells have trials of each harm, and some say nothing"
    assert {"flaky", "waiting", "broken", "not_run", "refreshes", "unsupported"} <= set(built.outcomes)


def test_csv_and_parquet_hold_the_same_values(spark: SparkSession, tmp_path: Path) -> None:
    write(tmp_path, random_rows(3, 20))
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    table = pq.read_table(built.parquet)
    assert table.column_names == MATRIX.names
    schema = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "matrix-row.json").read_text())
    for row in table.to_pylist():
        jsonschema.validate(row, schema)
    assert as_csv(table.to_pylist()) == Path(built.csv).read_bytes().decode()
    tables = [f"{name}.parquet" for name in PUBLISHED]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        ["matrix.csv", "matrix.parquet", *tables]
    )


def test_each_step_has_its_schema(spark: SparkSession, tmp_path: Path) -> None:
    write_part(tmp_path, EARLY, "1of1-000000", [trial(EARLY, 1, Outcome.STUCK)])
    entering = read_trials(spark, find_inputs(str(tmp_path))).transform(enter)
    ranked = entering.transform(latest, [EARLY])
    gathered = entering.transform(gather, ranked, [EARLY])
    behind = gathered.transform(keep_agreeing)
    for rows, columns in ((ranked, LATEST), (gathered, GATHERED), (behind, SUPPORTING)):
        assert rows.schema.simpleString() == columns.simpleString()
    assert behind.transform(measure).transform(as_matrix).schema.simpleString() == MATRIX.simpleString()


def test_agreeing_trials_make_a_row_of_statistics(spark: SparkSession, tmp_path: Path) -> None:
    times = [100.0, 200.0, 300.0, 400.0]
    trials = [
        trial(
            EARLY,
            number,
            Outcome.REFRESHES,
            fault_codes=(56,) if number > 1 else (56, 6),
            api_versions=(("Produce", 6 + number), ("Metadata", 9)),
            fault_hits=number,
            hits_before_ask=number,
            refresh_trigger=Trigger.ERROR if number > 1 else Trigger.PERIODIC,
            refresh_ms=value,
            reroute=Reroute.REFRESH,
            recovered=True,
            recovery_ms=value + 0.5,
            storm="a" if number == 2 else "",
            futile_requests_per_s=value / 16,
            errors_surfaced=number,
            first_error="" if number < 3 else "REQUEST_TIMED_OUT",
            acked=50 + number,
            watched_ms=10_000 + number,
        )
        for number, value in enumerate(times, start=1)
    ]
    row = only(spark, tmp_path, *trials)
    expected = {
        "outcome": "refreshes",
        "conforms": "yes",
        "reality": "effective",
        "trials": "4",
        "agreeing": "4",
        "watched_ms": "10001",
        "fault_codes": "56;6",
        "api_versions": "Produce=10;Metadata=9",
        "fault_hits": "1",
        "hits_before_ask": "4",
        "refresh_trigger": "error",
        "refresh_ms_p50": "250",
        "refresh_ms_p95": "385",
        "storm": "a",
        "recovered": "true",
        "recovery_ms_p50": "251",  # 250.5
        "recovery_ms_p95": "386",  # 385.5
        "outage_ms_max": "",
        "errors_surfaced": "4",
        "first_error": "REQUEST_TIMED_OUT",
        "futile_requests_per_s": "15.6",  # 15.625
        "acked": "51",
        "lost": "",
        "released": "2024-08-27",
        "reason": "it refreshes",
        "run_id": EARLY,
    }
    assert {name: row[name] for name in expected} == expected


def test_disagreeing_trials_are_flaky_and_never_averaged(spark: SparkSession, tmp_path: Path) -> None:
    row = only(
        spark,
        tmp_path,
        trial(EARLY, 1, Outcome.STUCK, refresh_ms=1000.0),
        trial(EARLY, 2, Outcome.REFRESHES, refresh_ms=10.0),
        trial(EARLY, 3, Outcome.REFRESHES, refresh_ms=20.0),
    )
    assert (row["outcome"], row["conforms"], row["trials"], row["agreeing"]) == ("flaky", "no", "3", "2")
    assert (row["outcomes"], row["worst"]) == ("refreshes:2;stuck:1", "stuck")
    assert row["refresh_ms_p50"] == "15"
    assert row["reason"] == "3 trials disagree: refreshes 2, stuck 1"


def test_the_worse_of_equally_common_outcomes_gives_the_numbers(spark: SparkSession, tmp_path: Path) -> None:
    one, two = trial(EARLY, 1, Outcome.REFRESHES, lost=0), trial(EARLY, 2, Outcome.VIOLATES, lost=3)
    row = only(spark, tmp_path, one, two)
    assert (row["outcome"], row["agreeing"], row["lost"]) == ("flaky", "1", "3")


@pytest.mark.parametrize(
    ("outcomes", "expected", "trials"),
    [
        ((Outcome.WAITING, Outcome.REFRESHES), "refreshes", "1"),
        ((Outcome.BROKEN, Outcome.REFRESHES, Outcome.BROKEN), "refreshes", "1"),
        ((Outcome.BROKEN, Outcome.WAITING), "waiting", "1"),
        ((Outcome.BROKEN, Outcome.BROKEN), "broken", "2"),
        ((Outcome.NOT_PROVOKED, Outcome.REFRESHES), "flaky", "2"),
    ],
)
def test_outcomes_that_settle_a_cell(
    spark: SparkSession, tmp_path: Path, outcomes: tuple[Outcome, ...], expected: str, trials: str
) -> None:
    row = only(spark, tmp_path, *(trial(EARLY, number, outcome) for number, outcome in enumerate(outcomes)))
    assert (row["outcome"], row["trials"]) == (expected, trials)


def test_the_latest_run_that_settles_a_cell_gives_its_row(spark: SparkSession, tmp_path: Path) -> None:
    other = replace(CELL, version="1.27.0")
    absent = replace(CELL, version="0.9.0")
    rows = rows_of(
        spark,
        tmp_path,
        trial(EARLY, 1, Outcome.STUCK),
        trial(MIDDLE, 1, Outcome.REFRESHES),
        trial(LATE, 1, Outcome.WAITING),
        trial(LATE, 2, Outcome.BROKEN),
        not_run(LATE, CELL),
        trial(EARLY, 1, Outcome.STUCK, other),
        trial(LATE, 1, Outcome.REFRESHES, other, shortened=True),
        not_run(EARLY, absent),
        not_run(LATE, absent),
    )
    found = {row["version"]: (row["outcome"], row["run_id"], row["trials"]) for row in rows}
    assert found == {
        "0.9.0": ("not_run", LATE, "0"),
        "1.27.0": ("stuck", EARLY, "1"),
        "1.43.3": ("refreshes", MIDDLE, "1"),
    }
    assert [row["version"] for row in rows] == ["0.9.0", "1.27.0", "1.43.3"]
    assert rows[0]["reason"] == "no wheel for this machine"
    assert rows[0]["fault_hits"] == ""


def test_a_cell_of_shortened_trials_only_has_no_row(spark: SparkSession, tmp_path: Path) -> None:
    row = only(
        spark,
        tmp_path,
        trial(EARLY, 1, Outcome.STUCK),
        trial(EARLY, 1, Outcome.LATE, replace(CELL, broker="2.6"), shortened=True),
    )
    assert row["broker"] == "3.9"


def test_newer_verdicts_replace_older_ones(spark: SparkSession, tmp_path: Path) -> None:
    write_part(
        tmp_path,
        EARLY,
        "1of1-000000",
        [trial(EARLY, 1, Outcome.STUCK, rules=2), trial(EARLY, 2, Outcome.STUCK, rules=4)],
    )
    folder = tmp_path / f"run_id={EARLY}" / "verdicts"
    folder.mkdir()
    for name, rules, outcome in (
        ("3-000000", 3, Outcome.SURFACES),
        ("3-000001", 3, Outcome.LATE),
        ("2-000009", 2, Outcome.CLEAN),
    ):
        rows = [trial(EARLY, number, outcome, rules=rules, refresh_ms=5.0) for number in (1, 2)]
        pq.write_table(pa.Table.from_pylist(rows, schema=VERDICT_SCHEMA), folder / f"{name}.parquet")
    build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    (row,) = pq.read_table(tmp_path / "out" / "matrix.parquet").to_pylist()
    assert row["reason"] == "2 trials disagree: late 1, stuck 1"  # trial 2 was judged by rules 4 already


def test_versions_sort_as_numbers() -> None:
    ordered = ["0.11.4", "1.9.0", "1.27.0", "2.0", "2.0.0-rc1", "2.0.0", "2.0.0+local.00ff00ff", "2.0.1", "10.0.0"]
    assert sorted(random.Random(1).sample(ordered, len(ordered)), key=version_key) == ordered


def test_facts_that_do_not_apply_are_empty(spark: SparkSession, tmp_path: Path) -> None:
    row = only(spark, tmp_path, trial(EARLY, 1, Outcome.CLEAN))
    numbers = {name for name, value in row.items() if value == ""}
    absent = {field for field, value in ((name, getattr(Facts(), name)) for name in Facts.__slots__) if value is None}
    assert {"lost", "acked", "recovered", "hits_before_ask"} <= numbers & absent
