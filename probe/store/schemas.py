"""Columns of the Parquet files. A new column keeps the schema number; every other change raises it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from probe.model.columns import ADDED, FACTS, KEY, ORIGIN, VERDICT
from probe.model.conditions import FIRST
from probe.model.results import SCHEMA_KEY, SCHEMA_VERSION
from probe.model.rows import EVENT
from probe.model.schema import Type

TYPES: Mapping[Type, pa.DataType] = MappingProxyType(
    {
        Type.STRING: pa.string(),
        Type.INT: pa.int32(),
        Type.BIGINT: pa.int64(),
        Type.DOUBLE: pa.float64(),
        Type.BOOLEAN: pa.bool_(),
        Type.CODES: pa.list_(pa.int32()),
        Type.VERSIONS: pa.list_(pa.struct([("api", pa.string()), ("version", pa.int32())])),
    }
)


def _fields(columns: Mapping[str, Type]) -> list[tuple[str, pa.DataType]]:
    return [(name, TYPES[kind]) for name, kind in columns.items()]


_META = {SCHEMA_KEY: str(SCHEMA_VERSION).encode()}

TRIAL_SCHEMA = pa.schema(
    [
        *_fields(KEY),
        ("seed", pa.int64()),
        *_fields(VERDICT),
        ("conforming", pa.list_(pa.string())),  # outcomes that conform; empty = informative
        *_fields(ORIGIN),
        *_fields(FACTS),
        ("header", pa.string()),  # JSON of the history's Header; null where no trial was run
    ],
    metadata=_META,
)
EVENT_SCHEMA = pa.schema(
    [
        *_fields(KEY),
        ("seq", pa.int32()),
        ("at", pa.int64()),  # microseconds of the orchestrator's clock
        ("source", pa.string()),  # wire, app, engine, harness
        ("kind", pa.string()),
        ("conn", pa.int64()),
        ("node", pa.int32()),  # the event's broker; `broker` is the release line of the cell
        ("api", pa.int32()),
        ("api_version", pa.int32()),
        ("size", pa.int64()),  # bytes of the frame, or of all folded frames; null in older files
        ("requests", pa.int64()),  # 1 for a request, the count for folded frames
        ("data", pa.string()),  # JSON of the event
    ],
    metadata=_META,
)
VERDICT_SCHEMA = pa.schema([*_fields(KEY), *_fields(VERDICT), *_fields(FACTS)], metadata=_META)
OLDER: dict[str, object] = {
    "conforms": None,
    "reason": "",
    "rules": 0,
    "conforming": (),
    "reality": "effective",
    "released": "",
    "mirrors": "",
    "shortened": False,
    "conditions": FIRST,
    "sweep": "",
}
"""Values of columns that files of an older program lack; facts are null there."""
ESSENTIAL = frozenset({*(name for name in KEY if name not in ADDED), "outcome", "header", "seq", *EVENT})
"""Columns that the files of every program have; a file without one that is asked for is another file in its place."""
