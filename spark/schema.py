"""Both ends of the job: the columns of stored rows that it reads, the columns of the matrix that it writes."""

from __future__ import annotations

from typing import NamedTuple

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

IDENTITY = ("family", "version", "role", "profile", "scenario", "engine", "broker")
TRIAL_KEY = ("run_id", *IDENTITY, "trial")

_TYPES: dict[str, DataType] = {
    "STRING": StringType(),
    "INT": IntegerType(),
    "BIGINT": LongType(),
    "DOUBLE": DoubleType(),
    "BOOLEAN": BooleanType(),
    "CODES": ArrayType(IntegerType()),
    "VERSIONS": ArrayType(StructType([StructField("api", StringType()), StructField("version", IntegerType())])),
    "COUNTS": ArrayType(LongType()),
}


def columns(text: str) -> StructType:
    """Read `name TYPE, name TYPE`; Spark's own parser of this needs a running session."""
    pairs = (column.split() for column in text.split(","))
    return StructType([StructField(name, _TYPES[word]) for name, word in pairs])


VERDICT = columns(
    """
    run_id STRING, family STRING, version STRING, role STRING, profile STRING, scenario STRING, engine STRING,
    broker STRING, trial INT,
    outcome STRING, conforms BOOLEAN, reason STRING, rules INT,
    fault_codes CODES, api_versions VERSIONS, fault_hits BIGINT, soft_hits BIGINT,
    hits_before_ask BIGINT, refresh_trigger STRING, refresh_ms DOUBLE, refreshes BIGINT, side_requests BIGINT,
    storm STRING, connects BIGINT, reroute STRING, reroute_ms DOUBLE, rescued_by STRING, recovered BOOLEAN,
    recovery_ms DOUBLE, outage_ms DOUBLE, after_heal STRING, close_ms DOUBLE, errors_surfaced BIGINT,
    failed_ops BIGINT, first_error STRING, futile_requests_per_s DOUBLE, futile_per_op DOUBLE,
    futile_bytes_per_s DOUBLE, bystander_gap_ms DOUBLE, bystander_errors BIGINT, acked BIGINT, lost BIGINT,
    duplicated BIGINT, reordered BIGINT, position_jump BIGINT, watched_ms BIGINT
    """
)
"""Verdict files; also the part of a trial row that a newer verdict replaces."""

TRIAL = StructType(
    [
        *VERDICT.fields,
        *columns("reality STRING, released STRING, mirrors STRING, shortened BOOLEAN").fields,
    ]
)
"""What settling needs of a trial row."""

EVENT = columns(
    """
    run_id STRING, family STRING, version STRING, role STRING, profile STRING, scenario STRING, engine STRING,
    broker STRING, trial INT, at BIGINT, kind STRING, node INT, api INT, size BIGINT, requests BIGINT, data STRING
    """
)
"""What traffic needs of an event row: `at` in microseconds; of `data`, the event's JSON, only where `size` is not yet
a column of its own."""

HEADER = StructType([*(VERDICT[name] for name in TRIAL_KEY), StructField("header", StringType())])
"""And of a trial row: the JSON of its header, null where no trial was run."""


class Number(NamedTuple):
    """A matrix column that is a statistic of one numeric column over the agreeing trials."""

    column: str
    of: str
    how: str
    """`min`, `max`, `median` or `p95`."""
    rate: bool = False
    """One decimal; else a whole number."""


NUMBERS = (
    Number("watched_ms", "watched_ms", "min"),
    Number("fault_hits", "fault_hits", "min"),
    Number("hits_before_ask", "hits_before_ask", "max"),
    Number("refresh_ms_p50", "refresh_ms", "median"),
    Number("refresh_ms_p95", "refresh_ms", "p95"),
    Number("refreshes_max", "refreshes", "max"),
    Number("connects_max", "connects", "max"),
    Number("recovery_ms_p50", "recovery_ms", "median"),
    Number("recovery_ms_p95", "recovery_ms", "p95"),
    Number("outage_ms_max", "outage_ms", "max"),
    Number("close_ms_max", "close_ms", "max"),
    Number("errors_surfaced", "errors_surfaced", "max"),
    Number("failed_ops_max", "failed_ops", "max"),
    Number("futile_requests_per_s", "futile_requests_per_s", "median", rate=True),
    Number("futile_per_op", "futile_per_op", "median", rate=True),
    Number("bystander_gap_ms_max", "bystander_gap_ms", "max"),
    Number("bystander_errors", "bystander_errors", "max"),
    Number("acked", "acked", "min"),
    Number("lost", "lost", "max"),
    Number("duplicated", "duplicated", "max"),
    Number("reordered", "reordered", "max"),
    Number("position_jump_max", "position_jump", "max"),
)
TIMES = ("refresh_ms", "reroute_ms", "recovery_ms", "outage_ms")
"""Times whose distribution over the agreeing trials is told, beside the matrix."""
WORDS = ("refresh_trigger", "reroute", "rescued_by", "after_heal", "first_error")
"""Columns that hold the commonest word of the agreeing trials."""

MATRIX = columns(
    """
    family STRING, version STRING, role STRING, profile STRING, scenario STRING, engine STRING, broker STRING,
    outcome STRING, conforms STRING, reality STRING, trials BIGINT, agreeing BIGINT, watched_ms BIGINT,
    fault_codes STRING, api_versions STRING, fault_hits BIGINT, hits_before_ask BIGINT, refresh_trigger STRING,
    refresh_ms_p50 BIGINT, refresh_ms_p95 BIGINT, refreshes_max BIGINT, storm STRING, connects_max BIGINT,
    reroute STRING, rescued_by STRING, recovered BOOLEAN, recovery_ms_p50 BIGINT, recovery_ms_p95 BIGINT,
    outage_ms_max BIGINT, after_heal STRING, close_ms_max BIGINT, errors_surfaced BIGINT, failed_ops_max BIGINT,
    first_error STRING, futile_requests_per_s DOUBLE, futile_per_op DOUBLE, bystander_gap_ms_max BIGINT,
    bystander_errors BIGINT, acked BIGINT, lost BIGINT, duplicated BIGINT, reordered BIGINT,
    position_jump_max BIGINT, released STRING, mirrors STRING, reason STRING, run_id STRING
    """
)
"""The matrix, its columns in the order of matrix.csv."""
