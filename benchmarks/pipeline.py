"""Millions of trial rows to the matrix: Spark beside DuckDB on the same files, warm, in one process on two cores.

`python benchmarks/pipeline.py [--rows 1000000 10000000]` prints seconds, seconds of CPU, their ratios and Spark's peak
memory. Each engine answers twice and the second time counts. DuckDB's query is written for it, not translated: only
the columns that it needs. "whole build" is all that `probe matrix` does for the first time: every table, kept for the
next build; "one more run" is what it costs when the last run is new.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
from pyspark.sql import SparkSession
from synthetic import write_history

from spark.fold import tables
from spark.inputs import find_inputs
from spark.job import build_matrix
from spark.session import start_session, stop_session

CELL = "family, version, role, profile, scenario, engine, broker"
NUMBERS = (
    "min(watched_ms) watched_ms, min(fault_hits) fault_hits, max(hits_before_ask) hits_before_ask, "
    "quantile_cont(refresh_ms, [0.5, 0.95]) refresh, max(refreshes) refreshes_max, max(connects) connects_max, "
    "quantile_cont(recovery_ms, [0.5, 0.95]) recovery, max(outage_ms) outage_ms_max, max(close_ms) close_ms_max, "
    "max(errors_surfaced) errors_surfaced, max(failed_ops) failed_ops_max, median(futile_requests_per_s) rate, "
    "median(futile_per_op) per_op, max(bystander_gap_ms) gap, max(bystander_errors) bystander_errors, "
    "min(acked) acked, max(lost) lost, max(duplicated) duplicated, max(reordered) reordered, "
    "max(position_jump) position_jump_max"
)
WORDS = ", ".join(
    f"mode({name}) FILTER ({name} <> '') {name}"
    for name in ("refresh_trigger", "reroute", "rescued_by", "after_heal", "first_error")
)
LISTS = (
    "list_distinct(flatten(list(DISTINCT fault_codes))) codes, flatten(list(DISTINCT api_versions)) apis, "
    "list(DISTINCT storm) storm, max(nullif(released, '')) released, max(nullif(mirrors, '')) mirrors, "
    "max(reality) reality, bool_and(conforms) conforms, bool_and(recovered) recovered, arg_min(reason, trial) reason"
)
QUERY = f"""
WITH votes AS (
    SELECT {CELL}, run_id, outcome, count(*) n,
        CASE outcome WHEN 'not_run' THEN 0 WHEN 'broken' THEN 1 WHEN 'waiting' THEN 2 ELSE 3 END weight
    FROM trials WHERE NOT shortened GROUP BY ALL),
elected AS (
    SELECT {CELL}, max((weight, run_id)) best, arg_max(outcome, (weight, run_id, n)) outcome
    FROM votes GROUP BY {CELL}),
