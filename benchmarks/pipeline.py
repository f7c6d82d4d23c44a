"""Compare Spark and DuckDB: millions of trial rows to the matrix, in one process on two cores, after a warm-up.

`python benchmarks/pipeline.py [--rows 1000000 10000000]` prints seconds, CPU seconds (and the JVM compiler's part of
them), their ratios and Spark's peak memory. Both run every step `--warm` times before the measured run, because the
compiler is busy for several runs. DuckDB's SQL (`sql.py`) is written for DuckDB, not translated. Both return Arrow
tables, which are compared: the benchmark fails if a column of a row of the matrix differs.

"matrix" is the content of matrix.csv. "choosing" is its one step in Spark that reads every row. "every table" is all
that `probe matrix` publishes. "whole build" is the same, written and saved for the next build. "one more run" is a
build in which only the last run is new.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import duckdb
import pyarrow as pa
import sql
from pyspark.sql import SparkSession
from synthetic import write_history

from spark.incremental_build import IncrementalBuild, build_incrementally
from spark.inputs import find_inputs
from spark.job import build_matrix
from spark.session import start_session, stop_session
from spark.ways_out import with_ways_out
from tests.support.duckdb_harm import add_functions

T = TypeVar("T")
Tables = dict[str, pa.Table]
Spent = Callable[[], tuple[float, float]]
"""Returns the CPU seconds so far, and the compiler's part of them."""


class Cost(NamedTuple):
    """Wall-clock seconds, CPU seconds, and the JVM compiler's part of the latter; CPU seconds depend less on load."""

    wall: float
    cpu: float
    compiling: float


