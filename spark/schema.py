"""Schemas of the jobs: the columns of stored rows that they read, and the columns of the matrix that they write."""

from __future__ import annotations

from collections.abc import Mapping

from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    StringType,
    StructField,
    StructType,
)

from probe.model import columns as model
from probe.model import results
from probe.model.schema import Type

IDENTITY = results.IDENTITY
TRIAL_KEY = tuple(model.KEY)

_TYPES: Mapping[str, DataType] = {
    Type.STRING: StringType(),
    Type.INT: IntegerType(),
    Type.BIGINT: LongType(),
    Type.DOUBLE: DoubleType(),
    Type.BOOLEAN: BooleanType(),
    Type.CODES: ArrayType(IntegerType()),
    Type.VERSIONS: ArrayType(StructType([StructField("api", StringType()), StructField("version", IntegerType())])),
    "COUNTS": ArrayType(LongType()),
}


def columns(text: str) -> StructType:
    """Parse `name TYPE, name TYPE`; Spark's own parser needs a running session."""
    pairs = (column.split() for column in text.split(","))
    return StructType([StructField(name, _TYPES[word]) for name, word in pairs])


def _struct(types: Mapping[str, Type]) -> StructType:
    return StructType([StructField(name, _TYPES[kind]) for name, kind in types.items()])


VERDICT = _struct({**model.KEY, **model.VERDICT, **model.FACTS})
"""Columns of verdict files, and the part of a trial row that a newer verdict replaces."""

TRIAL = StructType([*VERDICT.fields, *_struct(model.ORIGIN).fields])
"""The columns of a trial row that settling needs."""

_EVENT = columns("at BIGINT, kind STRING, node INT, api INT, size BIGINT, requests BIGINT, data STRING")
EVENT = StructType([*(VERDICT[name] for name in TRIAL_KEY), *_EVENT.fields])
"""The columns of an event row that `traffic` needs: `at` in microseconds; `data`, the event's JSON, only for files in
which `size` is not a column."""

HEADER = StructType([*(VERDICT[name] for name in TRIAL_KEY), StructField("header", StringType())])
"""The header of a trial row as JSON, null if no trial was run."""

MATRIX = _struct({column.name: column.type for column in model.COLUMNS})
"""The matrix, with its columns in the order of matrix.csv."""
