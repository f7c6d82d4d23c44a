"""A second implementation of the matrix in SQL. It shares only the tables of columns and conditions with `spark/`.

The aggregates are implemented here again; the table of columns assigns them to columns. The harm of a trial is that of
the Python function that look-ups call, where Spark has an expression made of the same table.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import duckdb

from probe.model import conditions
from probe.model.columns import COLUMNS
from probe.model.schema import Aggregate, Column, Unit
from tests.support.duckdb_harm import HARMS, SETTLE_HARM, add_functions, with_ways_out

WORST_FIRST = [
    "broken",
    "unsupported",
    "not_run",
    "not_provoked",
    "fatal",
    "violates",
    "waiting",
    "stuck",
    "storms",
    "clean",
    "surfaces",
    "rides",
    "late",
    "hinted",
    "refreshes",
]
"""Outcomes in the order of the verdict table."""
SILENT = "('broken', 'unsupported', 'not_run', 'not_provoked', 'waiting')"
SEVERITY = """CASE outcome WHEN 'surfaces' THEN 1 WHEN 'late' THEN 2 WHEN 'storms' THEN 3 WHEN 'stuck' THEN 4
    WHEN 'violates' THEN 5 WHEN 'fatal' THEN 5 ELSE 0 END"""


def worst(conforms: str) -> str:
    """Return SQL for the worst outcome of a group: not conforming, then about the client, then severe, then early."""
    return f"""first(outcome ORDER BY coalesce({conforms}, true), outcome IN {SILENT}, {SEVERITY} DESC,
        list_position({WORST_FIRST}, outcome))"""


def judged(conforms: str) -> str:
    """Return SQL for the conformity of a group."""
    return f"CASE WHEN bool_or(NOT {conforms}) THEN 'no' WHEN bool_or({conforms}) THEN 'yes' END"


def whole(expression: str, name: str) -> str:
    return f"CAST(floor(CAST(round({expression}, 6) AS DOUBLE) + 0.5) AS BIGINT) AS {name}"


def word(name: str) -> str:
    """Return the most frequent non-empty word; ties go to the first in order."""
    return f"""(
        SELECT {name} FROM agreeing w WHERE w.cell = agreeing.cell AND {name} <> ''
        GROUP BY {name} ORDER BY count(*) DESC, {name} LIMIT 1) AS {name}"""


def load(results: Path, kind: str = "trials") -> str:
    """Return SQL that reads every file of a kind; older ones lack columns."""
    return (
        f"FROM read_parquet('{results}/run_id=*/{kind}/[0-9]*.parquet',"
        " hive_partitioning = false, union_by_name = true)"
    )


def prepare(db: duckdb.DuckDBPyConnection, results: Path) -> None:
    """Create `rows` of all trials, each with its span of comparable numbers (`since` is in it, `ahead` is not)."""
    db.execute(
        "CREATE TEMP TABLE changes (number INT, engine TEXT, since TEXT, until TEXT, roles TEXT[], workloads TEXT[])"
    )
    for one in conditions.CHANGES:
        roles, workloads = (sorted(map(str, some)) for some in (one.roles, one.workloads))
        values = [one.number, str(one.engine), one.since, one.until, roles, workloads]
        db.execute("INSERT INTO changes VALUES (?, ?, ?, ?, ?, ?)", values)
    db.execute(f"CREATE TEMP TABLE stored AS {load(results)}")
    known = {name for name, *_ in db.execute("DESCRIBE stored").fetchall()}
    if "conditions" not in known:
        db.execute("ALTER TABLE stored ADD COLUMN conditions INT")
    if "workload" not in known:
        db.execute("ALTER TABLE stored ADD COLUMN workload TEXT")
    db.execute(SPANS)


def line(text: str) -> str:
    """Return SQL for a release line as a list of numbers."""
    return f"list_transform(string_split({text}, '.'), lambda x: CAST(x AS INT))"


SPANS = f"""
CREATE TEMP TABLE rows AS
WITH numbered AS (
    SELECT * REPLACE (coalesce(conditions, 1) AS conditions, coalesce(workload, 'continuous') AS workload),
        row_number() OVER () AS nth FROM stored),
met AS (
    SELECT n.nth, c.number, n.conditions FROM numbered n JOIN changes c ON n.engine = c.engine
        AND list_contains(c.roles, n.role) AND list_contains(c.workloads, n.workload)
        AND CASE WHEN c.since = '' THEN true ELSE {line("n.broker")} >= {line("c.since")} END
        AND CASE WHEN c.until = '' THEN true ELSE {line("n.broker")} <= {line("c.until")} END),
spans AS (
    SELECT nth, max(number) FILTER (number <= conditions) AS since, min(number) FILTER (number > conditions) AS ahead
    FROM met GROUP BY nth)
SELECT n.* EXCLUDE (nth), coalesce(s.since, 1) AS since, coalesce(s.ahead, 2147483647) AS ahead
FROM numbered n LEFT JOIN spans s USING (nth)
"""

SETTLE = f"""
CREATE TEMP TABLE entering AS
SELECT *, (family, version, role, profile, scenario, engine, broker, workload) AS cell,
    CASE outcome WHEN 'not_run' THEN 3 WHEN 'broken' THEN 2 WHEN 'waiting' THEN 1 ELSE 0 END AS tier
FROM rows WHERE NOT shortened AND sweep = '';

CREATE TEMP TABLE latest AS
SELECT * FROM entering e
QUALIFY (-tier, since, run_id) = max((-tier, since, run_id)) OVER (PARTITION BY cell);

CREATE TEMP TABLE votes AS
SELECT cell, outcome, count(*) AS votes FROM latest GROUP BY ALL;

