"""Millions of trial rows to the matrix: Spark beside DuckDB on the same files, warm, in one process on two cores.

`python benchmarks/pipeline.py [--rows 1000000 10000000]` prints seconds, seconds of CPU (and how much of them the JVM's
compiler took), their ratios and Spark's peak memory. Each engine answers `--warm` times before the time that counts:
the compiler is busy for several. DuckDB's query is written for it, not translated: only the columns that it needs.
"counting" is the one step that reads every row, "matrix" all that leads to matrix.csv, "whole build" all that
`probe matrix` does for the first time: every table, kept for the next build; "one more run" is what it costs when the
last run is new.
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
from spark.reading import read_trials
from spark.session import start_session, stop_session, tune
from spark.transforms import count_votes, enter

Spent = Callable[[], tuple[float, float]]
"""Tells the seconds of CPU so far, and the compiler's among them."""
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
    """Seconds on the wall, of CPU, and those of the JVM's compiler among them: under load the first do not compare."""

    wall: float
    cpu: float
    compiling: float


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--warm", type=int, default=3, help="times that each is asked before")
    parser.add_argument("--folder", type=Path, help="where synthetic rows are kept; default: made anew, and removed")
    args = parser.parse_args()
    sys.stdout.write(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before\n")
    place = args.folder or Path(tempfile.mkdtemp(prefix="probe-pipeline-"))
    try:
        _compare(place, args.rows, args.cells, args.warm)
    finally:
        if args.folder is None:
            shutil.rmtree(place, ignore_errors=True)
    sys.stdout.write(f"load {os.getloadavg()[0]:.1f} after\n")


def _compare(place: Path, sizes: list[int], cells: int, warm: int) -> None:
    for rows in sizes:
        if not (place / str(rows)).exists():
            runs = write_history(place / str(rows), rows, cells=cells)
            sys.stdout.write(f"{rows:,} rows: {runs} runs of {cells:,} cells written\n")
    session = start_session("local[2]", large=True)
    try:
        found = {rows: _measured(session, place / str(rows), rows, warm) for rows in sizes}
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


def _measured(session: SparkSession, results: Path, rows: int, warm: int) -> dict[str, Cost]:
    """Time the questions of one size, each after it was asked `warm` times."""
    warmed = partial(_warmed, warm, spent := partial(_cpu, session))
    duck, cells = warmed(lambda: _duckdb_matrix(results))
    counting, _ = warmed(lambda: _spark_votes(session, results))
    spark, same = warmed(lambda: _spark_matrix(session, results))
    if cells != same:
        raise SystemExit(f"Spark has {same} cells, DuckDB {cells}")
    whole, _ = warmed(lambda: _whole_build(session, results))
    step = _one_more(session, results, spent)
    found = {"DuckDB": duck, "counting": counting, "matrix": spark, "whole build": whole, "one more run": step}
    sys.stdout.write(f"{rows:,} rows, {cells:,} cells, load {os.getloadavg()[0]:.1f}\n")
    for name, cost in found.items():
        sys.stdout.write(
            f"  {name}: {cost.wall:.1f} s, {cost.cpu:.1f} s of CPU ({cost.compiling:.1f} compiling); "
            f"{cost.wall / duck.wall:.2f} x DuckDB's time, {cost.cpu / duck.cpu:.2f} x its CPU\n"
        )
    sys.stdout.flush()
    return found


def _spark_matrix(session: SparkSession, results: Path) -> object:
    """Ask for the matrix alone, from every trial."""
    inputs = find_inputs(str(results))
    with ExitStack() as caches:
        return len(tables(session, inputs, None, caches)["matrix"].toArrow())


def _spark_votes(session: SparkSession, results: Path) -> int:
    """Count the outcomes of every cell in every run: the step that reads every row."""
    inputs = find_inputs(str(results))
    tune(session, inputs.bytes)
    return read_trials(session, inputs).transform(enter).transform(count_votes, inputs.runs).count()


def _duckdb_matrix(results: Path) -> int:
    with duckdb.connect() as db:
        db.execute("SET threads = 2")
        db.execute(f"CREATE VIEW trials AS FROM read_parquet('{results}/run_id=*/trials/*.parquet')")
        return len(db.sql(QUERY).to_arrow_table())


def _whole_build(session: SparkSession, results: Path) -> None:
    shutil.rmtree(results / "settled", ignore_errors=True)
    with tempfile.TemporaryDirectory() as out:
        build_matrix(str(results), out, session=session)


def _one_more(session: SparkSession, results: Path, spent: Spent) -> Cost:
    """Hide the last run and build; bring it back, and time the build."""
    last = max(results.glob("run_id=*"))
    hidden = last.rename(results / f".{last.name}")
    with tempfile.TemporaryDirectory() as out:
        build_matrix(str(results), out, session=session)
        hidden.rename(last)
        cost, _ = _timed(lambda: build_matrix(str(results), out, session=session), spent)
    return cost


def _warmed(warm: int, spent: Spent, ask: Callable[[], object]) -> tuple[Cost, object]:
    for _ in range(warm):
        ask()
    return _timed(ask, spent)


def _timed(ask: Callable[[], object], spent: Spent) -> tuple[Cost, object]:
    started, (cpu, compiling) = time.monotonic(), spent()
    answer = ask()
    cpu_now, compiling_now = spent()
    return Cost(time.monotonic() - started, cpu_now - cpu, compiling_now - compiling), answer


def _cpu(session: SparkSession) -> tuple[float, float]:
    """Return the seconds of CPU that this process and Spark's JVM have used, and those of the JVM's compiler."""
    jvm = Path(f"/proc/{_jvm(session)}")
    compiling = sum(_ticks(task / "stat") for task in jvm.glob("task/*") if _is_compiler(task))
    ticks = os.sysconf("SC_CLK_TCK")
    return time.process_time() + _ticks(jvm / "stat") / ticks, compiling / ticks


def _is_compiler(task: Path) -> bool:
    try:
        return (task / "comm").read_text().startswith(("C1 ", "C2 "))
    except OSError:  # a thread that just ended
        return False


def _ticks(stat: Path) -> int:
    try:
        used = stat.read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(used[11]) + int(used[12])


def _jvm(session: SparkSession) -> int:
    gateway: Any = session.sparkContext._gateway  # noqa: SLF001  # Spark offers no public way to its JVM
    return int(gateway.proc.pid)


def _peak_mb(session: SparkSession) -> int:
    """Return the most memory that the JVM ever had, as the kernel counts it."""
    text = Path(f"/proc/{_jvm(session)}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024


if __name__ == "__main__":
    main()