chosen AS (SELECT *, best[2] run_id FROM elected)
SELECT {CELL}, run_id, outcome, count(*) agreeing, {NUMBERS}, {WORDS}, {LISTS}
FROM trials JOIN chosen USING ({CELL}, run_id, outcome) WHERE NOT shortened GROUP BY {CELL}, run_id, outcome
"""  # noqa: S608  # every part is a constant above


class Cost(NamedTuple):
    """Seconds on the wall, and of CPU: under load only the latter compare."""

    wall: float
    cpu: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--folder", type=Path, help="where synthetic rows are kept; default: made anew, and removed")
    args = parser.parse_args()
    sys.stdout.write(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before\n")
    place = args.folder or Path(tempfile.mkdtemp(prefix="probe-pipeline-"))
    try:
        _compare(place, args.rows, args.cells)
    finally:
        if args.folder is None:
            shutil.rmtree(place, ignore_errors=True)
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} after\n")


def _compare(place: Path, sizes: list[int], cells: int) -> None:
    for rows in sizes:
        if not (place / str(rows)).exists():
            runs = write_history(place / str(rows), rows, cells=cells)
            sys.stdout.write(f"{rows:,} rows: {runs} runs of {cells:,} cells written\n")
    session = start_session("local[2]", large=True)
    try:
        found = {rows: _measured(session, place / str(rows), rows) for rows in sizes}
        sys.stdout.write(f"Spark's JVM took {_peak_mb(session):,} MB at most\n")
    finally:
        stop_session(session)
    small, large = min(found), max(found)
    if small < large:
        for name in found[small]:
            one, other = found[small][name], found[large][name]
            sys.stdout.write(
                f"{name}: {large / small:.0f} x the rows took {other.wall / one.wall:.1f} x the time, "
                f"{other.cpu / one.cpu:.1f} x the CPU\n"
            )


def _measured(session: SparkSession, results: Path, rows: int) -> dict[str, Cost]:
    """Time the questions of one size, each twice; the second time counts."""
    spent = partial(_cpu, session)
    duck, cells = _second(lambda: _duckdb_matrix(results), spent)
    spark, same = _second(lambda: _spark_matrix(session, results), spent)
    if cells != same:
        raise SystemExit(f"Spark has {same} cells, DuckDB {cells}")
    whole, _ = _second(lambda: _whole_build(session, results), spent)
    step = _one_more(session, results, spent)
    found = {"DuckDB": duck, "Spark": spark, "whole build": whole, "one more run": step}
    sys.stdout.write(f"{rows:,} rows, {cells:,} cells, load {os.getloadavg()[0]:.1f}\n")
    for name, cost in found.items():
        sys.stdout.write(
            f"  {name}: {cost.wall:.1f} s, {cost.cpu:.1f} s of CPU; "
            f"{cost.wall / duck.wall:.2f} x DuckDB's time, {cost.cpu / duck.cpu:.2f} x its CPU\n"
        )
    sys.stdout.flush()
    return found


def _spark_matrix(session: SparkSession, results: Path) -> object:
    """Ask for the matrix alone, from every trial."""
    inputs = find_inputs(str(results))
    with ExitStack() as caches:
        return len(tables(session, inputs, None, caches)["matrix"].toArrow())


def _duckdb_matrix(results: Path) -> int:
    with duckdb.connect() as db:
        db.execute("SET threads = 2")
        db.execute(f"CREATE VIEW trials AS FROM read_parquet('{results}/run_id=*/trials/*.parquet')")
        return len(db.sql(QUERY).to_arrow_table())


def _whole_build(session: SparkSession, results: Path) -> None:
    shutil.rmtree(results / "settled", ignore_errors=True)
    with tempfile.TemporaryDirectory() as out:
        build_matrix(str(results), out, session=session)


def _one_more(session: SparkSession, results: Path, spent: Callable[[], float]) -> Cost:
    """Hide the last run and build; bring it back, and time the build."""
    last = max(results.glob("run_id=*"))
    hidden = last.rename(results / f".{last.name}")
    with tempfile.TemporaryDirectory() as out:
        build_matrix(str(results), out, session=session)
        hidden.rename(last)
        cost, _ = _timed(lambda: build_matrix(str(results), out, session=session), spent)
    return cost


def _second(ask: Callable[[], object], spent: Callable[[], float]) -> tuple[Cost, object]:
    _timed(ask, spent)
    return _timed(ask, spent)


def _timed(ask: Callable[[], object], spent: Callable[[], float]) -> tuple[Cost, object]:
    started, before = time.monotonic(), spent()
    answer = ask()
    return Cost(time.monotonic() - started, spent() - before), answer


def _cpu(session: SparkSession) -> float:
    """Return the seconds of CPU that this process and Spark's JVM have used."""
    used = Path(f"/proc/{_jvm(session)}/stat").read_text().rpartition(")")[2].split()
    return time.process_time() + (int(used[11]) + int(used[12])) / os.sysconf("SC_CLK_TCK")


def _jvm(session: SparkSession) -> int:
    gateway: Any = session.sparkContext._gateway  # noqa: SLF001  # Spark offers no public way to its JVM
    return int(gateway.proc.pid)


def _peak_mb(session: SparkSession) -> int:
    """Return the most memory that the JVM ever had, as the kernel counts it."""
    text = Path(f"/proc/{_jvm(session)}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024


if __name__ == "__main__":
    main()
