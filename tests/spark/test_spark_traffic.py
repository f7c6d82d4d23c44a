"""Traffic of brokers between injection and revert of the fault, from event rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from probe.model import EngineEvent, EngineKind, Event, Folded, History, Mark, MarkKind, Outcome, Request, Response
from probe.model.results import ResultsError
from probe.protocol.apis import METADATA, PRODUCE
from spark.job import build_matrix
from spark.traffic_job import build_traffic
from tests.spark.test_spark_tables import assert_same
from tests.support.duckdb_tables import recompute_traffic
from tests.support.synthetic_rows import CELL, create, header, verdict

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
OLD, OTHER = 1, 2
FAULT, MENDED = 10_000_000, 14_000_000


def request(at: int, broker: int, api: int = PRODUCE, size: int = 100) -> Request:
    return Request(at=at, conn=broker, broker=broker, corr=at, api=api, version=7, size=size)


def seen(trial: int) -> tuple[Event, ...]:
    """Two requests to the failing broker and a folded storm; one discovery at another, `trial` seconds later."""
    return (
        request(FAULT - 5, OLD, size=9999),
        EngineEvent(at=FAULT, kind=EngineKind.FAULT_ON),
        Response(at=FAULT + 10, conn=1, broker=OLD, corr=1, api=PRODUCE, version=7, sent_at=FAULT - 5, size=50),
        request(FAULT + 2_000, OLD),
        request(FAULT + 1_500_000, OLD),
        Folded(
            at=FAULT + 1_600_000,
            until=FAULT + 1_900_000,
            conn=1,
            broker=OLD,
            api=PRODUCE,
            version=7,
            requests=900,
            responses=899,
            bytes=80_000,
        ),
        request(FAULT + trial * 1_000_000, OTHER, METADATA, size=40),
        Mark(at=MENDED, kind=MarkKind.HEALING),
        request(MENDED + 1, OLD),
        Mark(at=MENDED + 9, kind=MarkKind.END),
    )


@pytest.fixture
def results(tmp_path: Path) -> Path:
    subject = replace(header().subject, old=OLD)
    with create(tmp_path) as store:
        for trial in (1, 2, 3):
            store.add(History(header(CELL, trial, subject=subject), seen(trial)), verdict(Outcome.STUCK))
    return tmp_path


def test_requests_are_counted_by_broker_and_api(spark: SparkSession, results: Path) -> None:
    with pytest.raises(ResultsError, match="cannot be read"):
        build_traffic(str(results), str(results / "out"), session=spark)
    build_matrix(str(results), str(results / "out"), session=spark)
    build_traffic(str(results), str(results / "out"), session=spark)
    rows = {(row["failing"], row["api"]): row for row in pq.read_table(results / "out" / "traffic.parquet").to_pylist()}
    assert sorted(rows) == [(False, METADATA), (True, PRODUCE)]
    failing, asked = rows[True, PRODUCE], rows[False, METADATA]
    names = ("trials", "requests", "bytes", "per_s_p50", "per_s_max", "first_ms_min")
    assert [failing[name] for name in names] == [3, 3 * 902, 3 * 80_250, 225.5, 901, 2.0]
    assert [asked[name] for name in ("first_ms_min", "first_ms_p50", "first_ms_max")] == [1000.0, 2000.0, 3000.0]
    assert asked["buckets"] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0]
    assert_same(list(rows.values()), recompute_traffic(results))
    kept = build_traffic(str(results), str(results / "out"), session=None)  # nothing new: no Spark is started
    assert pq.read_table(kept).num_rows == 2


def test_events_without_size_columns_give_the_same_traffic(spark: SparkSession, results: Path) -> None:
    for path in results.glob("run_id=*/events/*.parquet"):
        table = pq.read_table(path)
        pq.write_table(table.drop_columns(["size", "requests"]), path)
    build_matrix(str(results), str(results / "out"), session=spark)
    rows = pq.read_table(build_traffic(str(results), str(results / "out"), session=spark)).to_pylist()
    assert sorted(row["requests"] for row in rows) == [3, 3 * 902]
    assert_same(rows, recompute_traffic(results))