CREATE TEMP TABLE elected AS
SELECT cell, outcome AS elected, votes AS agreed, sum(votes) OVER (PARTITION BY cell) AS judged,
    (SELECT string_agg(v.outcome || ' ' || v.votes, ', ' ORDER BY v.votes DESC, v.outcome)
     FROM votes v WHERE v.cell = votes.cell) AS tally,
    (SELECT string_agg(v.outcome || ':' || v.votes, ';' ORDER BY v.votes DESC, v.outcome)
     FROM votes v WHERE v.cell = votes.cell) AS counted
FROM votes
QUALIFY row_number() OVER (PARTITION BY cell ORDER BY votes DESC, list_position({WORST_FIRST}, outcome)) = 1;

CREATE TEMP TABLE together AS
SELECT cell, {worst("conforms")} AS worst, {judged("conforms")} AS conform FROM latest GROUP BY cell;

{SETTLE_HARM}

CREATE TEMP TABLE agreeing AS
SELECT * FROM latest JOIN elected USING (cell) JOIN together USING (cell) JOIN graves USING (cell)
WHERE outcome = elected;
"""

CODES = """(
    SELECT string_agg(code, ';' ORDER BY spot) FROM (
        SELECT code, min(spot) AS spot FROM (
            SELECT unnest(codes) AS code, nth * 1000 + generate_subscripts(codes, 1) AS spot FROM (
                SELECT codes, row_number() OVER (ORDER BY codes) AS nth FROM (
                    SELECT DISTINCT fault_codes AS codes FROM agreeing c WHERE c.cell = agreeing.cell)))
        GROUP BY code)) AS fault_codes"""

APIS = """(
    SELECT string_agg(api || '=' || version, ';' ORDER BY spot) FROM (
        SELECT pair.api AS api, max(pair.version) AS version, min(spot) AS spot FROM (
            SELECT unnest(pairs) AS pair, nth * 1000 + generate_subscripts(pairs, 1) AS spot FROM (
                SELECT pairs, row_number() OVER (ORDER BY pairs) AS nth FROM (
                    SELECT DISTINCT api_versions AS pairs FROM agreeing c WHERE c.cell = agreeing.cell)))
        GROUP BY pair.api)) AS api_versions"""

STORM = """(
    SELECT string_agg(letter, '' ORDER BY letter) FROM (
        SELECT DISTINCT unnest(string_split(storm, '')) AS letter FROM agreeing s WHERE s.cell = agreeing.cell)
    WHERE letter <> '') AS storm"""

OUTCOMES = {
    "outcome": "CASE WHEN agreed < judged THEN 'flaky' ELSE elected END AS outcome",
    "conforms": "conform AS conforms",
    "outcomes": "CASE elected WHEN 'not_run' THEN NULL ELSE counted END AS outcomes",
    "worst": "worst",
    "trials": "CASE elected WHEN 'not_run' THEN 0 ELSE judged END AS trials",
    "agreeing": "CASE elected WHEN 'not_run' THEN 0 ELSE agreed END AS agreeing",
    "reason": """CASE WHEN agreed < judged THEN judged || ' trials disagree: ' || tally
        ELSE nullif(arg_min(reason, (trial, reason)), '') END AS reason""",
}
UNITED = {"fault_codes": CODES, "api_versions": APIS, "storm": STORM}


def number(column: Column) -> str:
    """Return the aggregate of a number: a whole number, a rounded time, or a rate with one decimal."""
    how = {"min": "min({})", "max": "max({})", "median": "quantile_cont({}, 0.5)", "p95": "quantile_cont({}, 0.95)"}
    value = how[column.aggregate].format(column.source)
    if column.unit in {Unit.PER_S, Unit.RATIO}:
        return f"CAST(round(CAST({value} AS DECIMAL(18, 6)), 1) AS DECIMAL(18, 1)) AS {column.name}"
    return whole(value, column.name) if column.unit is Unit.MS else f"{value} AS {column.name}"


def greatest(column: Column) -> str:
    if column.unit is Unit.NONE:
        return f"max(nullif({column.source}, '')) AS {column.name}"
    return number(column)


VALUES: dict[Aggregate, Callable[[Column], str]] = {
    Aggregate.SAME: lambda column: column.name,
    Aggregate.VOTE: lambda column: OUTCOMES[column.name],
    Aggregate.LEAST: number,
    Aggregate.GREATEST: greatest,
    Aggregate.MEDIAN: number,
    Aggregate.P95: number,
    Aggregate.COMMONEST: lambda column: word(column.name),
    Aggregate.ALL: lambda column: f"bool_and({column.source}) AS {column.name}",
    Aggregate.UNION: lambda column: UNITED[column.name],
    Aggregate.HARM: lambda column: HARMS[column.name],
    Aggregate.OTHERS: lambda column: f"NULL AS {column.name}",
}
"""The SQL of a column, by its aggregate."""

MEASURE = f"""
SELECT {", ".join(VALUES[column.aggregate](column) for column in COLUMNS)}
FROM agreeing
GROUP BY cell, family, version, role, profile, scenario, engine, broker, workload, elected, agreed, judged, tally,
    counted, worst, conform, run_id, grave, harms
ORDER BY family, list_transform(string_split(version, '.'), lambda x: CAST(x AS INT)), role, profile, scenario, engine,
    list_transform(string_split(broker, '.'), lambda x: CAST(x AS INT)), workload
"""


def write_csv(results: Path, target: Path) -> str:
    """Recompute the matrix from every trial file (no re-judged verdicts) and return it as CSV text."""
    with duckdb.connect() as db:
        db.execute("SET threads = 2")
        add_functions(db)
        prepare(db, results)
        db.execute(SETTLE)
        db.execute(f"COPY ({MEASURE}) TO '{target}' (FORMAT csv, HEADER, NEW_LINE '\\n')")
    return with_ways_out(target.read_text())
