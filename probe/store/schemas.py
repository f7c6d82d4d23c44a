"""Columns of the Parquet files. Additive changes keep the number; anything else raises it."""

from __future__ import annotations

import pyarrow as pa

from probe.model.results import IDENTITY, SCHEMA_KEY, SCHEMA_VERSION

_KEY = [("run_id", pa.string()), *((name, pa.string()) for name in IDENTITY), ("trial", pa.int32())]
_FACTS = [
    ("fault_codes", pa.list_(pa.int32())),
    ("api_versions", pa.list_(pa.struct([("api", pa.string()), ("version", pa.int32())]))),
    ("fault_hits", pa.int64()),
    ("soft_hits", pa.int64()),
    ("hits_before_ask", pa.int64()),
    ("refresh_trigger", pa.string()),
    ("refresh_ms", pa.float64()),
    ("refreshes", pa.int64()),
    ("side_requests", pa.int64()),
    ("storm", pa.string()),
    ("connects", pa.int64()),
    ("reroute", pa.string()),
    ("reroute_ms", pa.float64()),
    ("rescued_by", pa.string()),
    ("recovered", pa.bool_()),
    ("recovery_ms", pa.float64()),
    ("outage_ms", pa.float64()),
    ("after_heal", pa.string()),
    ("close_ms", pa.float64()),
    ("errors_surfaced", pa.int64()),
    ("failed_ops", pa.int64()),
    ("first_error", pa.string()),
    ("futile_requests_per_s", pa.float64()),
    ("futile_per_op", pa.float64()),
    ("futile_bytes_per_s", pa.float64()),
    ("bystander_gap_ms", pa.float64()),
    ("bystander_errors", pa.int64()),
    ("acked", pa.int64()),
    ("lost", pa.int64()),
    ("duplicated", pa.int64()),
    ("reordered", pa.int64()),
    ("position_jump", pa.int64()),
    ("watched_ms", pa.int64()),
]
_VERDICT = [
    ("outcome", pa.string()),
    ("conforms", pa.bool_()),
    ("reason", pa.string()),
    ("rules", pa.int32()),
]
_META = {SCHEMA_KEY: str(SCHEMA_VERSION).encode()}

TRIAL_SCHEMA = pa.schema(
    [
        *_KEY,
        ("seed", pa.int64()),
        *_VERDICT,
        ("conforming", pa.list_(pa.string())),  # outcomes that conform; empty = informative
        ("reality", pa.string()),
        ("released", pa.string()),
        ("mirrors", pa.string()),
        ("shortened", pa.bool_()),
        *_FACTS,
        ("header", pa.string()),  # JSON of the history's Header; null where no trial was run
    ],
    metadata=_META,
)
EVENT_SCHEMA = pa.schema(
    [
        *_KEY,
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
VERDICT_SCHEMA = pa.schema([*_KEY, *_VERDICT, *_FACTS], metadata=_META)
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
