"""Places and forms of results: a standalone cluster, an object store, shards, old files."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from probe.model import Outcome
from probe.model.results import SCHEMA_KEY, SCHEMA_VERSION
from probe.store import RunStore, trials
from probe.store.schemas import EVENT_SCHEMA, TRIAL_SCHEMA
from spark.job import build_matrix
from spark.rejudgement import rejudge
from tests.support.fetched_tools import moto_packages
from tests.support.spark_cluster import cluster
from tests.support.synthetic_rows import CELL, RUNS, create, history, random_rows, trial, verdict, write, write_part

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
ROOT = Path(__file__).parents[2]
STORED = Path(__file__).parents[1] / "data" / "stored_schema_1"
RUN = "20261101T120000Z-0001"


def outcomes(csv: str) -> list[tuple[str, str]]:
    rows = [line.split(",") for line in Path(csv).read_text().splitlines()]
    return [(row[1], row[7]) for row in rows[1:]]


def test_a_standalone_cluster_builds_the_same(spark: SparkSession, tmp_path: Path) -> None:
    """In a process of its own, as `probe matrix --master` is; this process has a local session already."""
    write(tmp_path / "results", random_rows(21, 60))
    expected = Path(build_matrix(str(tmp_path / "results"), str(tmp_path / "here"), session=spark).csv).read_text()
    shutil.rmtree(tmp_path / "results" / "settled")
    with cluster(tmp_path) as master:
        command = [sys.executable, "-m", "spark.job", "--master", master]
        where = ["--results", f"{tmp_path}/results", "--out", f"{tmp_path}/there"]
        done = subprocess.run([*command, *where], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "there" / "matrix.csv").read_text() == expected
    said = "".join((tmp_path / f"worker{nth}.log").read_text() for nth in range(2))
    assert said.count("Asked to launch executor") == 2


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    """Serve an S3-compatible store on loopback, from pinned packages; yield a URL in a bucket of it."""
    packages = moto_packages()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    access = {"AWS_ACCESS_KEY_ID": "a", "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1"}
    for name, value in {**access, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}.items():
        monkeypatch.setenv(name, value)
    with (
        (tmp_path / "moto.log").open("wb") as log,
        subprocess.Popen(
            [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
            env={**os.environ, "PYTHONPATH": str(packages)},
            stdout=log,
            stderr=log,
        ) as server,
    ):
        try:
            _make_bucket(f"{port}", time.monotonic() + 60)
            yield "s3://results/of/probe"
        finally:
            server.terminate()


def _make_bucket(port: str, deadline: float) -> None:
    """Wait until the server answers, and make a bucket there."""
    while True:
        try:
            with socket.create_connection(("127.0.0.1", int(port)), timeout=1):
                break
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.2)
    system, _ = fs.FileSystem.from_uri("s3://results?allow_bucket_creation=true")
    system.create_dir("results")


SCRIPT = """
import json, sys
from spark.job import build_matrix
from spark.rejudgement import rejudge
from spark.session import start_session, stop_session
bucket, out = sys.argv[1:]
session = start_session("local[2]")
first = build_matrix(bucket, bucket + "/published", session=session)
judged = rejudge(bucket, session=session, judge="tests.support.judges:by_trial")
second = build_matrix(bucket, out, session=session)
third = build_matrix(bucket, out, session=session)
stop_session(session)
print(json.dumps([first.cells, first.problems, first.csv, len(judged.written), second.known, third.files]))
"""


def test_an_object_store_holds_results_and_tables(tmp_path: Path, bucket: str) -> None:
    """In a process of its own: Spark's workers take the credentials from the environment that it started with."""
    with RunStore.create(bucket, command=[], seed=1, run_id=RUN) as store:
        for number in range(3):
            store.add(history(CELL, number), verdict(Outcome.STUCK, fault_hits=number))
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", SCRIPT, bucket, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == [1, [], f"{bucket}/published/matrix.csv", 1, 0, 0]
    assert {row.verdict.rules for row in trials(bucket)} == {1, 2}
    (row,) = pq.read_table(tmp_path / "matrix.parquet").to_pylist()
    assert row["outcome"] == "flaky"


