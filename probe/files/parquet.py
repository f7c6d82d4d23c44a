"""Read rows of Parquet files, also of files that lack columns which were added later."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Filters = Sequence[tuple[str, str, Any]]
"""Column, `in` or `==`, value; rows fit all of them."""


def read_rows(
    source: pa.NativeFile,
    file: pq.ParquetFile,
    columns: Sequence[str] | None,
    filters: Filters | None,
    added: Mapping[str, str],
) -> pa.Table:
    """Read the rows that fit, all without `filters`. Columns that the file does not have are left out.

    `file` is `source`, opened. `added` has the columns that older files lack, with the value of all of their rows: they
    are never left out. Raises OSError or ArrowException.
    """
    there = frozenset(file.schema_arrow.names)
    lacking = {name: value for name, value in added.items() if name not in there}
    names = None if columns is None else [name for name in columns if name in there]
    if filters is None:  # `pq.read_table` would read the footer again and start a scanner
        table = file.read(names, use_threads=False)
    elif all(_fits(lacking[name], sign, wanted) for name, sign, wanted in filters if name in lacking):
        left = [one for one in filters if one[0] not in lacking]
        table = pq.read_table(source, columns=names, filters=left or None)
    else:
        table = file.schema_arrow.empty_table().select(list(there) if names is None else names)
    for name, value in lacking.items():
        if columns is None or name in columns:
            table = table.append_column(name, pa.repeat(pa.scalar(value), len(table)))
    return table


def foreign_run(about: pq.FileMetaData, run_id: str) -> str:
    """Return the reason why a file is not of this run: the id in its rows is another one. Empty = none is known.

    Read from the statistics of the footer (Apache Parquet, `ColumnMetaData.statistics`), so it costs no pages.
    """
    names = about.schema.names
    place = names.index("run_id") if "run_id" in names else -1
    if place < 0 or not run_id:
        return ""
    groups = (about.row_group(nth).column(place).statistics for nth in range(about.num_row_groups))
    found = {str(end) for one in groups if one is not None and one.has_min_max for end in (one.min, one.max)}
    others = sorted(found - {run_id})
    return f"it is a file of run {others[0]}" if others else ""


def _fits(value: str, sign: str, wanted: Any) -> bool:
    return value == wanted if sign == "==" else value in wanted
