"""The tables of the pipeline in SQL for DuckDB, with the same results as Spark.

Only needed columns are read. The rows behind the matrix are looked up by run, so that DuckDB skips files. History,
versions and buckets use the SQL with which the tests check Spark.
"""

# ruff: noqa: S608  # every part of a query is a constant of this file

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from conditions_sql import AHEAD, NUMBERS, SINCE
from harm_columns import GRAVES
from harm_columns import SETTLED as SETTLED_HARM

from probe.model import Outcome
from probe.model.columns import COLUMNS, KEY, NAMES, TIMES
from probe.model.harm import FACTS_OF_HARM
from probe.model.outcomes import NO_ANSWER, SETTLES, UNSETTLED
from probe.model.schema import Aggregate, Column, Type, Unit
from tests.support.duckdb_matrix import judged, worst
from tests.support.duckdb_tables import CELL, HISTORY, counts, stretches

PLACES = [outcome.value for outcome in Outcome]
"""Outcomes, the worse first."""
WEIGHT = " ".join(
    ("CASE outcome", *(f"WHEN '{one}' THEN {weight}" for one, weight in UNSETTLED.items()), f"ELSE {SETTLES} END")
)
TIER = f"({WEIGHT}) * 1000 + {SINCE}"
"""Weight and conditions as one number of four digits."""
SILENT = f"({', '.join(repr(outcome.value) for outcome in sorted(NO_ANSWER))})"

_WORDS = [column for column in COLUMNS if column.aggregate is Aggregate.COMMONEST]
_TEXTS = [column for column in COLUMNS if column.aggregate is Aggregate.GREATEST and column.type is Type.STRING]
_EXTREMES = [
    column for column in COLUMNS if column.aggregate in {Aggregate.LEAST, Aggregate.GREATEST} and column not in _TEXTS
]
_RATES = [column for column in COLUMNS if column.aggregate is Aggregate.MEDIAN and column.type is Type.DOUBLE]
_PLACES = {Aggregate.MEDIAN: 1, Aggregate.P95: 2}
"""Index of a quantile in the result of `quantile_cont(..., [0.5, 0.95])`."""
_TIMES = [column for column in COLUMNS if column.aggregate in _PLACES and column not in _RATES]


def _whole(value: str) -> str:
    return f"CAST(floor(round({value}, 6) + 0.5) AS BIGINT)"


def _rate(value: str) -> str:
    return f"CAST(round(CAST({value} AS DECIMAL(18, 6)), 1) AS DOUBLE)"


def _extreme(column: Column) -> str:
    found = f"{column.aggregate}({column.source})"
    return f"{_whole(found) if column.unit is Unit.MS else found} AS {column.name}"


NEEDED = ", ".join(
    dict.fromkeys((*KEY, *(column.source for column in COLUMNS if column.source), *TIMES, *FACTS_OF_HARM))
)
TRIALS = """CREATE VIEW trials AS
SELECT * REPLACE (coalesce(conditions, 1) AS conditions) FROM read_parquet({files}) WHERE NOT shortened"""
LATEST = f"""CREATE TEMP TABLE latest AS
SELECT {CELL}, max(lpad(CAST({TIER} AS VARCHAR), 4, '0') || run_id) AS best FROM trials GROUP BY ALL"""
"""Per cell, the run with the greatest tier, the latest of several."""
LATEST_TRIALS = f"""
CREATE TEMP TABLE mine AS SELECT {NEEDED} FROM trials JOIN latest USING ({CELL})
WHERE run_id = best[5:] AND {TIER} = CAST(best[:4] AS INT) AND run_id IN (SELECT DISTINCT best[5:] FROM latest)
"""
BEHIND = f"""
CREATE TEMP TABLE behind AS
WITH votes AS (SELECT {CELL}, outcome, count(*) AS votes FROM mine GROUP BY ALL),
elected AS (
    SELECT {CELL}, arg_min(outcome, (-votes, list_position({PLACES}, outcome))) AS elected,
        CAST(sum(votes) AS BIGINT) AS judged, max(votes) AS agreed,
        CASE WHEN count(*) > 1 THEN string_agg(outcome || ' ' || votes, ', ' ORDER BY votes DESC, outcome) END AS tally,
        string_agg(outcome || ':' || votes, ';' ORDER BY votes DESC, outcome) AS counted
    FROM votes GROUP BY {CELL}),
{GRAVES.format(cell=CELL)},
answers AS (SELECT DISTINCT {CELL}, outcome, conforms FROM mine),
together AS (SELECT {CELL}, {worst("conforms")} AS worst, {judged("conforms")} AS conform FROM answers GROUP BY {CELL})
SELECT * FROM mine JOIN elected USING ({CELL}) JOIN together USING ({CELL}) LEFT JOIN graves USING ({CELL})
WHERE outcome = elected
"""
_CODES = "flatten(list_sort(list_distinct(list(fault_codes))))"
_APIS = "flatten(list_sort(list_distinct(list(api_versions))))"
_FIRST = "list_filter({items}, lambda item, nth: list_position({items}, item) = nth)"
_NAMES = f"list_transform({_APIS}, lambda pair: pair.api)"
_HIGHEST = f"""list_transform({_FIRST.format(items="names")}, lambda api: api || '=' || list_max(
    list_transform(list_filter(apis, lambda pair: pair.api = api), lambda pair: pair.version)))"""
