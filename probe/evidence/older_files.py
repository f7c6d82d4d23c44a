"""Files of evidence that were made before a column was added. Standard library only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from probe.evidence.schema import COLUMNS, column, views
from probe.model.columns import ADDED


def lacking(database: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return the tables and columns that a file lacks. Raises sqlite3.Error."""
    return [
        (table, name)
        for table, names in COLUMNS.items()
        if (held := {name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")})
        for name in names
        if name not in held
    ]


def complete(copy: sqlite3.Connection, lacks: Iterable[tuple[str, str]]) -> None:
    """Add columns to a copy of a file, and make its views anew. Raises sqlite3.Error.

    Facts have no values; a column of the identity has the value of all older cells.
    """
    for table, name in lacks:
        value = f" DEFAULT {_number(copy, ADDED[name])}" if name in ADDED else ""
        copy.execute(f"ALTER TABLE {table} ADD COLUMN {column(name)}{value}")
    for statement in ("DROP VIEW IF EXISTS settled", "DROP VIEW IF EXISTS judged", *views()):
        copy.execute(statement)
    copy.commit()


def _number(database: sqlite3.Connection, word: str) -> int:
    """Return the number of a word, which is added if the file does not have it."""
    found = database.execute("SELECT id FROM words WHERE word = ?", (word,)).fetchone()
    if found is not None:
        return int(found[0])
    return database.execute("INSERT INTO words (word) VALUES (?)", (word,)).lastrowid or 0