def main() -> None:
    """Print the measurements."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--cells", type=int, default=10_000)
    parser.add_argument("--warm", type=int, default=24, help="runs of every step before the measured one")
    parser.add_argument("--folder", type=Path, help="folder for the synthetic rows; default: a temporary one")
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
        sys.stdout.write(f"Spark's JVM took at most {_peak_mb(session):,} MB\n")
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
    """Measure the steps for one size after `warm` runs each; DuckDB and Spark in turn."""
    spent = partial(_cpu, session)
    warmed = partial(_warmed, warm, spent)
    found: dict[str, tuple[Cost, Cost | None]] = {}
    duck, theirs = warmed(lambda: _duckdb(results, sql.MATRIX_ALONE))
    found["DuckDB: matrix"] = duck, None
    found["choosing"] = warmed(lambda: _chosen(session, results))[0], duck
    spark, ours = warmed(lambda: _spark_matrix(session, results))
    found["matrix"] = spark, duck
    _compare_tables(ours, theirs)
    warmed = partial(_warmed, warm // 4, spent)  # most code is compiled already
    duck, theirs = warmed(lambda: _duckdb(results, sql.EVERY_TABLE))
    found["DuckDB: every table"] = duck, None
    spark, ours = warmed(lambda: _spark_tables(session, results))
    found["every table"] = spark, duck
    _compare_tables(ours, theirs)
    found["whole build"] = _timed(lambda: _whole_build(session, results), spent)[0], duck
    found["one more run"] = _one_more(session, results, spent), duck
    sys.stdout.write(f"{rows:,} rows, {len(ours['matrix']):,} cells, load {os.getloadavg()[0]:.1f}\n")
    for name, (cost, reference) in found.items():
        ratio = (
            f"; {cost.wall / reference.wall:.2f} x DuckDB's time, {cost.cpu / reference.cpu:.2f} x its CPU"
            if reference
            else ""
        )
        sys.stdout.write(
            f"  {name}: {cost.wall:.1f} s, {cost.cpu:.1f} s of CPU ({cost.compiling:.1f} compiling){ratio}\n"
        )
    sys.stdout.flush()
    return {name: cost for name, (cost, _) in found.items()}


def _spark_matrix(session: SparkSession, results: Path) -> Tables:
    """Compute the matrix alone, from every trial."""
    with ExitStack() as caches:
        return {"matrix": IncrementalBuild(session, find_inputs(str(results)), None, caches).whole("matrix")}


def _spark_tables(session: SparkSession, results: Path) -> Tables:
    return build_incrementally(session, find_inputs(str(results)), None)


def _chosen(session: SparkSession, results: Path) -> int:
    """Find the runs that give cells their rows: the step that reads every row."""
    with ExitStack() as caches:
        return len(IncrementalBuild(session, find_inputs(str(results)), None, caches).ranked)


def _duckdb(results: Path, steps: Mapping[str, str]) -> Tables:
    """Run the steps; return the tables of those that are queries."""
    with duckdb.connect() as db:
        db.execute("SET threads = 2")
        add_functions(db)
        db.execute(sql.TRIALS.format(files=f"'{results}/run_id=*/trials/*.parquet'"))
        found: Tables = {}
        for name, text in steps.items():
            if text.lstrip().startswith("CREATE"):
                db.execute(text)
            else:
                rows = db.sql(text).to_arrow_table()
                found[name] = with_ways_out(rows) if name == "matrix" else rows
        return found


def _compare_tables(ours: Tables, theirs: Tables) -> None:
    """Exit if the tables differ; fractions, which are rounded, are compared in the matrix only."""
    for name in theirs:
        mine, other = (found[name] for found in (ours, theirs))
        exact = [field.name for field in mine.schema if name == "matrix" or not pa.types.is_floating(field.type)]
        mine, other = mine.select(exact), other.select(exact)  # DuckDB finds them by their variables
        with duckdb.connect() as db:
            db.register("mine", mine)
            db.register("other", other)
            here, there = (
                db.sql(f"FROM {one} EXCEPT ALL FROM {two} LIMIT 1").fetchall()
                for one, two in (("mine", "other"), ("other", "mine"))
            )
        if here or there or len(mine) != len(other):
            raise SystemExit(
                f"{name}: Spark has {len(mine)} rows, such as {here}; DuckDB {len(other)}, such as {there}"
            )


def _whole_build(session: SparkSession, results: Path) -> None:
    shutil.rmtree(results / "settled", ignore_errors=True)
    with tempfile.TemporaryDirectory() as out:
        build_matrix(str(results), out, session=session)


def _one_more(session: SparkSession, results: Path, spent: Spent) -> Cost:
    """Build without the last run, then measure the build with it."""
    last = max(results.glob("run_id=*"))
    hidden = last.rename(results / f".{last.name}")
    with tempfile.TemporaryDirectory() as out:
        build_matrix(str(results), out, session=session)
        hidden.rename(last)
        cost, _ = _timed(lambda: build_matrix(str(results), out, session=session), spent)
    return cost


def _warmed(warm: int, spent: Spent, ask: Callable[[], T]) -> tuple[Cost, T]:
    for _ in range(warm):
        ask()
    return _timed(ask, spent)


def _timed(ask: Callable[[], T], spent: Spent) -> tuple[Cost, T]:
    started, (cpu, compiling) = time.monotonic(), spent()
    answer = ask()
    cpu_now, compiling_now = spent()
    return Cost(time.monotonic() - started, cpu_now - cpu, compiling_now - compiling), answer


def _cpu(session: SparkSession) -> tuple[float, float]:
    """Return the CPU seconds of this process and Spark's JVM, and those of the JVM's compiler."""
    jvm = Path(f"/proc/{_jvm(session)}")
    compiling = sum(_ticks(task / "stat") for task in jvm.glob("task/*") if _is_compiler(task))
    ticks = os.sysconf("SC_CLK_TCK")
    return time.process_time() + _ticks(jvm / "stat") / ticks, compiling / ticks


def _is_compiler(task: Path) -> bool:
    try:
        return (task / "comm").read_text().startswith(("C1 ", "C2 "))
    except OSError:  # a thread that has just ended
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
    """Return the peak memory of the JVM in MB, as the kernel counts it."""
    text = Path(f"/proc/{_jvm(session)}/status").read_text()
    return int(next(line for line in text.splitlines() if line.startswith("VmHWM")).split()[1]) // 1024


if __name__ == "__main__":
    main()
