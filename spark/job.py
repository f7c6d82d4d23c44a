"""The job that builds the matrix: `python -m spark.job --results DIR --out DIR [--master URL]`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

import pyarrow as pa
from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # py4j has no stubs
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from probe.model.results import ResultsError, run_of
from probe.toolchain.tools import ToolError
from spark.cache import SettledCache, find_cache, load_cache, save_cache
from spark.incremental_build import build_incrementally
from spark.inputs import Inputs, check_footers, demand, find_inputs, list_inputs, read_through
from spark.output import write_tables
from spark.session import SMALL, start_session, stop_session

NOTHING_READABLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """The result of a build."""

    cells: int
    outcomes: Mapping[str, int]
    """Number of cells per outcome."""
    files: int
    """Number of trial files read."""
    runs: int
    """Number of all runs."""
    known: int
    """Number of runs that came from the cache and were not read."""
    problems: tuple[str, ...]
    """One line per file that could not be read and was left out."""
    csv: str
    parquet: str


def build_matrix(results: str, out: str, master: str | None = None, session: SparkSession | None = None) -> Built:
    """Settle the trials below `results`; write `matrix.csv`, `matrix.parquet` and the other tables to `out`.

    Runs in the cache (`results/settled`) are not read again. Every file is written at a temporary name and renamed.
    Starts and stops a Spark session unless one is given. ResultsError if nothing can be read or `out` cannot be
    written; ToolError if Spark does not start.
    """
    listed = replace(list_inputs(results), events=())
    kept = find_cache(listed)
    tables, read, kept = _tables(
        listed, kept, lambda large: session or start_session(master, large=large), session is None
    )
    problems = _problems(read, kept)
    lines = [line for some in problems.values() for line in some]
    if read.trials:
        lines += filter(None, [save_cache(listed, tables, problems, kept)])
    csv, parquet = write_tables(out, tables)
    return Built(
        cells=len(tables["matrix"]),
        outcomes=Counter(tables["matrix"]["outcome"].to_pylist()),
        files=len(read.trials),
        runs=len(listed.runs),
        known=0 if kept is None else len(kept.runs),
        problems=tuple(lines),
        csv=csv,
        parquet=parquet,
    )


def is_large(results: str) -> bool:
    """Return whether the next build has much to read."""
    try:
        listed = replace(list_inputs(results), events=())
    except ResultsError:  # the build reports it
        return False
    kept = find_cache(listed)
    return listed.of([run for run in listed.runs if kept is None or run not in kept.runs]).bytes > SMALL


def warm_up(session: SparkSession, results: str, go_on: Callable[[], bool]) -> bool:
    """Build the tables and drop them, because a session answers several times faster the second time.

    Return whether there was something to build; what is damaged the build reports.
    """
    try:
        inputs = find_inputs(results)
    except ResultsError:
        return False
    with suppress(ResultsError, PySparkException, Py4JError):
        build_incrementally(session, inputs, None, go_on)
    return True


def _tables(
    listed: Inputs, kept: SettledCache | None, start: Callable[[bool], SparkSession], own_session: bool
) -> tuple[dict[str, pa.Table], Inputs, SettledCache | None]:
    """Return the tables, the inputs that were read, and the cache that was used."""
    new = _new(listed, kept)
    if not new.trials and kept is not None:
        try:
            return load_cache(listed, kept), new, kept
        except (OSError, pa.ArrowException):  # a damaged cache: build without it
            return _tables(replace(listed, covers=()), None, start, own_session)
    session = start(new.bytes > SMALL)
    try:
        return _folded(session, listed, new, kept)
    finally:
        if own_session:
            stop_session(session)


def _folded(
    session: SparkSession, listed: Inputs, new: Inputs, kept: SettledCache | None
) -> tuple[dict[str, pa.Table], Inputs, SettledCache | None]:
    try:
        return build_incrementally(session, new, kept), new, kept
    except (PySparkException, Py4JError, OSError, pa.ArrowException):  # the last two: a damaged table of the cache
        whole = read_through(new)
        if whole != new and (whole.trials or kept is None):
            return build_incrementally(session, demand(whole), kept), whole, kept
        if kept is None:  # the files are not the cause
            raise
    return _folded(session, listed, _new(listed, None), None)


def _new(listed: Inputs, kept: SettledCache | None) -> Inputs:
    """Return the undamaged files of the runs that the cache lacks; ResultsError if no file at all can be read."""
    if kept is None:
        return demand(check_footers(listed))
    return check_footers(listed.of([run for run in listed.runs if run not in kept.runs]))


def _problems(read: Inputs, kept: SettledCache | None) -> dict[str, tuple[str, ...]]:
    """Return the problems of files per run, including those that earlier builds found."""
    found = dict(kept.problems) if kept is not None else {}
    for line in read.problems:
        run = run_of(line.removeprefix(f"{read.results}/"))
        found[run] = (*found.get(run, ()), line)
    return found


def main(argv: list[str] | None = None) -> int:
    """Build the matrix; return 0 = done, 2 = Spark is not available, 3 = nothing can be read."""
    parser = argparse.ArgumentParser(prog="python -m spark.job", description="Settle stored trials into matrix.csv.")
    parser.add_argument("--results", required=True, help="folder or URL of the runs")
    parser.add_argument("--out", required=True, help="folder or URL for matrix.csv and the tables")
    parser.add_argument("--master", help="Spark master; default local[*]")
    args = parser.parse_args(argv)
    try:
        built = build_matrix(args.results, args.out, args.master)
    except ResultsError as error:
        sys.stderr.write(f"{error}\n")
        return NOTHING_READABLE
    except ToolError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    for line in built.problems:
        sys.stderr.write(f"{line}\n")
    known = f", {built.known} of {built.runs} runs from the cache" if built.known else ""
    sys.stdout.write(f"{built.csv}: {built.cells} cells from {built.files} files{known}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
