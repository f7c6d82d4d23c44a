"""Evidence that an older program made: it lacks the facts that are new since."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from probe.evidence.schema import COLUMNS, column, views


def lacking(database: sqlite3.Connection) -> list[str]:
    """Return the statements that add the columns that a file lacks. Raises sqlite3.Error."""
    return [
        f"ALTER TABLE {table} ADD COLUMN {column(name)}"
        for table, names in COLUMNS.items()
        if (held := {name for _, name, *_ in database.execute(f"PRAGMA table_info({table})")})
        for name in names
        if name not in held
    ]


def complete(copy: sqlite3.Connection, statements: Iterable[str]) -> None:
    """Add the columns that a copy of a file lacks, without values, and make its views anew. Raises sqlite3.Error."""
    for statement in (*statements, "DROP VIEW IF EXISTS settled", "DROP VIEW IF EXISTS judged", *views()):
        copy.execute(statement)
