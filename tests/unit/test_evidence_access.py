"""A file of evidence is checked as a whole and read in place; what happens to it meanwhile gives no wrong answer."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from dataclasses import replace
from io import BufferedReader
from pathlib import Path

import pytest

from probe.evidence import access
from probe.evidence.access import opened
from probe.evidence.cell_choice import Wanted
from probe.evidence.schema import SHORT_WORD, EvidenceError
from probe.evidence.writer import put, whole
from probe.files.digests import digest_of, digest_of_file
from probe.model import Cell, Outcome
from tests.support.synthetic_rows import CELL
from tests.unit.test_evidence_file import cell_of, contents, random_settled

OTHER = replace(CELL, version="1.60.0")
LONG = replace(CELL, profile=f"isolated+client.id={'x' * SHORT_WORD}")


def evidence(*cells: Cell) -> bytes:
    return whole(contents(cell_of(cell, Outcome.STUCK) for cell in cells))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    folder = tmp_path / "a folder #1 ?x=%41"  # signs that mean something in a URI
    folder.mkdir()
    put(folder / "evidence.sqlite", evidence(CELL), digest=True)
    return folder / "evidence.sqlite"


def test_a_file_and_its_bytes_give_the_same_cells(tmp_path: Path) -> None:
    made = contents(random_settled(3, 80))
    (tmp_path / "evidence.sqlite").write_bytes(data := whole(made))
    wanted = Wanted(family=["sarama", "java"], role=["producer"])
    with opened(data, "x") as one, opened(tmp_path / "evidence.sqlite", "x", digest_of(data)) as other:
        assert one.cells(facts=True) == other.cells(facts=True) == made.cells
        assert one.cells(wanted) == other.cells(wanted)
        versions = {cell.version for cell in made.cells if cell.family == "sarama"}
        assert set(one.versions("sarama")) == versions == set(other.versions("sarama"))


def test_one_changed_byte_anywhere_is_found_at_each_opening(path: Path) -> None:
    data = path.read_bytes()
    for at in (18, len(data) // 2, len(data) - 1):
        path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        with pytest.raises(EvidenceError, match="does not have the digest"), opened(path, "x", digest_of(data)):
            pass


def test_a_file_that_is_replaced_while_it_is_open_does_no_harm(path: Path) -> None:
    with opened(path, "x") as file:
        put(path, evidence(OTHER), digest=True)
        assert set(file.cells()) == {CELL}
    with opened(path, "x") as file:
        assert set(file.cells()) == {OTHER}


def test_what_is_answered_is_the_file_whose_digest_was_checked(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = digest_of_file

    def replaced_after(file: BufferedReader) -> str:
        found = checked(file)
        put(path, evidence(OTHER), digest=True)
        return found

    monkeypatch.setattr(access, "digest_of_file", replaced_after)
    with opened(path, "x", digest_of(path.read_bytes())) as file:
        assert set(file.cells()) == {CELL}


def test_a_file_that_is_gone_after_the_check_still_answers(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checked = digest_of_file

    def removed_after(file: BufferedReader) -> str:
        path.unlink()
        return checked(file)

    monkeypatch.setattr(access, "digest_of_file", removed_after)
    with opened(path, "x", digest_of(path.read_bytes())) as file:
        assert set(file.cells()) == {CELL}


def test_a_file_that_is_altered_while_it_is_read_is_one_line(path: Path) -> None:
    def read() -> None:
        with opened(path, "x"):
            path.write_bytes(evidence(OTHER))
            os.utime(path, (1, 1))  # a clock that stands still would hide it

    with pytest.raises(EvidenceError, match="x was altered while it was read; repeat the command"):
        read()


def test_a_file_that_cannot_be_opened_is_one_line(path: Path) -> None:
    path.unlink()
    with pytest.raises(EvidenceError, match="x cannot be read"), opened(path, "x"):
        pass
    path.write_bytes(b"")
    with pytest.raises(EvidenceError, match="x is no evidence"), opened(path, "x"):
        pass


def test_nothing_is_left_beside_a_file_that_is_read(path: Path) -> None:
    before = sorted(path.parent.iterdir())
    path.parent.chmod(0o500)
    with opened(path, "x") as file:
        assert set(file.cells()) == {CELL}
    path.parent.chmod(0o700)
    assert sorted(path.parent.iterdir()) == before


@pytest.mark.parametrize("indexed", [True, False])
def test_files_without_indexes_are_read_as_those_with_them(indexed: bool) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(evidence(CELL, OTHER, LONG))
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE sql LIKE 'CREATE INDEX%'")]
        assert names
        for name in () if indexed else names:
            database.execute(f"DROP INDEX {name}")
        with opened(database.serialize(), "x") as file:
            assert set(file.cells(Wanted(family=["sarama"], version=[OTHER.version]))) == {OTHER}
            assert set(file.cells(among=[LONG, OTHER])) == {LONG, OTHER}
            assert sorted(file.versions("sarama")) == sorted({CELL.version, OTHER.version})


def test_a_look_up_reads_neither_all_words_nor_all_cells() -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.deserialize(evidence(CELL, OTHER))
        asked: list[str] = []
        with opened(database.serialize(), "x") as file:
            file._database.set_trace_callback(asked.append)
            file.cells(Wanted(family=["sarama"], version=[OTHER.version]))
        plans = [row[3] for query in asked for row in database.execute(f"EXPLAIN QUERY PLAN {query}")]
    assert [plan for plan in plans if plan.startswith("SCAN") and "json_each" not in plan and "value" not in plan] == []
