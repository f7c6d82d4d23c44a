"""The tables beside the matrix: what each holds, and its columns. docs/schema has one page each for who reads them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyspark.sql.types import StructField, StructType

from spark.schema import MATRIX, columns

_CELL = "family STRING, version STRING, role STRING, profile STRING, scenario STRING, engine STRING, broker STRING"

LATEST = columns("cell BIGINT, best BIGINT, earlier BIGINT")
"""Ranks of runs, weight and number of the run in one: the run that says most of a cell, of several the latest; and the
same before the newest run."""

VOTED = columns("cell BIGINT, run INT, outcome INT, weight INT, votes BIGINT, said INT")
"""Trials of an outcome, per cell and run, in the numbers of `spark.encoding`: Spark groups them far faster."""

SETTLED = columns(
    "cell BIGINT, run INT, weight INT, outcome INT, commonest INT, said INT, trials BIGINT, agreeing BIGINT"
)
"""What one run alone says of a cell, in numbers."""

SAID = columns("outcome STRING, conforms STRING, trials BIGINT, run_id STRING")
ELECTED = StructType(
    [
        *columns(
            "cell BIGINT, run_id STRING, weight INT, outcome STRING, commonest STRING, conforms STRING, "
            "trials BIGINT, agreeing BIGINT"
        ).fields,
        StructField("before", SAID),
    ]
)
"""The run that gives a cell its row, and what the row said before the newest run."""

STRETCHED = columns(
    "cell BIGINT, first_run INT, last_run INT, outcome INT, said INT, runs BIGINT, trials BIGINT, agreeing BIGINT"
)
"""`HISTORY` in numbers."""

TALLIED = columns("cell BIGINT, outcome STRING, trials BIGINT")
"""`TALLIES` by the number of the cell."""

HISTORY = columns(
    f"{_CELL}, first_run STRING, last_run STRING, outcome STRING, conforms STRING, runs BIGINT, trials BIGINT, "
    "agreeing BIGINT"
)
"""A stretch of runs that said the same of a cell; runs that do not settle it (broken, waiting) are left out."""

CHANGES = columns(
    f"{_CELL}, kind STRING, outcome_before STRING, conforms_before STRING, trials_before BIGINT, run_before STRING, "
    "outcome STRING, conforms STRING, trials BIGINT, run_id STRING"
)
"""A cell whose row the newest run added (`added`) or whose outcome or conformity it changed (`changed`)."""

TALLIES = columns(f"{_CELL}, outcome STRING, trials BIGINT")
"""Trials that settle, per cell and outcome, over all runs; kept for `FLAKES`."""

FLAKES = columns(
    f"{_CELL}, commonest STRING, trials BIGINT, differing BIGINT, rate DOUBLE, rate_low DOUBLE, rate_high DOUBLE"
)
"""How often a trial differs from the cell's commonest outcome, over all runs, with Wilson's 95 % interval."""

TIMINGS = columns(
    f"{_CELL}, run_id STRING, measure STRING, trials BIGINT, min_ms DOUBLE, p50_ms DOUBLE, p90_ms DOUBLE, "
    "p95_ms DOUBLE, p99_ms DOUBLE, max_ms DOUBLE, buckets COUNTS"
)
"""Distribution of a time over the trials behind a row of the matrix; `buckets` counts by `EDGES`."""

VERSIONS = columns(
    "family STRING, role STRING, profile STRING, scenario STRING, engine STRING, broker STRING, outcome STRING, "
    "conforms STRING, first_version STRING, last_version STRING, versions BIGINT, first_released STRING, "
    "nth BIGINT, newest BOOLEAN, unmeasured STRING"
)
"""A stretch of consecutive measured versions of a family with the same answer, the oldest is `nth` 1."""

AGREEMENT = columns(
    "family STRING, version STRING, role STRING, profile STRING, scenario STRING, broker STRING, agrees STRING, "
    "embedded_profile STRING, embedded_outcome STRING, embedded_conforms STRING, embedded_refresh_ms_p50 BIGINT, "
    "embedded_recovery_ms_p50 BIGINT, embedded_run STRING, kafka_outcome STRING, kafka_conforms STRING, "
    "kafka_refresh_ms_p50 BIGINT, kafka_recovery_ms_p50 BIGINT, kafka_run STRING"
)
"""A question that both engines were asked. `agrees` is null where either answer says nothing of the client."""

TRAFFIC = columns(
    f"{_CELL}, run_id STRING, failing BOOLEAN, api INT, trials BIGINT, requests BIGINT, bytes BIGINT, "
    "per_s_p50 DOUBLE, per_s_max BIGINT, bytes_per_s_p50 DOUBLE, first_ms_min DOUBLE, first_ms_p50 DOUBLE, "
    "first_ms_p95 DOUBLE, first_ms_max DOUBLE, buckets COUNTS"
)
"""Requests between fault and mending in the run that gives a cell its row, per API (Kafka's key), to the failing
broker and to the others."""

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000)
"""Upper edges in ms of the buckets of a distribution, each inclusive; a last bucket holds what is longer."""

PUBLISHED: Mapping[str, StructType] = MappingProxyType(
    {
        "history": HISTORY,
        "changes": CHANGES,
        "versions": VERSIONS,
        "agreement": AGREEMENT,
        "flakes": FLAKES,
        "timings": TIMINGS,
    }
)
"""Written as `<name>.parquet` beside matrix.parquet, at every build."""

KEPT: Mapping[str, StructType] = MappingProxyType({"matrix": MATRIX, "tallies": TALLIES, **PUBLISHED})
"""What a build keeps for the next one."""

WRITTEN: Mapping[str, StructType] = MappingProxyType({**KEPT, "traffic": TRAFFIC})
"""Every table that is ever written."""
