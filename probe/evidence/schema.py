"""The file of evidence: tables, columns and how their values are stored (docs/schema/evidence.json).

Texts stand once in `words`; every other table has their numbers. Facts have the columns of `Facts`, null where a fact
has no value. The views `settled` and `judged` show cells and trials with their words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from probe.model.columns import ADDED, FACTS, IDENTITY, LEADING
from probe.model.results import ResultsError
from probe.model.schema import Type

SCHEMA = 2
"""Number of the schema. Additive changes keep it. 2: the workload is part of a cell's identity."""
APPLICATION_ID = 0x4B_4D_50_45
"""SQLite's `application_id` of these files ("KMPE"), by which a file of another program is recognised."""
SHORT_WORD = 60
"""Greatest length of a word that can be looked up by an index. Names are shorter, reasons and lists longer."""
IS_SHORT = f"length(word) <= {SHORT_WORD}"
"""The condition of that index, which a query has to name to use it."""
CELL = (*IDENTITY, "run", "trial", "conditions", "outcome", "worst", "conforms", "outcomes", "reason")
"""Columns of `cells` after `id`."""
TRIAL = ("outcome", "conforms", "rules", "reason", *FACTS)
"""Columns of `trials` after `cell` and `place`."""
_IN_WORDS = frozenset({Type.STRING, Type.CODES, Type.VERSIONS})
_WORD_COLUMNS: Mapping[str, frozenset[str]] = {
    "cells": frozenset({*IDENTITY, "outcome", "worst", "outcomes", "reason"}),
    "trials": frozenset({"outcome", "reason", *(name for name, kind in FACTS.items() if kind in _IN_WORDS)}),
    "handshakes": frozenset({"handshake"}),
}
"""Columns that hold the number of a word."""


class EvidenceError(ResultsError):
    """Evidence cannot be read. The text names the file, the reason and the way out in one line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A run of whose trials the file has the settled cells."""

    run_id: str
    started: str
    """ISO 8601; empty if its description is lost."""
    stamp: str = ""
    """Digest of the names of its files, by which the user's own results know that it changed."""


def statements() -> list[str]:
    """Return the statements that make the tables and views of an empty file."""
    cell, trial = (", ".join(map(column, names)) for names in (CELL, TRIAL))
    return [
        f"PRAGMA application_id = {APPLICATION_ID}",
        "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE words (id INTEGER PRIMARY KEY, word TEXT NOT NULL)",
        "CREATE TABLE runs (id INTEGER PRIMARY KEY, run_id TEXT NOT NULL, started TEXT NOT NULL, stamp TEXT NOT NULL)",
        f"CREATE TABLE cells (id INTEGER PRIMARY KEY, {cell})",
        f"CREATE TABLE trials (cell INTEGER, place INTEGER, {trial}, PRIMARY KEY (cell, place)) WITHOUT ROWID",
        "CREATE TABLE handshakes (cell INTEGER, place INTEGER, handshake INTEGER, PRIMARY KEY (cell, place)) "
        "WITHOUT ROWID",
        "CREATE TABLE confirmed (engine TEXT, family TEXT, started TEXT NOT NULL, PRIMARY KEY (engine, family)) "
        "WITHOUT ROWID",
        *views(),
    ]


def indexes() -> list[str]:
    """Return the statements that make the indexes of look-ups where a file lacks them. It can be read without them."""
    return [
        f"CREATE INDEX IF NOT EXISTS short_words ON words (word) WHERE {IS_SHORT}",
        "CREATE INDEX IF NOT EXISTS cells_of_clients ON cells (family, version)",
    ]


COLUMNS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "cells": ("id", *CELL),
        "trials": ("cell", "place", *TRIAL),
        "handshakes": ("cell", "place", "handshake"),
    }
)
"""The columns of the tables that grow, in the order in which rows are written."""


def column(name: str) -> str:
    """Return a column as a statement defines it."""
    return f"{name} {'REAL' if FACTS.get(name) is Type.DOUBLE else 'INTEGER'}"


