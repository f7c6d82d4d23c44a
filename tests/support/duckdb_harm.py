"""The columns of harm in the second implementation of the matrix: SQL around the Python function of look-ups."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import duckdb
from duckdb.func import SPECIAL

from probe.model import Cell, Client, Facts, Outcome, Verdict
from probe.model.columns import NAMES
from probe.model.harm import FACTS_OF_HARM
from probe.model.harm_bounds import trial_harm
from probe.model.matrix_ways_out import ways_out_of
from probe.model.session_timeouts import session_ms

HARM = "STRUCT(rank INT, silently BOOLEAN, stalls_ms DOUBLE, everything BOOLEAN, after_heal VARCHAR, word VARCHAR)"
"""The type of `harm_of`, with the fields in the order that says which harm is the gravest."""

SETTLE_HARM = """
CREATE TEMP TABLE harms AS
SELECT cell, harm_of(CAST(to_json(latest) AS VARCHAR)) AS harm FROM latest;

CREATE TEMP TABLE graves AS
SELECT cell, max(harm) AS grave, (
    SELECT string_agg(word || ':' || trials, ';' ORDER BY rank DESC) FROM (
        SELECT harm.word AS word, harm.rank AS rank, count(*) AS trials FROM harms h
        WHERE h.cell = harms.cell AND harm IS NOT NULL GROUP BY ALL)) AS harms
FROM harms GROUP BY cell;
"""
_STALL = "CAST(floor(round(grave.stalls_ms, 6) + 0.5) AS BIGINT)"
HARMS = {
    "harm": "grave.word AS harm",
    "harms": "harms",
    "silent": "CASE WHEN grave.word = 'stops' THEN if(grave.silently, 'yes', 'no') END AS silent",
    "stalls_ms": f"CASE WHEN grave.word = 'stalls' THEN {_STALL} END AS stalls_ms",
    "scope": "CASE WHEN grave.rank BETWEEN 1 AND 4 THEN if(grave.everything, 'everything', 'partition') END AS scope",
}


SESSION = "session_of(family, version, profile)"
"""The session time-out of a cell's group, in milliseconds, by a Python function."""


def add_functions(db: duckdb.DuckDBPyConnection) -> None:
    """Make the Python functions known to a connection."""
    db.create_function("harm_of", harm_of, ["VARCHAR"], HARM, null_handling=SPECIAL)
    db.create_function("session_of", session_of, ["VARCHAR", "VARCHAR", "VARCHAR"], "BIGINT")


def session_of(family: str, version: str, profile: str) -> int:
    """Return the session time-out that look-ups assume."""
    return session_ms(Client(family, version), profile)


def harm_of(row: str) -> dict[str, Any] | None:
    """Return the harm of a stored trial, given as JSON; None if it says nothing about the client."""
    values = json.loads(row)
    facts = Facts(**{name: values[name] for name in FACTS_OF_HARM if values[name] is not None})
    verdict = Verdict(
        outcome=Outcome(values["outcome"]), reason=values["reason"] or "", conforms=values["conforms"], facts=facts
    )
    found = trial_harm(Cell.of(values), verdict)
    if found is None:
        return None
    names = ("silently", "stalls_ms", "everything", "after_heal")
    return {"rank": int(found.rank), **{name: getattr(found, name) for name in names}, "word": found.rank.word}


def with_ways_out(text: str) -> str:
    """Fill in the columns of a matrix, as CSV, that follow from other rows."""
    rows = list(csv.DictReader(io.StringIO(text)))
    for name, values in ways_out_of(rows).items():
        for row, value in zip(rows, values, strict=True):
            row[name] = value or ""
    out = io.StringIO()
    writer = csv.DictWriter(out, NAMES, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()
