"""Write settled cells as a file of evidence: a new one, or a copy of another with cells added or replaced."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from probe import __version__
from probe.cells.aggregate import SettledCell
from probe.cells.cell_order import in_order
from probe.errors import reason_of
from probe.evidence.reader import EvidenceFile
from probe.evidence.schema import (
    CELL,
    COLUMNS,
    SCHEMA,
    EvidenceError,
    Run,
    indexes,
    statements,
    stored_facts,
    used_words,
)
from probe.evidence.worth import put_worth
from probe.files.atomic_writes import write_file
from probe.files.digests import digest_line, digest_of, digest_path
from probe.model import Cell
from probe.model.codec import to_json
from probe.model.columns import IDENTITY
from probe.model.handshake import Handshake


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Settled cells with what else a file says about them."""

    cells: Mapping[Cell, SettledCell]
    runs: Sequence[Run]
    """All runs that were read, also those without a cell of theirs."""
    handshakes: Mapping[Cell, Collection[Handshake]] = field(default_factory=dict)
    """First requests of the clients of control cells on a connection."""
    confirmed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """By engine and family: the start of the run that confirmed the cells last, where that is later than their own."""


def whole(contents: Contents, *, rated: bool = False) -> bytes:
    """Return a file with these contents; equal contents make equal files.

    A `rated` one says what each cell is worth (`probe.evidence.worth`), which only this program may read.
    """
    with closing(sqlite3.connect(":memory:")) as database:
        for statement in statements():
            database.execute(statement)
        return _filled(database, contents, rated=rated)


def extended(held: EvidenceFile, contents: Contents) -> bytes:
    """Return a copy of a file with further runs. A cell is replaced where the new trials have the greater rank."""
    with closing(sqlite3.connect(":memory:")) as database:
        held.copy_to(database)
        known = {cell: item.rank for cell, item in held.cells(among=contents.cells).items()}
        better = {cell: item for cell, item in contents.cells.items() if cell not in known or item.rank > known[cell]}
        _remove(database, held.places(cell for cell in better if cell in known))
        shown = {cell: some for cell, some in contents.handshakes.items() if cell in better}
        return _filled(database, Contents(cells=better, runs=contents.runs, handshakes=shown))


def reduced(held: EvidenceFile, without: Collection[Cell]) -> bytes:
    """Return a copy of a file for others: without some cells, and without what identifies the files of runs."""
    with closing(sqlite3.connect(":memory:")) as database:
        held.copy_to(database)
        _remove(database, held.places(without))
        database.execute("DELETE FROM runs WHERE id NOT IN (SELECT run FROM cells)")
        database.execute("UPDATE runs SET stamp = ''")
        return _filled(database, Contents(cells={}, runs=[]))


def _remove(database: sqlite3.Connection, places: Iterable[int]) -> None:
    """Delete the rows of cells by their numbers."""
    rows = [(place,) for place in places]
    for table, key in (("cells", "id"), ("trials", "cell"), ("handshakes", "cell")):
        database.executemany(f"DELETE FROM {table} WHERE {key} = ?", rows)  # noqa: S608  # names of ours


def put(path: Path, data: bytes, *, digest: bool) -> None:
    """Write a file and, if wanted, its digest beside it. EvidenceError if that fails."""
    try:
        write_file(path, data)
        if digest:
            write_file(digest_path(path), digest_line(digest_of(data), path.name))
    except OSError as error:
        raise EvidenceError(f"{path} cannot be written: {reason_of(error)}; free the place or name another") from error


def _filled(database: sqlite3.Connection, contents: Contents, *, rated: bool = False) -> bytes:
    """Add rows, drop words that no row names any more, and return the whole database."""
    writer = _Writer(database)
    runs = {run.run_id: writer.run(run) for run in contents.runs}
    held = [contents.cells[cell] for cell in in_order(contents.cells)]
    numbers = [writer.cell(item, runs, contents.handshakes.get(item.cell, ())) for item in held]
    writer.finish()
    put_worth(database, zip(numbers, held, strict=True) if rated else None)
    database.execute(f"DELETE FROM words WHERE id NOT IN ({used_words()})")  # noqa: S608  # names of ours
    writer.describe()
    writer.confirm(contents.confirmed)
    for statement in indexes():
        database.execute(statement)
    database.commit()
    database.execute("VACUUM")
    return database.serialize()


