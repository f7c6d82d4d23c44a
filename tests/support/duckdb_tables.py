"""A second implementation of the tables other than the matrix, in SQL. It shares nothing with `spark/`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb

from tests.support.duckdb_matrix import WORST_FIRST, judged, load, prepare, worst

CELL = "family, version, role, profile, scenario, engine, broker, workload"
QUESTION = "family, role, profile, scenario, engine, broker, workload"
NUMERIC = "list_transform(string_split(version, '.'), lambda x: CAST(x AS INT))"
EDGES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 60000)

PER_RUN = f"""
CREATE TEMP TABLE entering AS
SELECT *, CASE outcome WHEN 'not_run' THEN 0 WHEN 'broken' THEN 1 WHEN 'waiting' THEN 2 ELSE 3 END AS weight
FROM rows WHERE NOT shortened;

CREATE TEMP TABLE votes AS
SELECT {CELL}, run_id, weight, since, ahead, outcome, count(*) AS v, bool_and(conforms) AS ok
FROM (SELECT *, max((weight, since)) OVER (PARTITION BY {CELL}, run_id) AS top FROM entering)
WHERE (weight, since) = top GROUP BY ALL;

CREATE TEMP TABLE per_run AS
SELECT {CELL}, run_id, weight, since, ahead,
    first(outcome ORDER BY v DESC, list_position({WORST_FIRST}, outcome)) AS elected,
    CASE WHEN count(*) > 1 THEN 'flaky' ELSE elected END AS outcome,
    {judged("ok")} AS conforms,
    {worst("ok")} AS worst,
    CASE elected WHEN 'not_run' THEN 0 ELSE CAST(sum(v) AS BIGINT) END AS trials,
    CASE elected WHEN 'not_run' THEN 0 ELSE CAST(max(v) AS BIGINT) END AS agreeing
FROM votes GROUP BY {CELL}, run_id, weight, since, ahead;

CREATE TEMP TABLE standing AS
SELECT * FROM per_run
QUALIFY row_number() OVER (PARTITION BY {CELL} ORDER BY weight DESC, since DESC, run_id DESC) = 1;

CREATE TEMP TABLE stood AS
SELECT * FROM per_run WHERE run_id < (SELECT max(run_id) FROM rows)
QUALIFY row_number() OVER (PARTITION BY {CELL} ORDER BY weight DESC, since DESC, run_id DESC) = 1;

CREATE TEMP TABLE behind AS
SELECT e.* FROM entering e JOIN standing s USING ({CELL}, run_id, since) WHERE e.outcome = s.elected;
"""

HISTORY = f"""
WITH placed AS (
    SELECT *, row_number() OVER (PARTITION BY {CELL} ORDER BY run_id)
        - row_number() OVER (PARTITION BY {CELL}, outcome, worst, conforms, since ORDER BY run_id) AS island
    FROM per_run WHERE weight = 3)
SELECT {CELL}, min(run_id) AS first_run, max(run_id) AS last_run, outcome, conforms, count(*) AS runs,
    CAST(sum(trials) AS BIGINT) AS trials, CAST(sum(agreeing) AS BIGINT) AS agreeing,
    since AS conditions, worst
FROM placed GROUP BY {CELL}, outcome, worst, conforms, since, island
"""

CHANGES = f"""
SELECT {", ".join(f"s.{name}" for name in CELL.split(", "))},
    CASE WHEN b.family IS NULL THEN 'added' ELSE 'changed' END AS kind,
    b.outcome AS outcome_before, b.conforms AS conforms_before, b.trials AS trials_before, b.run_id AS run_before,
    s.outcome, s.conforms, s.trials, s.run_id, b.worst AS worst_before, s.worst
FROM standing s LEFT JOIN stood b USING ({CELL})
WHERE s.run_id = (SELECT max(run_id) FROM rows)
    AND (b.family IS NULL OR b.since = s.since AND (s.worst, s.conforms) IS DISTINCT FROM (b.worst, b.conforms))
"""


def stretches(selected: str, standing: str) -> str:
    """Return a query for the ranges of versions with equal outcome in `selected`; `standing` has all versions."""
    return f"""
WITH selected AS ({selected}),
placed AS (
    SELECT *, {NUMERIC} AS numbers, row_number() OVER (PARTITION BY {QUESTION}, since ORDER BY numbers)
        - row_number() OVER (PARTITION BY {QUESTION}, since, outcome, conforms ORDER BY numbers) AS island
    FROM selected),
