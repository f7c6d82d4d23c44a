"""Write the results of the jobs: matrix.csv (RFC 4180, UTF-8, LF), the tables, verdict files."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql.pandas.types import to_arrow_schema

from probe.errors import reason_of
from probe.files.filesystems import write_whole
from probe.model.results import SCHEMA_KEY, SCHEMA_VERSION, ResultsError
from probe.model.versions import version_key
from spark.inputs import Inputs, open_place
from spark.schema import IDENTITY, MATRIX
from spark.tables import PUBLISHED, WRITTEN

Row = dict[str, Any]
_NUMBERED = {"version", "broker"}
_HALF = re.compile(r"\.(matrix\.csv|[a-z]+\.parquet)\.\d+")
"""Temporary names of tables that `write_aside` has not completed."""
TABLE_KEY = b"probe.table"
"""Key of the table's name in the metadata of its file."""


def in_order(cells: pa.Table) -> pa.Table:
    """Sort the matrix by identity; versions are sorted as numbers."""
    keys = [_identity(row) for row in cells.select(list(IDENTITY)).to_pylist()]
    return cells.take(pa.array(sorted(range(len(keys)), key=keys.__getitem__), pa.int64()))


def write_tables(out: str, tables: Mapping[str, pa.Table]) -> tuple[str, str]:
    """Write the tables of a build to `out`, matrix.csv last; return the full names of matrix.csv and matrix.parquet.

    ResultsError if they cannot be written.
    """
    folder = out.rstrip("/")
    for name in PUBLISHED:
        write_table(f"{folder}/{name}.parquet", name, tables[name])
    cells = in_order(tables["matrix"])
    write_table(f"{folder}/matrix.parquet", "matrix", cells)
    text = as_csv(cells.to_pylist())
    write_aside(f"{folder}/matrix.csv", lambda sink: sink.write(text.encode()))
    return f"{folder}/matrix.csv", f"{folder}/matrix.parquet"


def write_table(url: str, name: str, rows: pa.Table) -> None:
    """Write a table with its name and schema number.

    Rows are sorted by cell, then by their other columns; the matrix is sorted already.
    """
    schema = to_arrow_schema(WRITTEN[name]).with_metadata(
        {SCHEMA_KEY: str(SCHEMA_VERSION).encode(), TABLE_KEY: name.encode()}
    )
    whole = rows.select(schema.names).cast(schema)
    comparable = [field.name for field in schema if pa.types.is_string(field.type) or pa.types.is_integer(field.type)]
    keys = sorted(comparable, key=lambda name: name not in IDENTITY)  # rows of a cell stand together
    ordered = whole if name == "matrix" else whole.sort_by([(key, "ascending") for key in keys])
    write_parquet(url, ordered.replace_schema_metadata(schema.metadata))


def as_csv(rows: Sequence[Row]) -> str:
    """Return rows as CSV: empty where a column does not apply, rates with one decimal."""
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
    """Write a file at a temporary name and rename it; ResultsError if that fails."""
    system, path = open_place(url)
    try:
        write_whole(system, path, save)
    except OSError as error:
        raise ResultsError(
            f"{url} cannot be written: {reason_of(error)}; free the place or give another folder"
        ) from error


def sweep(out: str) -> None:
    """Remove incomplete tables of a killed build from a folder; no other build may run there."""
    if "://" not in out:
        for path in Path(out).glob(".*"):
            if _HALF.fullmatch(path.name):
                with suppress(OSError):
                    path.unlink()


def write_parquet(url: str, table: pa.Table) -> None:
    """Write a Parquet file at a temporary name and rename it; ResultsError if that fails."""
    write_aside(url, lambda sink: pq.write_table(table, sink, compression="zstd"))