def test_shards_merge_in_one_folder(spark: SparkSession, tmp_path: Path) -> None:
    whole, parts = tmp_path / "whole", [tmp_path / "one", tmp_path / "two"]
    with create(whole, run_id=RUN) as store:
        for number in range(6):
            store.add(history(CELL, number), verdict(Outcome.STUCK, fault_hits=number))
    for nth, part in enumerate(parts):
        with create(part, run_id=RUN, shard=f"{nth + 1}of2") as store:
            for number in range(nth, 6, 2):
                store.add(history(CELL, number), verdict(Outcome.STUCK, fault_hits=number))
        shutil.copytree(part, tmp_path / "merged", dirs_exist_ok=True)
    one = build_matrix(str(whole), str(tmp_path / "out1"), session=spark)
    other = build_matrix(str(tmp_path / "merged"), str(tmp_path / "out2"), session=spark)
    assert other.files == 2
    assert Path(one.csv).read_text() == Path(other.csv).read_text()
    missing = build_matrix(str(parts[0]), str(tmp_path / "out3"), session=spark)
    assert missing.cells == 1  # a missing shard is missing trials and no problem


def test_files_of_schema_1_are_readable(spark: SparkSession, tmp_path: Path) -> None:
    """The files under tests/data/stored_schema_1 were written once and are never written again."""
    results = tmp_path / "results"
    shutil.copytree(STORED, results)
    stored = {row.cell.version: row.verdict.outcome for row in trials(str(results))}
    assert stored == {"1.43.3": Outcome.REFRESHES, "1.27.0": Outcome.STUCK}
    built = build_matrix(str(results), str(tmp_path / "out"), session=spark)
    assert outcomes(built.csv) == [("1.27.0", "stuck"), ("1.43.3", "refreshes")]
    assert rejudge(str(results), session=spark, judge="tests.support.judges:by_trial").trials >= 1


def test_columns_missing_in_old_files_are_null(spark: SparkSession, tmp_path: Path) -> None:
    path = Path(write_part(tmp_path, RUNS[0], "1of1-000000", [trial(RUNS[0], 1, Outcome.STUCK, fault_hits=3)]))
    table = pq.read_table(path)
    old = table.drop_columns(["shortened", "reality", "mirrors", "close_ms", "api_versions", "rules", "conforming"])
    place = old.schema.get_field_index("fault_hits")
    old = old.set_column(place, "fault_hits", old["fault_hits"].cast(pa.int32())).replace_schema_metadata(None)
    pq.write_table(old, path)
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    assert built.problems == ()
    (row,) = pq.read_table(tmp_path / "out" / "matrix.parquet").to_pylist()
    assert (row["outcome"], row["fault_hits"], row["reality"], row["close_ms_max"]) == ("stuck", 3, "effective", None)
    (stored,) = trials(str(tmp_path))
    assert (stored.verdict.outcome, stored.verdict.rules, stored.shortened) == (Outcome.STUCK, 0, False)


def test_files_of_a_newer_schema_are_named(spark: SparkSession, tmp_path: Path) -> None:
    write_part(tmp_path, RUNS[0], "1of1-000000", [trial(RUNS[0], 1, Outcome.STUCK)])
    path = Path(write_part(tmp_path, RUNS[0], "1of1-000001", [trial(RUNS[0], 2, Outcome.LATE)]))
    pq.write_table(pq.read_table(path).replace_schema_metadata({SCHEMA_KEY: b"99"}), path)
    built = build_matrix(str(tmp_path), str(tmp_path / "out"), session=spark)
    (line,) = built.problems
    assert str(path) in line
    assert f"it has schema 99, this program knows {SCHEMA_VERSION}: use a newer probe" in line
    assert dict(built.outcomes) == {"stuck": 1}
    assert pq.read_schema(built.parquet).metadata[SCHEMA_KEY] == str(SCHEMA_VERSION).encode()


def test_the_stored_files_are_of_schema_1() -> None:
    for kind, schema in (("trials", TRIAL_SCHEMA), ("events", EVENT_SCHEMA)):
        (path,) = STORED.glob(f"run_id=*/{kind}/*.parquet")
        there = pq.read_schema(path)
        assert there.metadata[SCHEMA_KEY] == b"1"
        assert set(there.names) <= set(schema.names)
    (about,) = STORED.glob("run_id=*/run/*.json")
    assert json.loads(about.read_text())["schema"] == 1