MEASURED = f"""
SELECT {CELL}, run_id, any_value(elected) AS elected, any_value(judged) AS judged, any_value(agreed) AS agreed,
    any_value(tally) AS tally, any_value(counted) AS counted, any_value(worst) AS worst, any_value(conform) AS conform,
    {_CODES} AS codes, {_APIS} AS apis, {_NAMES} AS names,
    list_sort(list_distinct(string_split(string_agg(storm, ''), ''))) AS letters,
    {", ".join(map(_extreme, _EXTREMES))},
    {", ".join(f"quantile_cont({name}, [0.5, 0.95]) AS {name}" for name in dict.fromkeys(c.source for c in _TIMES))},
    {", ".join(f"{_rate(f'median({column.source})')} AS {column.name}" for column in _RATES)},
    {", ".join(f"list_mode(list_sort(list({c.source}) FILTER ({c.source} <> ''))) AS {c.name}" for c in _WORDS)},
    {", ".join(f"bool_and({c.source}) AS {c.name}" for c in COLUMNS if c.aggregate is Aggregate.ALL)},
    {", ".join(f"max(nullif({column.source}, '')) AS {column.name}" for column in _TEXTS)},
    any_value(gravest) AS gravest, any_value(harms) AS harms,
    nullif(arg_min(reason, (trial, reason)), '') AS first_reason
FROM behind GROUP BY {CELL}, run_id
"""
_SETTLED = {
    "outcome": "CASE WHEN tally IS NULL THEN elected ELSE 'flaky' END",
    "conforms": "conform",
    "outcomes": "CASE elected WHEN 'not_run' THEN NULL ELSE counted END",
    "trials": "CASE elected WHEN 'not_run' THEN 0 ELSE judged END",
    "agreeing": "CASE elected WHEN 'not_run' THEN 0 ELSE agreed END",
    "fault_codes": f"nullif(array_to_string({_FIRST.format(items='codes')}, ';'), '')",
    "api_versions": f"nullif(array_to_string({_HIGHEST}, ';'), '')",
    "storm": "nullif(array_to_string(letters, ''), '')",
    "reason": "coalesce(judged || ' trials disagree: ' || tally, first_reason)",
    **{column.name: _whole(f"{column.source}[{_PLACES[column.aggregate]}]") for column in _TIMES},
    **SETTLED_HARM,
    **{column.name: "CAST(NULL AS VARCHAR)" for column in COLUMNS if column.aggregate is Aggregate.OTHERS},
}
MATRIX = f"""
SELECT {", ".join(f"{_SETTLED.get(name, name)} AS {name}" for name in NAMES)}
FROM ({MEASURED})
"""
VOTES = f"""
CREATE TEMP TABLE votes AS
SELECT {CELL}, run_id, outcome, {TIER} AS tier, count(*) AS votes, bool_and(conforms) AS conforming
FROM trials GROUP BY ALL
"""
_TIERS = [weight * 1000 + number for weight in range(SETTLES + 1) for number in NUMBERS]
_JUDGED = " ".join(f"WHEN {tier} THEN sum(votes) FILTER (tier = {tier})" for tier in _TIERS)
PER_RUN = f"""
CREATE TEMP TABLE per_run AS
WITH ranked AS (
    SELECT *, tier * 10**12 + votes * 100 + 99 - list_position({PLACES}, outcome) AS rank,
        max(tier) OVER (PARTITION BY {CELL}, run_id) AS top
    FROM votes),
together AS (
    SELECT {CELL}, run_id, {worst("conforming")} AS worst, {judged("conforming")} AS conform
    FROM ranked WHERE tier = top GROUP BY {CELL}, run_id),
best AS (
    SELECT {CELL}, run_id, max(tier) AS tier, arg_max(outcome, rank) AS elected, arg_max(votes, rank) AS agreed,
        CAST(CASE max(tier) {_JUDGED} END AS BIGINT) AS judged
    FROM ranked GROUP BY {CELL}, run_id)
SELECT {CELL}, run_id, tier, tier // 1000 AS weight, tier % 1000 AS since,
    CASE WHEN agreed < judged THEN 'flaky' ELSE elected END AS outcome,
    conform AS conforms, worst,
    CASE elected WHEN 'not_run' THEN 0 ELSE judged END AS trials,
    CASE elected WHEN 'not_run' THEN 0 ELSE agreed END AS agreeing
FROM best JOIN together USING ({CELL}, run_id)
"""
_BEST = "max(lpad(CAST(tier AS VARCHAR), 4, '0') || run_id)"
LATEST_OF_RUNS = f"CREATE TEMP TABLE latest AS SELECT {CELL}, {_BEST} AS best FROM per_run GROUP BY ALL"
CHANGES = f"""
WITH newest AS (SELECT max(run_id) AS run FROM per_run),
stood AS (SELECT {CELL}, {_BEST}[5:] AS run_id FROM per_run, newest WHERE run_id < run GROUP BY {CELL}),
before AS (SELECT per_run.* FROM per_run JOIN stood USING ({CELL}, run_id))
SELECT {", ".join(f"now.{name}" for name in CELL.split(", "))},
    CASE WHEN before.run_id IS NULL THEN 'added' ELSE 'changed' END AS kind, before.outcome AS outcome_before,
    before.conforms AS conforms_before, before.trials AS trials_before, before.run_id AS run_before, now.outcome,
    now.conforms, now.trials, now.run_id, before.worst AS worst_before, now.worst
FROM (SELECT *, {SINCE} AS since FROM matrix) AS now LEFT JOIN before USING ({CELL})
WHERE now.run_id = (FROM newest)
    AND (before.run_id IS NULL OR now.since = before.since
        AND (now.worst, now.conforms) IS DISTINCT FROM (before.worst, before.conforms))
"""
VERSIONS = stretches(
    f"SELECT *, {SINCE} AS since FROM matrix WHERE outcome NOT IN ('waiting', 'broken', 'not_run')", "matrix"
)
AGREEMENT = f"""
WITH asked AS (
    SELECT *, {SINCE} AS since, {AHEAD} AS ahead, regexp_replace(profile, '\\+election=[0-9,]+', '') AS plain
    FROM matrix)
SELECT k.family, k.version, k.role, k.profile, k.scenario, k.broker, k.workload,
    CASE WHEN e.outcome IN {SILENT} OR k.outcome IN {SILENT} OR e.ahead <= k.since OR k.ahead <= e.since THEN NULL
        WHEN e.outcome = k.outcome THEN 'yes' ELSE 'no' END AS agrees,
    e.profile AS embedded_profile, e.outcome AS embedded_outcome, e.conforms AS embedded_conforms,
    e.refresh_ms_p50 AS embedded_refresh_ms_p50, e.recovery_ms_p50 AS embedded_recovery_ms_p50,
    e.run_id AS embedded_run, k.outcome AS kafka_outcome, k.conforms AS kafka_conforms,
    k.refresh_ms_p50 AS kafka_refresh_ms_p50, k.recovery_ms_p50 AS kafka_recovery_ms_p50, k.run_id AS kafka_run,
    e.conditions AS embedded_conditions, k.conditions AS kafka_conditions
FROM asked AS e JOIN asked AS k
    ON e.family = k.family AND e.version = k.version AND e.role = k.role AND e.plain = k.profile
    AND e.scenario = k.scenario AND e.broker = k.broker AND e.workload = k.workload
WHERE e.engine = 'embedded' AND k.engine = 'kafka'
"""
TALLIES = f"""
CREATE TEMP TABLE tallies AS
SELECT {CELL}, tier % 1000 AS conditions, outcome, CAST(sum(votes) AS BIGINT) AS trials
FROM votes WHERE tier // 1000 = {SETTLES} GROUP BY ALL
"""
_Z = 1.959963984540054
_CENTRE, _HALF = f"(differing + {_Z**2 / 2})", f"{_Z} * sqrt(differing * (trials - differing) / trials + {_Z**2 / 4})"
FLAKES = f"""
WITH counted AS (
    SELECT {CELL}, arg_max(outcome, (trials, outcome)) AS commonest, CAST(sum(trials) AS BIGINT) AS trials,
        CAST(sum(trials) - max(trials) AS BIGINT) AS differing, conditions
    FROM tallies GROUP BY {CELL}, conditions
    QUALIFY conditions = max(conditions) OVER (PARTITION BY {CELL}))
SELECT *, round(differing / trials, 6) AS rate,
    round(greatest(0, ({_CENTRE} - {_HALF}) / (trials + {_Z**2})), 6) AS rate_low,
    round(least(1, ({_CENTRE} + {_HALF}) / (trials + {_Z**2})), 6) AS rate_high
FROM counted
"""
_SHARES = (("p50", 0.5), ("p90", 0.9), ("p95", 0.95), ("p99", 0.99))
TIMINGS = f"""
WITH counted AS (
    SELECT {CELL}, run_id, unnest(['refresh', 'reroute', 'recovery', 'outage']) AS measure,
        unnest([refresh_ms, reroute_ms, recovery_ms, outage_ms]) AS ms FROM behind),
summed AS (
    SELECT {CELL}, run_id, measure, count(*) AS trials, min(ms) AS least, max(ms) AS most,
        quantile_cont(ms, [{", ".join(str(share) for _, share in _SHARES)}]) AS shares, {counts("ms")} AS buckets
    FROM counted WHERE ms IS NOT NULL GROUP BY ALL)
SELECT {CELL}, run_id, measure, trials, round(least, 3) AS min_ms,
    {", ".join(f"round(shares[{nth}], 3) AS {name}_ms" for nth, (name, _) in enumerate(_SHARES, 1))},
    round(most, 3) AS max_ms, buckets FROM summed
"""

MATRIX_ALONE: Mapping[str, str] = MappingProxyType(
    {"latest": LATEST, "mine": LATEST_TRIALS, "behind": BEHIND, "matrix": MATRIX}
)
"""Steps to the matrix; a step that is not a CREATE is a query for a table."""
EVERY_TABLE: Mapping[str, str] = MappingProxyType(
    {
        "votes": VOTES,
        "per_run": PER_RUN,
        "latest": LATEST_OF_RUNS,
        "mine": LATEST_TRIALS,
        "behind": BEHIND,
        "cells": f"CREATE TEMP TABLE matrix AS {MATRIX}",
        "matrix": "FROM matrix",
        "tallied": TALLIES,
        "tallies": "FROM tallies",
        "history": HISTORY,
        "changes": CHANGES,
        "versions": VERSIONS,
        "agreement": AGREEMENT,
        "flakes": FLAKES,
        "timings": TIMINGS,
    }
)
"""Steps to every table of `spark.tables.KEPT`."""
