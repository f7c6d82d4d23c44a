"""Open a file of evidence: check its digest, and that this program can read it. Standard library only."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from io import BufferedReader
from pathlib import Path

from probe.errors import reason_of
from probe.evidence.older_files import complete, lacking
from probe.evidence.reader import REMEDY, EvidenceFile
from probe.evidence.schema import APPLICATION_ID, SCHEMA, EvidenceError
from probe.evidence.worth import RatedFile, has_worth
from probe.files.digests import digest_of, digest_of_file

_MEMORY = ":memory:"


@contextmanager
def opened(
    source: Path | bytes, name: str, digest: str | None = None, *, is_ours: bool = False
) -> Iterator[EvidenceFile]:
    """Open a file, or its bytes. EvidenceError if it is no evidence, too new, altered meanwhile, or lacks the digest.

    The digest is that of the whole file, at each opening. After that only what is asked for is read. One that `is_ours`
    was built by this program, so that what it says of the worth of its cells holds.
    """
    with ExitStack() as stack:
        found = _of_bytes(source, name, digest) if isinstance(source, bytes) else _on_disk(source, name, digest)
        database = stack.enter_context(found)
        try:
            if lacks := lacking(database):
                copy = stack.enter_context(closing(sqlite3.connect(_MEMORY)))
                database.backup(copy)
                complete(copy, lacks)
                database = copy
            _check(database, name)
            is_rated = is_ours and has_worth(database)
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise EvidenceError(f"{name} is no evidence: {error}; {REMEDY}") from None
        yield (RatedFile if is_rated else EvidenceFile)(database, name)


@contextmanager
def _of_bytes(data: bytes, name: str, digest: str | None) -> Iterator[sqlite3.Connection]:
    _compare(digest and digest_of(data), digest, name)
    with closing(sqlite3.connect(_MEMORY)) as database:
        _fill(database, data, name)
        yield database


@contextmanager
def _on_disk(path: Path, name: str, digest: str | None) -> Iterator[sqlite3.Connection]:
    """Yield a connection to a file with the digest. EvidenceError at the end if it was altered since.

    A file that is replaced as a whole does no harm: the one that was opened stays.
    """
    with ExitStack() as stack:
        try:
            file = stack.enter_context(path.open("rb"))
            before = _state(os.fstat(file.fileno()))
            _compare(digest and digest_of_file(file), digest, name)
        except OSError as error:
            raise EvidenceError(f"{name} cannot be read: {reason_of(error)}; name another file") from None
        yield stack.enter_context(closing(_connected(path, file, name)))
        if _state(os.fstat(file.fileno())) != before:
            raise EvidenceError(f"{name} was altered while it was read; repeat the command")


def _compare(found: str | None, stated: str | None, name: str) -> None:
    if found != stated:
        raise EvidenceError(f"{name} does not have the digest that stands beside it: it is damaged; {REMEDY}")


def _connected(path: Path, file: BufferedReader, name: str) -> sqlite3.Connection:
    """Connect to the file at a path; if the path leads to another one by now, to a copy of the open file."""
    try:
        database = sqlite3.connect(f"file:{_quoted(path)}?immutable=1", uri=True)
        if _state(path.stat()) == _state(os.fstat(file.fileno())):
            return database
        database.close()
    except (OSError, sqlite3.Error):  # removed meanwhile
        pass
    database = sqlite3.connect(_MEMORY)
    file.seek(0)
    _fill(database, file.read(), name)
    return database


def _quoted(path: Path) -> str:
    """Return a path as SQLite reads it in a URI."""
    return str(path.absolute()).replace("%", "%25").replace("?", "%3f").replace("#", "%23")


def _state(seen: os.stat_result) -> tuple[int, int, int, int]:
    return seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns


def _fill(database: sqlite3.Connection, data: bytes, name: str) -> None:
    if not data:
        raise EvidenceError(f"{name} is no evidence: it is empty; {REMEDY}")
    try:
        database.deserialize(data)
    except (sqlite3.Error, ValueError, OverflowError) as error:
        raise EvidenceError(f"{name} is no evidence: {error}; {REMEDY}") from None


def _check(database: sqlite3.Connection, name: str) -> None:
    """Raise EvidenceError for a database that is no evidence or too new, sqlite3.Error if it cannot be read."""
    database.execute("PRAGMA query_only = ON")
    ((mark,),) = database.execute("PRAGMA application_id").fetchall()
    if mark != APPLICATION_ID:
        raise EvidenceError(f"{name} is no evidence of this program; name a file that `probe publish-evidence` made")
    ((schema,),) = database.execute("SELECT value FROM about WHERE name = 'schema'").fetchall()
    if not schema.isdigit() or int(schema) > SCHEMA:
        raise EvidenceError(f"{name} has schema {schema}, this program knows {SCHEMA}: use a newer probe")
