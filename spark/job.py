"""The matrix: `python -m spark.job --results DIR --out DIR [--master URL]`."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from py4j.protocol import Py4JError  # type: ignore[import-untyped]  # py4j has no stubs
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F  # noqa: N812  # the name every Spark program uses

from probe.model.results import ResultsError
from probe.tools import ToolError
from spark.inputs import Inputs, find_inputs, read_through
from spark.output import Row, in_order, write_matrix
from spark.schema import TRIAL, VERDICT
from spark.session import start_session, stop_session
from spark.transforms import matrix, with_newest_verdicts

NOTHING_READABLE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Built:
    """What a matrix was made of."""

    cells: int
    outcomes: Mapping[str, int]
    """Cells by outcome."""
    files: int
    """Trial files read."""
    problems: tuple[str, ...]
    """One line per file that could not be read and was left out."""
    csv: str
    parquet: str


def build_matrix(results: str, out: str, master: str | None = None, session: SparkSession | None = None) -> Built:
    """Settle the trials below `results` and write `matrix.csv` and `matrix.parquet` to `out`, aside and renamed.

    Starts (and ends) a Spark session unless one is given. ResultsError if nothing is readable or `out` cannot be
    written, ToolError if Spark cannot start.
    """
    inputs = find_inputs(results)
    mine = session or start_session(master)
    try:
        rows, inputs = _settled(mine, inputs)
    finally:
        if session is None:
            stop_session(mine)
    csv, parquet = write_matrix(out, rows)
    return Built(
        cells=len(rows),
        outcomes=Counter(row["outcome"] for row in rows),
        files=len(inputs.trials),
        problems=inputs.problems,
        csv=csv,
        parquet=parquet,
    )


def read_trials(session: SparkSession, inputs: Inputs) -> DataFrame:
    """Read trial rows (schema TRIAL) with their newest verdicts."""
    trials = session.read.schema(TRIAL).parquet(*map(inputs.for_spark, inputs.trials))
    if not inputs.verdicts:
        return trials
    verdicts = session.read.schema(VERDICT).parquet(*map(inputs.for_spark, inputs.verdicts))
    seq = F.regexp_extract(F.input_file_name(), r"-(\d+)\.parquet$", 1).cast("int")
    return with_newest_verdicts(trials, verdicts.withColumn("seq", seq))


def _settled(session: SparkSession, inputs: Inputs) -> tuple[list[Row], Inputs]:
    try:
        return in_order(read_trials(session, inputs).transform(matrix)), inputs
    except (PySparkException, Py4JError):
        whole = read_through(inputs)
        if whole == inputs:  # not the files' fault
            raise
        return in_order(read_trials(session, whole).transform(matrix)), whole


def main(argv: list[str] | None = None) -> int:
    """Build the matrix; 0 done, 2 no Spark here, 3 nothing readable."""
    parser = argparse.ArgumentParser(prog="python -m spark.job", description="Settle stored trials into matrix.csv.")
    parser.add_argument("--results", required=True, help="folder or URL of the runs")
    parser.add_argument("--out", required=True, help="folder or URL for matrix.csv and matrix.parquet")
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
    sys.stdout.write(f"{built.csv}: {built.cells} cells from {built.files} files\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
