"""The job that builds traffic.parquet: `python -m spark.traffic_job --results DIR --out DIR [--master URL]`.

It is separate because events are many and no page needs this table. The table of a run is kept in
`run_id=*/traffic/<stamp>.parquet`, so that its events are read once.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import to_arrow_schema

from probe.files.parquet import read_rows
from probe.model.columns import ADDED
from probe.model.results import EVENTS, RUN_PREFIX, TRIALS, ResultsError
from probe.toolchain.tools import ToolError
from spark.aggregate import CELL_RUN
from spark.inputs import Inputs, check_footers, have_column, list_inputs, open_place
from spark.output import write_table
from spark.reader import read_files
from spark.schema import EVENT, HEADER
from spark.session import start_session, stop_session, tune
from spark.tables import TRAFFIC
from spark.traffic import read_sizes, traffic

NOTHING_READABLE = 3


def build_traffic(results: str, out: str, master: str | None = None, session: SparkSession | None = None) -> str:
    """Write `traffic.parquet` for the rows of matrix.parquet in `out`; return its full name.

    ResultsError if there is no matrix, nothing can be read or `out` cannot be written; ToolError if Spark does not
    start.
    """
    listed = list_inputs(results)
    rows = _rows_of_matrix(out)
    mine: list[SparkSession] = []

    def started() -> SparkSession:
        if session is not None:
            return session
        if not mine:
            mine.append(start_session(master))
        return mine[0]

    try:
        tables = [_of_run(listed, run, started) for run in sorted({row[-1] for row in rows} & set(listed.runs))]
    finally:
        for one in mine:
            stop_session(one)
    found = pa.concat_tables([to_arrow_schema(TRAFFIC).empty_table(), *tables])
    wanted = [row in rows for row in zip(*(found[name].to_pylist() for name in CELL_RUN), strict=True)]
    name = f"{out.rstrip('/')}/traffic.parquet"
    write_table(name, "traffic", found.filter(pa.array(wanted, pa.bool_())))
    return name


def _rows_of_matrix(out: str) -> set[tuple[str, ...]]:
    """Return the cell and the run of every row."""
    system, root = open_place(out)
    try:
        with system.open_input_file(f"{root}/matrix.parquet") as source:
            rows = read_rows(source, pq.ParquetFile(source), CELL_RUN, None, ADDED)
    except (OSError, pa.ArrowException) as error:
        reason = " ".join(str(error).split())
        raise ResultsError(f"{out}/matrix.parquet cannot be read: {reason}; `probe matrix` makes it") from error
    return set(zip(*(rows[name].to_pylist() for name in CELL_RUN), strict=True))


def _of_run(listed: Inputs, run: str, started: Callable[[], SparkSession]) -> pa.Table:
    """Return the kept traffic of a run, or compute it from the run's events."""
    schema = to_arrow_schema(TRAFFIC)
    path = f"{RUN_PREFIX}{run}/traffic/{listed.stamp(run, TRIALS, EVENTS)}.parquet"
    system, root = open_place(listed.results)
    try:
        with system.open_input_file(f"{root}/{path}") as source:
            return pq.read_table(source).cast(schema)
    except (OSError, ValueError, pa.ArrowException):  # missing, damaged, or with the columns of an older program
        sound = check_footers(listed.of([run]))
        sys.stderr.writelines(f"{line}\n" for line in sound.problems)
        table = _from_events(started(), sound).cast(schema)
    try:
        write_table(listed.url(path), "traffic", table)
    except ResultsError as error:
        sys.stderr.write(f"{error}; the next build reads these events again\n")
    return table


def _from_events(session: SparkSession, run: Inputs) -> pa.Table:
    tune(session, sum(run.sizes[path][0] for path in run.events))
    events = read_files(session, run, run.events, EVENT)
    sized = events if have_column(run, run.events, "size") else events.transform(read_sizes)
    return sized.transform(traffic, read_files(session, run, run.trials, HEADER)).toArrow()


def main(argv: list[str] | None = None) -> int:
    """Build the table; return 0 = done, 2 = Spark is not available, 3 = nothing can be read."""
    parser = argparse.ArgumentParser(prog="python -m spark.traffic_job", description="Sum up stored events.")
    parser.add_argument("--results", required=True, help="folder or URL of the runs")
    parser.add_argument("--out", required=True, help="folder or URL of matrix.parquet, and for traffic.parquet")
    parser.add_argument("--master", help="Spark master; default local[*]")
    args = parser.parse_args(argv)
    try:
        sys.stdout.write(f"{build_traffic(args.results, args.out, args.master)}\n")
    except (ResultsError, ToolError) as error:
        sys.stderr.write(f"{error}\n")
        return NOTHING_READABLE if isinstance(error, ResultsError) else 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
