"""Evidence that an older program made: it lacks the facts, and the columns of the identity, that are new since."""

from __future__ import annotations

import sqlite3

from probe.evidence.schema import COLUMNS, column, views
from probe.model.columns import ADDED


def complete(database: sqlite3.Connection) -> None:
    """Add the columns that a copy of a file lacks: facts without values, the identity with that of all older cells.

    Raises sqlite3.Error.
    """
    lacking = [
        (table, name)
        for table, names in COLUMNS.items()
        if (held := {name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")})
        for name in names
        if name not in held
    ]
    if not lacking:
        return
    for table, name in lacking:
        value = f" DEFAULT {_number(database, ADDED[name])}" if name in ADDED else ""
        database.execute(f"ALTER TABLE {table} ADD COLUMN {column(name)}{value}")
    for statement in ("DROP VIEW IF EXISTS settled", "DROP VIEW IF EXISTS judged", *views()):
        database.execute(statement)
    database.commit()  # a copy of the file needs that


def _number(database: sqlite3.Connection, word: str) -> int:
    """Return the number of a word, which is added if the file does not have it."""
    found = database.execute("SELECT id FROM words WHERE word = ?", (word,)).fetchone()
    if found is not None:
        return int(found[0])
    return database.execute("INSERT INTO words (word) VALUES (?)", (word,)).lastrowid or 0
