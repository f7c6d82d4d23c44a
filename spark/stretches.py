"""The history of cells outside Spark: of a cell's stretches, a later run can change the last one only."""

from __future__ import annotations

from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql.pandas.types import to_arrow_schema

from spark.schema import IDENTITY
from spark.tables import HISTORY


def split_last(history: pa.Table) -> tuple[pa.Table, pa.Table]:
    """Return the stretches before each cell's last one, and the last ones.

    `history` is sorted by cell and first run, as its file is.
    """
    if not len(history):
        return history, history
    cells = (history[name].combine_chunks() for name in IDENTITY)
    differs = reduce(pc.or_, (pc.not_equal(words[:-1], words[1:]) for words in cells))
    last = pa.concat_arrays([differs, pa.array([True])])
    return history.filter(pc.invert(last)), history.filter(last)


def with_earlier(earlier: pa.Table, rows: pa.Table) -> pa.Table:
    """Return stretches together with those that no new run could change."""
    schema = to_arrow_schema(HISTORY)
    return pa.concat_tables([table.select(schema.names).cast(schema) for table in (earlier, rows)])
