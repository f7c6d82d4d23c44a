"""The matrix as files: sorted, matrix.csv (RFC 4180, UTF-8, LF) and matrix.parquet, aside and renamed."""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import to_arrow_schema

from probe.model.results import ResultsError
from spark.inputs import open_place
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
    buffer = pa.BufferOutputStream()
    pq.write_table(table, buffer, compression="zstd")
    _replace(out, "matrix.parquet", buffer.getvalue().to_pybytes())
    _replace(out, "matrix.csv", as_csv(rows).encode())
    return f"{out.rstrip('/')}/matrix.csv", f"{out.rstrip('/')}/matrix.parquet"


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


def _replace(out: str, name: str, data: bytes) -> None:
    system, root = open_place(out)
    aside = f"{root}/.{name}.{os.getpid()}"
    try:
        system.create_dir(root, recursive=True)
        with system.open_output_stream(aside) as sink:
            sink.write(data)
        system.move(aside, f"{root}/{name}")
    except OSError as error:
        reason = " ".join(str(error).split())
        raise ResultsError(f"{out}/{name} cannot be written: {reason}; give another --out") from error