islands AS (
    SELECT {QUESTION}, since, outcome, conforms, arg_min(version, numbers) AS first_version,
        arg_max(version, numbers) AS last_version, count(*) AS versions,
        first(released ORDER BY numbers) AS first_released, min(numbers) AS start, max(numbers) AS finish
    FROM placed GROUP BY {QUESTION}, since, outcome, conforms, island),
known AS (SELECT DISTINCT family, version, {NUMERIC} AS numbers FROM {standing}),
turns AS (SELECT *, lag(finish) OVER (PARTITION BY {QUESTION}, since ORDER BY start) AS before FROM islands)
SELECT {QUESTION}, outcome, conforms, first_version, last_version, versions, first_released,
    row_number() OVER (PARTITION BY {QUESTION}, since ORDER BY start) AS nth,
    nth = count(*) OVER (PARTITION BY {QUESTION}, since) AS newest, since AS conditions,
    (SELECT string_agg(k.version, ';' ORDER BY k.numbers) FROM known k
     WHERE k.family = turns.family AND k.numbers > turns.before AND k.numbers < turns.start) AS unmeasured
FROM turns
"""


VERSIONS = stretches(
    f"""
    SELECT s.*, d.released FROM standing s
    JOIN (SELECT {CELL}, max(nullif(released, '')) AS released FROM behind GROUP BY ALL) d USING ({CELL})
    WHERE outcome NOT IN ('waiting', 'broken', 'not_run')
    """,
    "standing",
)

AGREEMENT = f"""
WITH times AS (
    SELECT {CELL}, floor(round(quantile_cont(refresh_ms, 0.5), 6) + 0.5)::BIGINT AS refresh,
        floor(round(quantile_cont(recovery_ms, 0.5), 6) + 0.5)::BIGINT AS recovery, max(conditions) AS number
    FROM behind GROUP BY {CELL}),
cells AS (SELECT * FROM standing JOIN times USING ({CELL}))
SELECT k.family, k.version, k.role, k.profile, k.scenario, k.broker, k.workload,
    CASE WHEN list_has_any([e.outcome, k.outcome],
            ['broken', 'unsupported', 'not_run', 'not_provoked', 'waiting', 'flaky']) THEN NULL
        WHEN e.ahead <= k.since OR k.ahead <= e.since THEN NULL
        WHEN e.outcome = k.outcome THEN 'yes' ELSE 'no' END AS agrees,
    e.profile AS embedded_profile, e.outcome AS embedded_outcome, e.conforms AS embedded_conforms,
    e.refresh AS embedded_refresh_ms_p50, e.recovery AS embedded_recovery_ms_p50, e.run_id AS embedded_run,
    k.outcome AS kafka_outcome, k.conforms AS kafka_conforms, k.refresh AS kafka_refresh_ms_p50,
    k.recovery AS kafka_recovery_ms_p50, k.run_id AS kafka_run,
    e.number AS embedded_conditions, k.number AS kafka_conditions
FROM cells e, cells k
WHERE e.engine = 'embedded' AND k.engine = 'kafka' AND e.family = k.family AND e.version = k.version
    AND e.role = k.role AND e.scenario = k.scenario AND e.broker = k.broker AND e.workload = k.workload
    AND list_sort(list_filter(string_split(e.profile, '+'), lambda x: x NOT LIKE 'election=%'))
        = list_sort(string_split(k.profile, '+'))
"""

FLAKES = f"""
WITH settling AS (
    SELECT * FROM entering WHERE weight = 3 QUALIFY since = max(since) OVER (PARTITION BY {CELL})),
selected AS (SELECT {CELL}, since, outcome, count(*) AS n FROM settling GROUP BY ALL),
cells AS (
    SELECT {CELL}, arg_max(outcome, (n, outcome)) AS commonest, CAST(sum(n) AS BIGINT) AS trials,
        CAST(sum(n) - max(n) AS BIGINT) AS differing, max(since) AS conditions
    FROM selected GROUP BY {CELL})
SELECT *, differing / trials AS rate,
    greatest(0, (differing + z2 / 2 - z * sqrt(differing * (trials - differing) / trials + z2 / 4)) / (trials + z2))
        AS rate_low,
    least(1, (differing + z2 / 2 + z * sqrt(differing * (trials - differing) / trials + z2 / 4)) / (trials + z2))
        AS rate_high
