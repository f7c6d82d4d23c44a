"""Evidence that an older program made: it lacks the facts that are new since."""

from __future__ import annotations

import sqlite3

from probe.evidence.schema import COLUMNS, column, views


def complete(database: sqlite3.Connection) -> None:
    """Add the columns that a copy of a file lacks, without values. Raises sqlite3.Error."""
    lacking = [
        f"ALTER TABLE {table} ADD COLUMN {column(name)}"
        for table, names in COLUMNS.items()
        if (held := {name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")})
        for name in names
        if name not in held
    ]
    if not lacking:
        return
    for statement in (*lacking, "DROP VIEW IF EXISTS settled", "DROP VIEW IF EXISTS judged", *views()):
        database.execute(statement)
