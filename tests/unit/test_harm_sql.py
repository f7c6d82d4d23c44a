"""The harm of trials as SQL, against the function that look-ups call, without Spark."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import duckdb
import pyarrow as pa

from probe.model import harm_sql
from probe.model.harm import BY_WORD, Harm
from probe.model.refusals import closed_at, refusal
from probe.store.schemas import TRIAL_SCHEMA
from tests.support.duckdb_harm import SESSION, add_functions, harm_of
from tests.support.synthetic_rows import random_rows

QUERY = f"""
WITH bounded AS (
    SELECT *, {harm_sql.bound_ms("", SESSION)} AS bound_ms, {harm_sql.errors_count("")} AS errors_count FROM trials),
ranked AS (SELECT *, {harm_sql.rank("", "")} AS rank FROM bounded)
SELECT {harm_sql.is_about_client("", "")} AS counts, {harm_sql.word("rank")} AS word,
    {harm_sql.is_silent("", "")} AS silent, {harm_sql.stalls_ms("")} AS stood, {harm_sql.is_everywhere("", "")} AS wide,
    CAST(to_json(ranked) AS VARCHAR) AS stored
FROM ranked
"""


def trials() -> list[dict[str, Any]]:
    """Return random trials; some control cells are refused."""
    rng = random.Random(57)
    words = {"reason": refusal("4.0", closed_at("Produce v2", 12)), "outcome": "unsupported", "conforms": None}
    found = [row for mine in random_rows(57, 1500).values() for row in mine]
    return [row | words if row["scenario"] == "steady" and rng.random() < 0.3 else row for row in found]


def test_sql_says_what_look_ups_say() -> None:
    seen: Counter[str] = Counter()
    with duckdb.connect() as db:
        add_functions(db)
        db.register("trials", pa.Table.from_pylist(trials(), schema=TRIAL_SCHEMA))
        for told, word, silent, stood, wide, stored in db.execute(QUERY).fetchall():
            expected = harm_of(stored)
            assert told == (expected is not None), stored
            if expected is None:
                continue
            rank = BY_WORD[word]
            assert word == expected["word"], stored
            assert (rank is Harm.STOPS and silent) == expected["silently"], stored
            assert (stood if rank is Harm.STALLS else 0) == expected["stalls_ms"], stored
            assert wide == expected["everything"], stored
            seen[word] += 1
    assert set(seen) == set(BY_WORD)
    assert min(seen.values()) > 20, seen