JUDGED: Mapping[str, Type] = MappingProxyType(
    {
        **dict.fromkeys(LEADING, Type.STRING),
        "cell_outcome": Type.STRING,
        "cell_worst": Type.STRING,
        "cell_conforms": Type.BOOLEAN,
        "outcomes": Type.STRING,
        "conditions": Type.BIGINT,
        "run_id": Type.STRING,
        "started": Type.STRING,
        "place": Type.BIGINT,
        "outcome": Type.STRING,
        "conforms": Type.BOOLEAN,
        "rules": Type.BIGINT,
        "reason": Type.STRING,
        **{name: Type.STRING if kind in _IN_WORDS else kind for name, kind in FACTS.items()},
        **dict.fromkeys(ADDED, Type.STRING),
    }
)
"""Columns of the view `judged` and of its twin `evidence.parquet`: a row per trial, with what its cell is worth. Lists
are joined by `;`."""


def views() -> list[str]:
    """Return the statements that make the views."""
    run = "r.run_id, r.started"
    cell, more = (", ".join(f"{_word('c', name)} AS {name}" for name in names) for names in (LEADING, ADDED))
    settled = ", ".join(_shown("cells", "c", name) for name in CELL[len(IDENTITY) :] if name != "run")
    worth = f"{_word('c', 'outcome')} AS cell_outcome, {_word('c', 'worst')} AS cell_worst, c.conforms AS cell_conforms"
    judged = ", ".join(_shown("trials", "t", name) for name in TRIAL)
    joined = "FROM cells c JOIN runs r ON r.id = c.run"
    return [
        f"CREATE VIEW settled AS SELECT {cell}, {settled}, {run}, {more} {joined}",
        f"CREATE VIEW judged AS SELECT {cell}, {worth}, {_word('c', 'outcomes')} AS outcomes, c.conditions, {run}, "
        f"t.place, {judged}, {more} {joined} JOIN trials t ON t.cell = c.id ORDER BY c.id, t.place",
    ]


def _shown(table: str, alias: str, name: str) -> str:
    return f"{_word(alias, name)} AS {name}" if name in _WORD_COLUMNS[table] else f"{alias}.{name}"


def _word(alias: str, name: str) -> str:
    return f"(SELECT word FROM words WHERE id = {alias}.{name})"  # noqa: S608  # names of ours


def used_words() -> str:
    """Return a query for the numbers of all words that a row names."""
    columns = [(table, name) for table, names in _WORD_COLUMNS.items() for name in sorted(names)]
    return " UNION ".join(f"SELECT {name} FROM {table} WHERE {name} IS NOT NULL" for table, name in columns)  # noqa: S608  # names of ours


Number = Callable[[str], int]
"""Returns the number of a word; a writer adds the word."""
Word = Callable[[int], str]
"""Returns the word of a number."""


def stored_facts(facts: Any, number: Number) -> list[int | float | None]:
    """Return the values of the columns of facts."""
    return [_stored(kind, getattr(facts, name), number) for name, kind in FACTS.items()]


def _stored(kind: Type, value: Any, number: Number) -> int | float | None:
    if value is None or (isinstance(value, str | tuple) and not value):
        return None
    if kind is Type.CODES:
        return number(";".join(map(str, value)))
    if kind is Type.VERSIONS:
        return number(";".join(f"{api}={version}" for api, version in value))
    return number(str(value)) if kind is Type.STRING else value


def plain_facts(values: Mapping[str, Any], word: Word) -> dict[str, Any]:
    """Return facts in the form of their columns in other files (`probe.model.results.facts_of`)."""
    return {name: _plain(FACTS[name], value, word) for name, value in values.items() if value is not None}


def _plain(kind: Type, value: Any, word: Word) -> Any:
    if kind is Type.CODES:
        return [int(code) for code in word(value).split(";")]
    if kind is Type.VERSIONS:
        pairs = (pair.rpartition("=") for pair in word(value).split(";"))
        return [{"api": api, "version": int(version)} for api, _, version in pairs]
    if kind is Type.STRING:
        return word(value)
    return bool(value) if kind is Type.BOOLEAN else value
