"""What the jobs write, aside and renamed: matrix.csv (RFC 4180, UTF-8, LF), matrix.parquet, verdict files."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from probe.model.results import ResultsError
from spark.inputs import Inputs, open_place
from spark.schema import IDENTITY, MATRIX

Row = dict[str, Any]
_NUMBERED = {"version", "broker"}


def in_order(cells: DataFrame) -> list[Row]:
    """Collect the matrix (its rows are few) sorted by identity, versions numerically."""
    return sorted((row.asDict() for row in cells.collect()), key=_identity)


def version_key(version: str) -> tuple[object, ...]:
    """Order versions numerically: 1.9.0 before 1.27.0, 2.0.0-rc1 before 2.0.0, a local build after its release."""
    release, _, local = version.partition("+")
    parts = (
        (1, int(part), "") if part.isdecimal() else (0, 0, part) for part in re.findall(r"[0-9]+|[^0-9.]+", release)
    )
    return (*parts, (1, -1, ""), (2, 0, local))


def write_matrix(out: str, rows: Sequence[Row]) -> tuple[str, str]:
    """Write both files into `out` and return their full names; ResultsError if it cannot be written."""
    table = pa.Table.from_pylist(list(rows), schema=to_arrow_schema(MATRIX))
    folder = out.rstrip("/")
    write_parquet(f"{folder}/matrix.parquet", table)
    write_aside(f"{folder}/matrix.csv", lambda sink: sink.write(as_csv(rows).encode()))
    return f"{folder}/matrix.csv", f"{folder}/matrix.parquet"


def as_csv(rows: Sequence[Row]) -> str:
    """Write rows as CSV: empty where a column does not apply, rates with one decimal."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(MATRIX.names)
    writer.writerows([_cell(row[name]) for name in MATRIX.names] for row in rows)
    return text.getvalue()


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.1f}" if isinstance(value, float) else str(value)


def _identity(row: Row) -> tuple[object, ...]:
    return tuple(version_key(row[name]) if name in _NUMBERED else row[name] for name in IDENTITY)


def next_verdict_file(inputs: Inputs, folder: str, rules: int) -> str:
    """Return the path of the next `<rules>-<seq>.parquet` in a folder of verdicts."""
    names = (path.removeprefix(f"{folder}/") for path in inputs.verdicts if path.startswith(f"{folder}/{rules}-"))
    taken = [int(name[:-8].partition("-")[2]) for name in names if name[:-8].partition("-")[2].isdigit()]
    return f"{folder}/{rules}-{max(taken, default=-1) + 1:06d}.parquet"


def write_aside(url: str, save: Callable[[pa.NativeFile], object]) -> None:
    """Write a file aside and rename it; ResultsError if it cannot be written."""
    system, path = open_place(url)
    folder, _, name = path.rpartition("/")
    aside = f"{folder}/.{name}.{os.getpid()}"
    try:
        system.create_dir(folder, recursive=True)
        with system.open_output_stream(aside) as sink:
            save(sink)
        system.move(aside, path)
    except OSError as error:
        raise ResultsError(
            f"{url} cannot be written: {' '.join(str(error).split())}; free the place or give another folder"
        ) from error


def write_parquet(url: str, table: pa.Table) -> None:
    """Write a Parquet file aside and rename it; ResultsError if it cannot be written."""
    write_aside(url, lambda sink: pq.write_table(table, sink, compression="zstd"))
