"""The history of cells: what a later run can change, and what it cannot."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql.pandas.types import to_arrow_schema

from spark.schema import IDENTITY
from spark.stretches import split_last, with_earlier
from spark.tables import HISTORY

SCHEMA = to_arrow_schema(HISTORY)


def stretches(*places: tuple[str, str, str]) -> pa.Table:
    """Return stretches of (version, broker, first run), in the order given."""
    rows = [
        {
            **dict.fromkeys(SCHEMA.names),
            **dict.fromkeys(IDENTITY, "x"),
            "version": version,
            "broker": broker,
            "first_run": first,
        }
        for version, broker, first in places
    ]
    return pa.Table.from_pylist(rows, schema=SCHEMA)


def test_only_the_last_stretch_of_a_cell_can_change() -> None:
    whole = stretches(
        ("1.0", "2.6", "a"), ("1.0", "2.6", "b"), ("1.0", "3.9", "a"), ("2.0", "3.9", "a"), ("2.0", "3.9", "c")
    )
    earlier, last = split_last(whole)
    assert earlier["first_run"].to_pylist() == ["a", "a"]
    assert last.select(["version", "broker", "first_run"]).to_pylist() == [
        {"version": "1.0", "broker": "2.6", "first_run": "b"},
        {"version": "1.0", "broker": "3.9", "first_run": "a"},
        {"version": "2.0", "broker": "3.9", "first_run": "c"},
    ]
    assert with_earlier(earlier, last).sort_by([("version", "ascending"), ("first_run", "ascending")]).num_rows == 5


def test_a_history_without_rows_has_none_of_either() -> None:
    earlier, last = split_last(stretches())
    assert (len(earlier), len(last)) == (0, 0)
