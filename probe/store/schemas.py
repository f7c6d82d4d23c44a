"""Columns of the Parquet files. Additive changes keep the number; anything else raises it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import pyarrow as pa

from probe.model.columns import FACTS, KEY, ORIGIN, VERDICT
from probe.model.results import SCHEMA_KEY, SCHEMA_VERSION
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
        ("node", pa.int32()),  # the event's broker; `broker` is the cell's Kafka line
        ("api", pa.int32()),
        ("api_version", pa.int32()),
        ("size", pa.int64()),  # bytes of the frame, or of all that are folded; null before these columns came
        ("requests", pa.int64()),  # 1 for a request, their count where they are folded
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
}
"""What a row says in columns that an older program did not write; facts that it did not know do not apply."""
