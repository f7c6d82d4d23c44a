"""The schemas of the tables. docs/schema has a JSON Schema of every published table."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from pyspark.sql.types import StructField, StructType

from probe.model.columns import ADDED, LEADING
from spark.schema import MATRIX, columns

_CELL = ", ".join(f"{name} STRING" for name in LEADING)
_MORE = ", ".join(f"{name} STRING" for name in ADDED)
"""The rest of the identity: it ends the tables for readers."""

LATEST = columns("cell BIGINT, best BIGINT, earlier BIGINT")
"""Ranks of runs, each the tier (`spark.conditions`) and the number of a run as one number: the best run of a cell (the
latest of several), and the best one before the newest run."""

VOTED = columns("cell BIGINT, run INT, outcome INT, tier INT, votes BIGINT, conformity INT")
"""Number of trials per cell, run, outcome and tier, encoded as in `spark.encoding`, because Spark groups numbers
faster."""

SETTLED = columns(
    "cell BIGINT, run INT, tier INT, outcome INT, commonest INT, conformity INT, trials BIGINT, agreeing BIGINT, "
    "worst INT"
)
"""The result of one run for a cell, in numbers."""

EARLIER = columns("outcome STRING, conforms STRING, trials BIGINT, run_id STRING, tier INT, worst STRING")
ELECTED = StructType(
    [
        *columns(
            "cell BIGINT, run_id STRING, tier INT, outcome STRING, commonest STRING, conforms STRING, "
            "trials BIGINT, agreeing BIGINT, worst STRING"
        ).fields,
        StructField("before", EARLIER),
    ]
)
"""The run that gives a cell its row, and the row before the newest run."""

STRETCHED = columns(
    "cell BIGINT, first_run INT, last_run INT, outcome INT, conformity INT, runs BIGINT, trials BIGINT, "
    "agreeing BIGINT, conditions BIGINT, worst INT"
)
"""`HISTORY` in numbers."""

TALLIED = columns("cell BIGINT, conditions BIGINT, outcome STRING, trials BIGINT")
"""`TALLIES` by the number of the cell."""

HISTORY = columns(
    f"{_CELL}, first_run STRING, last_run STRING, outcome STRING, conforms STRING, runs BIGINT, trials BIGINT, "
    f"agreeing BIGINT, conditions BIGINT, worst STRING, {_MORE}"
)
"""A stretch of runs with the same result for a cell under comparable conditions; runs that do not settle it (broken,
waiting) are left out."""

CHANGES = columns(
    f"{_CELL}, kind STRING, outcome_before STRING, conforms_before STRING, trials_before BIGINT, run_before STRING, "
    f"outcome STRING, conforms STRING, trials BIGINT, run_id STRING, worst_before STRING, worst STRING, {_MORE}"
)
"""A cell whose row the newest run added (`added`) or whose worst outcome or conformity it changed (`changed`), the row
before being comparable."""

TALLIES = columns(f"{_CELL}, conditions BIGINT, outcome STRING, trials BIGINT, {_MORE}")
"""Number of settling trials per cell, conditions and outcome, over all runs; kept for `FLAKES`."""

FLAKES = columns(
    f"{_CELL}, commonest STRING, trials BIGINT, differing BIGINT, rate DOUBLE, rate_low DOUBLE, rate_high DOUBLE, "
    f"conditions BIGINT, {_MORE}"
)
"""How often a trial differs from the cell's commonest outcome, over all runs under its newest conditions, with Wilson's
95 % interval."""

TIMINGS = columns(
    f"{_CELL}, run_id STRING, measure STRING, trials BIGINT, min_ms DOUBLE, p50_ms DOUBLE, p90_ms DOUBLE, "
    f"p95_ms DOUBLE, p99_ms DOUBLE, max_ms DOUBLE, buckets COUNTS, {_MORE}"
)
"""Distribution of a time over the trials behind a row of the matrix; `buckets` counts by `EDGES`."""

VERSIONS = columns(
    "family STRING, role STRING, profile STRING, scenario STRING, engine STRING, broker STRING, outcome STRING, "
    "conforms STRING, first_version STRING, last_version STRING, versions BIGINT, first_released STRING, "
    f"nth BIGINT, newest BOOLEAN, unmeasured STRING, conditions BIGINT, {_MORE}"
)
"""A stretch of consecutive measured versions of a family with the same answer under comparable conditions; the oldest
has `nth` 1."""

AGREEMENT = columns(
    "family STRING, version STRING, role STRING, profile STRING, scenario STRING, broker STRING, agrees STRING, "
    "embedded_profile STRING, embedded_outcome STRING, embedded_conforms STRING, embedded_refresh_ms_p50 BIGINT, "
    "embedded_recovery_ms_p50 BIGINT, embedded_run STRING, kafka_outcome STRING, kafka_conforms STRING, "
    "kafka_refresh_ms_p50 BIGINT, kafka_recovery_ms_p50 BIGINT, kafka_run STRING, "
    f"embedded_conditions BIGINT, kafka_conditions BIGINT, {_MORE}"
)
"""A question with answers from both engines. `agrees` is null if either answer is not about the client, or if they are
not comparable."""

TRAFFIC = columns(
    f"{_CELL}, run_id STRING, failing BOOLEAN, api INT, trials BIGINT, requests BIGINT, bytes BIGINT, "
    "per_s_p50 DOUBLE, per_s_max BIGINT, bytes_per_s_p50 DOUBLE, first_ms_min DOUBLE, first_ms_p50 DOUBLE, "
    f"first_ms_p95 DOUBLE, first_ms_max DOUBLE, buckets COUNTS, {_MORE}"
)
"""Requests between the fault and its end, in the run that gives a cell its row: per API (Kafka's key), for the failing
broker and for the other brokers."""

EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 60_000)
"""Upper edges (inclusive) in ms of the buckets of a distribution; the last bucket has all longer times."""

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
"""Tables that every build writes as `<name>.parquet` to the folder of matrix.parquet."""

KEPT: Mapping[str, StructType] = MappingProxyType({"matrix": MATRIX, "tallies": TALLIES, **PUBLISHED})
"""Tables in the cache of a build."""

WRITTEN: Mapping[str, StructType] = MappingProxyType({**KEPT, "traffic": TRAFFIC})
"""All tables."""