class _Writer:
    """Adds rows to an open database."""

    def __init__(self, database: sqlite3.Connection) -> None:
        self._database = database
        self._words: dict[str, int] = dict(database.execute("SELECT word, id FROM words").fetchall())
        self._known = self._last_word = max(self._words.values(), default=0)
        self._next = 1 + self._last("cells")

    def _last(self, table: str) -> int:
        (last,) = self._database.execute(f"SELECT coalesce(max(id), 0) FROM {table}").fetchone()  # noqa: S608  # names of ours
        return int(last)

    def run(self, run: Run) -> int:
        """Add a run and return its number."""
        number = 1 + self._last("runs")
        self._database.execute("INSERT INTO runs VALUES (?, ?, ?, ?)", (number, run.run_id, run.started, run.stamp))
        return number

    def _number(self, word: str) -> int:
        if word not in self._words:
            self._last_word += 1
            self._words[word] = self._last_word
        return self._words[word]

    def cell(self, item: SettledCell, runs: Mapping[str, int], handshakes: Iterable[Handshake]) -> int:
        """Add a cell with its trials and handshakes, and return its number."""
        number, word = self._next, self._number
        self._next += 1
        identity = item.cell.columns()
        settled = {
            **{name: word(identity[name]) for name in IDENTITY},
            "run": runs[item.run_id],
            "trial": item.trial,
            "conditions": item.conditions,
            "outcome": word(item.outcome),
            "worst": word(item.worst),
            "conforms": item.conforms,
            "outcomes": word(item.outcomes),
            "reason": word(item.reason),
        }
        self._add("cells", [(number, *(settled[name] for name in CELL))])
        self._add(
            "trials",
            [
                (
                    *(number, place, word(one.outcome), one.conforms, one.rules, word(one.reason)),
                    *stored_facts(one.facts, word),
                )
                for place, one in enumerate(item.verdicts)
            ],
        )
        self._add("handshakes", [(number, place, word(to_json(one))) for place, one in enumerate(handshakes)])
        return number

    def _add(self, table: str, rows: Sequence[tuple[object, ...]]) -> None:
        if rows:
            names, marks = (", ".join(parts) for parts in (COLUMNS[table], "?" * len(rows[0])))
            self._database.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608  # names of ours

    def finish(self) -> None:
        """Add the words that are new."""
        fresh = [(number, word) for word, number in self._words.items() if number > self._known]
        self._database.executemany("INSERT INTO words VALUES (?, ?)", fresh)

    def describe(self) -> None:
        """Write the table `about`."""
        select = self._database.execute
        (rules,) = select("SELECT coalesce(max(rules), 0) FROM trials").fetchone()
        newest = select(
            "SELECT word, max(conditions) FROM cells JOIN words ON words.id = cells.engine GROUP BY word ORDER BY word"
        )
        about = {
            "schema": SCHEMA,
            "program": __version__,
            "rules": rules,
            **{f"conditions {engine}": number for engine, number in newest},
            "cells": select("SELECT count(*) FROM cells").fetchone()[0],
            "trials": select("SELECT count(*) FROM trials").fetchone()[0],
        }
        self._database.executemany(
            "INSERT OR REPLACE INTO about VALUES (?, ?)", [(k, str(v)) for k, v in about.items()]
        )

    def confirm(self, confirmed: Mapping[tuple[str, str], str]) -> None:
        """Add when the cells of families were last shown to be the same."""
        rows = [(engine, family, started) for (engine, family), started in sorted(confirmed.items())]
        if rows:
            self._database.executemany("INSERT INTO confirmed VALUES (?, ?, ?)", rows)
