"""Both ends of the job: the columns of stored rows that it reads, the columns of the matrix that it writes."""

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
    """Read `name TYPE, name TYPE`; Spark's own parser of this needs a running session."""
    pairs = (column.split() for column in text.split(","))
    return StructType([StructField(name, _TYPES[word]) for name, word in pairs])


def _struct(types: Mapping[str, Type]) -> StructType:
    return StructType([StructField(name, _TYPES[kind]) for name, kind in types.items()])


VERDICT = _struct({**model.KEY, **model.VERDICT, **model.FACTS})
"""Verdict files; also the part of a trial row that a newer verdict replaces."""

TRIAL = StructType([*VERDICT.fields, *_struct(model.ORIGIN).fields])
"""What settling needs of a trial row."""

_EVENT = columns("at BIGINT, kind STRING, node INT, api INT, size BIGINT, requests BIGINT, data STRING")
EVENT = StructType([*(VERDICT[name] for name in TRIAL_KEY), *_EVENT.fields])
"""What traffic needs of an event row: `at` in microseconds; of `data`, the event's JSON, only where `size` is not yet
a column of its own."""

HEADER = StructType([*(VERDICT[name] for name in TRIAL_KEY), StructField("header", StringType())])
"""And of a trial row: the JSON of its header, null where no trial was run."""

MATRIX = _struct({column.name: column.type for column in model.COLUMNS})
"""The matrix, its columns in the order of matrix.csv."""