FROM (SELECT *, CAST(1.959963984540054 AS DOUBLE) AS z, z * z AS z2 FROM cells)
"""
FLAKES = f"SELECT * EXCLUDE (z, z2) FROM ({FLAKES})"


def counts(name: str) -> str:
    """Return SQL for a histogram: the counts of values between consecutive edges."""
    upto = [f"count(*) FILTER ({name} <= {edge})" for edge in EDGES] + [f"count({name})"]
    return f"[{', '.join(f'{high} - {low}' for low, high in zip(['0', *upto], upto, strict=False))}]"


TIMINGS = " UNION ALL ".join(
    f"""
    SELECT {CELL}, run_id, '{name}' AS measure, count({name}_ms) AS trials, min({name}_ms) AS min_ms,
        quantile_cont({name}_ms, 0.5) AS p50_ms, quantile_cont({name}_ms, 0.9) AS p90_ms,
        quantile_cont({name}_ms, 0.95) AS p95_ms, quantile_cont({name}_ms, 0.99) AS p99_ms, max({name}_ms) AS max_ms,
        {counts(f"{name}_ms")} AS buckets
    FROM behind GROUP BY {CELL}, run_id HAVING count({name}_ms) > 0
    """
    for name in ("refresh", "reroute", "recovery", "outage")
)

TRAFFIC = f"""
WITH spans AS (
    SELECT {CELL}, run_id, trial, min("at") FILTER (kind = 'fault_on') AS b,
        min("at") FILTER (kind IN ('healing', 'stopping', 'end')) AS u
    FROM events GROUP BY ALL HAVING b < u),
selected AS (
    SELECT e.*, b, u, (u - b) / 1e6 AS span, e."at" - b AS since,
        e.node = coalesce(CAST(json_extract(t.header, '$.subject.old') AS INT), -1) AS failing,
        CASE e.kind WHEN 'request' THEN 1 WHEN 'folded' THEN CAST(json_extract(data, '$.requests') AS BIGINT) ELSE 0 END
            AS asks,
        coalesce(CAST(json_extract(data, CASE e.kind WHEN 'folded' THEN '$.bytes' ELSE '$.size' END) AS BIGINT), 0)
            AS sz
    FROM events e JOIN spans USING ({CELL}, run_id, trial) JOIN rows t USING ({CELL}, run_id, trial)
    WHERE e.kind IN ('request', 'response', 'folded') AND e."at" >= b AND e."at" < u),
seconds AS (
    SELECT {CELL}, run_id, trial, failing, api, span, since // 1000000 AS s, sum(asks) AS asks, sum(sz) AS sz,
        min(since) FILTER (kind <> 'response') AS first
    FROM selected GROUP BY ALL),
played AS (
    SELECT {CELL}, run_id, trial, failing, api, span, sum(asks) AS asks, max(asks) AS most, sum(sz) AS sz,
        min(first) / 1000 AS ms
    FROM seconds GROUP BY ALL HAVING sum(asks) > 0)
SELECT {CELL}, run_id, failing, api, count(*) AS trials, CAST(sum(asks) AS BIGINT) AS requests,
    CAST(sum(sz) AS BIGINT) AS bytes, quantile_cont(asks / span, 0.5) AS per_s_p50,
    CAST(max(most) AS BIGINT) AS per_s_max, quantile_cont(sz / span, 0.5) AS bytes_per_s_p50,
    min(ms) AS first_ms_min, quantile_cont(ms, 0.5) AS first_ms_p50, quantile_cont(ms, 0.95) AS first_ms_p95,
    max(ms) AS first_ms_max, {counts("ms")} AS buckets
FROM played GROUP BY {CELL}, run_id, failing, api
"""

QUERIES = {
    "history": HISTORY,
    "changes": CHANGES,
    "versions": VERSIONS,
    "agreement": AGREEMENT,
    "flakes": FLAKES,
    "timings": TIMINGS,
}


def recompute(results: Path) -> dict[str, list[dict[str, Any]]]:
    """Recompute every table from all trial files, without re-judged verdicts."""
    with duckdb.connect() as db:
        db.execute("SET threads = 2")
        prepare(db, results)
        db.execute(PER_RUN)
        return {name: _rows(db, query) for name, query in QUERIES.items()}


def recompute_traffic(results: Path) -> list[dict[str, Any]]:
    """Recompute the traffic of every run from all event files."""
    with duckdb.connect() as db:
        db.execute("SET threads = 2")
        for name, kind in (("rows", "trials"), ("events", "events")):
            db.execute(f"CREATE TEMP TABLE {name} AS {load(results, kind)}")
        return _rows(db, TRAFFIC)


def _rows(db: duckdb.DuckDBPyConnection, query: str) -> list[dict[str, Any]]:
    return db.sql(query).to_arrow_table().to_pylist()
