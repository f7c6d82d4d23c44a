"""The file of evidence: what is written is read again, other files are refused, and further runs are added."""

from __future__ import annotations

import random
import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from probe.cells.aggregate import SettledCell, settle
from probe.cells.cell_harm import harms_of
from probe.cli.wiring.settled_cells import write_settled
from probe.cli.wiring.site_files import as_parquet, site_files
from probe.evidence import places
from probe.evidence.access import opened
from probe.evidence.cell_choice import Wanted
from probe.evidence.places import SETTLED, of_file
from probe.evidence.schema import JUDGED, SCHEMA, EvidenceError, Run
from probe.evidence.writer import Contents, put, whole
from probe.files.digests import digest_of, digest_path
from probe.files.shipped_evidence import PUBLISHED
from probe.model import Cell, Engine, Outcome
from probe.model.conditions import current
from probe.store import trials
from tests.support.synthetic_rows import CELL, HANDSHAKE, fill, random_cells, random_facts, random_rows, verdict, write

STEADY = replace(CELL, scenario="steady")


def cell_of(cell: Cell, *outcomes: Outcome, run_id: str = "20261101T000000Z-aaaa", **more: Any) -> SettledCell:
    found = tuple(
        replace(verdict(outcome, rules=15), reason=f"{nth}: it {outcome}") for nth, outcome in enumerate(outcomes)
    )
    return SettledCell(cell=cell, run_id=run_id, trial=0, verdicts=found, **more)


def contents(items: Iterable[SettledCell], **more: Any) -> Contents:
    cells = {item.cell: item for item in items}
    runs = [Run(run_id=one, started="2026-11-01T00:00:00Z") for one in sorted({item.run_id for item in cells.values()})]
    return Contents(cells=cells, runs=runs, **more)


def random_settled(seed: int, count: int) -> list[SettledCell]:
    rng = random.Random(seed)
    found = []
    for cell in random_cells(rng, count):
        outcomes = [rng.choice([Outcome.STUCK, Outcome.REFRESHES, Outcome.BROKEN]) for _ in range(rng.randint(1, 4))]
        item = cell_of(cell, *outcomes, conditions=rng.randint(1, 2))
        verdicts = tuple(replace(one, facts=random_facts(rng)) for one in item.verdicts)
        found.append(replace(item, verdicts=verdicts, trial=rng.randrange(3)))
    return found


@pytest.mark.parametrize("seed", range(5))
def test_cells_are_read_as_they_were_written_with_all_facts(seed: int) -> None:
    written = contents(random_settled(seed, 60))
    with opened(whole(written), "x") as file:
        assert file.cells(facts=True) == written.cells
        light = file.cells()
        assert {cell: item.votes for cell, item in light.items()} == {c: i.votes for c, i in written.cells.items()}
        for cell, item in light.items():
            assert harms_of(item) == harms_of(written.cells[cell])
            assert item.loss == written.cells[cell].loss


def test_equal_contents_make_equal_files() -> None:
    items = random_settled(1, 30)
    assert whole(contents(items)) == whole(contents(reversed(items)))


def test_a_selection_has_the_wanted_cells_only() -> None:
    items = {item.cell: item for item in random_settled(2, 80)}
    with opened(whole(contents(items.values())), "x") as file:
        wanted = Wanted(family=["sarama"], engine=[Engine.KAFKA], version=["1.9.0", "never written"])
        expected = {c for c in items if (c.family, c.engine, c.version) == ("sarama", Engine.KAFKA, "1.9.0")}
        assert set(file.cells(wanted)) == expected
        assert file.cells(Wanted(family=[])) == {}
        some = set(list(items)[::7])
        assert set(file.cells(among=some)) == some


def test_a_file_says_what_it_is_made_of() -> None:
    items = [cell_of(CELL, Outcome.STUCK, conditions=2), cell_of(STEADY, Outcome.CLEAN, conditions=1)]
    with opened(whole(contents(items)), "x") as file:
        assert file.about["schema"] == str(SCHEMA)
        assert (file.about["rules"], file.about["conditions embedded"]) == ("15", "2")
        assert (file.about["cells"], file.about["trials"]) == ("2", "2")
        assert [run.run_id for run in file.runs] == ["20261101T000000Z-aaaa"]


def test_handshakes_are_read_again() -> None:
    made = contents([cell_of(STEADY, Outcome.CLEAN)], handshakes={STEADY: (HANDSHAKE, replace(HANDSHAKE, conn=2))})
    with opened(whole(made), "x") as file:
        assert file.handshakes() == {STEADY: (HANDSHAKE, replace(HANDSHAKE, conn=2))}
        assert file.handshakes(Wanted(family=["java"])) == {}


def test_the_views_show_words_and_shares() -> None:
    flaky = cell_of(CELL, Outcome.REFRESHES, Outcome.REFRESHES, Outcome.STUCK)
    data = whole(contents([flaky]))
    database = sqlite3.connect(":memory:")
    database.deserialize(data)
    query = "SELECT family, broker, outcome, outcomes, worst, conforms, run_id FROM settled"
    (row,) = database.execute(query).fetchall()
    assert row == ("sarama", "3.9", "flaky", "refreshes:2;stuck:1", "stuck", 0, flaky.run_id)
    judged = database.execute("SELECT place, outcome, reason, cell_worst FROM judged").fetchall()
    assert [row[1] for row in judged] == ["refreshes", "refreshes", "stuck"]
    database.close()


def other_program() -> bytes:
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE about (name, value)")
    return database.serialize()


def newer_schema() -> bytes:
    database = sqlite3.connect(":memory:")
    database.deserialize(whole(contents([])))
    database.execute("UPDATE about SET value = '99' WHERE name = 'schema'")
    database.commit()
    return database.serialize()


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"", "x is no evidence"),
        (b"not a database at all" * 100, "x is no evidence"),
        (whole(contents([cell_of(CELL, Outcome.STUCK)]))[:3000], "x "),
        (other_program(), "x is no evidence of this program"),
        (newer_schema(), f"x has schema 99, this program knows {SCHEMA}: use a newer probe"),
    ],
    ids=["empty", "text", "truncated", "other program", "newer"],
)
def test_what_is_no_evidence_is_one_line(data: bytes, says: str) -> None:
    with pytest.raises(EvidenceError) as caught, opened(data, "x") as file:
        file.cells()
    assert str(caught.value).startswith(says)
    assert "\n" not in str(caught.value)


def test_an_unknown_outcome_of_a_newer_program_is_one_line() -> None:
    database = sqlite3.connect(":memory:")
    database.deserialize(whole(contents([cell_of(CELL, Outcome.STUCK)])))
    database.execute("UPDATE words SET word = 'dances' WHERE word = 'stuck'")
    database.commit()
    with opened(database.serialize(), "x") as file, pytest.raises(EvidenceError, match="use a newer probe"):
        file.cells()


def test_the_digest_beside_a_file_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "evidence.sqlite"
    put(path, whole(contents([cell_of(CELL, Outcome.STUCK)])), digest=True)
    held = of_file(path)
    assert held.digest == digest_of(path.read_bytes())
    assert of_file(tmp_path).source == held.source == path  # the folder of a site
    with opened(held.source, held.name, held.digest) as file:
        assert set(file.cells()) == {CELL}
    path.write_bytes(whole(contents([cell_of(CELL, Outcome.REFRESHES)])))
    other = of_file(path)
    with pytest.raises(EvidenceError, match="does not have the digest"), opened(other.source, "x", other.digest):
        pass


def test_a_file_without_a_digest_or_no_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "evidence.sqlite"
    path.write_bytes(b"x")
    with pytest.raises(EvidenceError, match=r"evidence.sqlite.sha256: there is no such file"):
        of_file(path)
    digest_path(path).write_text("not a digest\n")
    with pytest.raises(EvidenceError, match="holds no digest"):
        of_file(path)
    with pytest.raises(EvidenceError, match="there is no such file"):
        of_file(tmp_path / "missing.sqlite")


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "MAX_BYTES", 10)
    path = tmp_path / "evidence.sqlite"
    put(path, b"x" * 11, digest=True)
    with pytest.raises(EvidenceError, match="larger than 10 bytes"):
        of_file(path)


def read(results: Path) -> dict[Cell, SettledCell]:
    with opened((results / SETTLED).read_bytes(), SETTLED) as file:
        return file.cells(facts=True)


@pytest.mark.parametrize("seed", range(3))
def test_runs_that_are_added_one_by_one_settle_as_all_at_once(tmp_path: Path, seed: int) -> None:
    rows = random_rows(seed, 40, numbers=(1, 2))
    for run_id in sorted(rows):
        write(tmp_path, {run_id: rows[run_id]})
        write_settled(str(tmp_path))
    assert read(tmp_path) == settle(trials(str(tmp_path)))


def test_a_run_that_is_read_again_replaces_nothing_and_a_changed_one_everything(tmp_path: Path) -> None:
    fill(tmp_path, (CELL, 0, Outcome.STUCK))
    first = (tmp_path / SETTLED).read_bytes()
    write_settled(str(tmp_path))
    assert (tmp_path / SETTLED).read_bytes() == first
    fill(tmp_path, (STEADY, 0, Outcome.CLEAN))
    (path,) = [path for path in tmp_path.glob("run_id=*/trials/*.parquet") if b"storage" in path.read_bytes()]
    path.unlink()
    write_settled(str(tmp_path))
    assert set(read(tmp_path)) == {STEADY}


def test_a_file_of_an_older_program_gets_the_facts_that_are_new_since(tmp_path: Path) -> None:
    """It lacks columns, and a view of its own has the newest in another place."""
    fill(tmp_path, (CELL, 0, Outcome.STUCK))
    path = tmp_path / SETTLED
    database = sqlite3.connect(":memory:")
    database.deserialize(path.read_bytes())
    for view in ("settled", "judged"):
        database.execute(f"DROP VIEW {view}")
    for fact in ("joins", "acked"):
        database.execute(f"ALTER TABLE trials DROP COLUMN {fact}")
    database.execute("CREATE VIEW settled AS SELECT id FROM cells")
    database.execute("CREATE VIEW judged AS SELECT cell FROM trials")
    database.commit()
    path.write_bytes(database.serialize())
    assert set(read(tmp_path)) == {CELL}  # as it is

    fill(tmp_path, (STEADY, 0, Outcome.CLEAN))
    assert {cell: item.outcome for cell, item in read(tmp_path).items()} == {CELL: Outcome.STUCK, STEADY: Outcome.CLEAN}
    with opened(path.read_bytes(), SETTLED) as file:
        assert len(list(file.judged())) == 2


def test_a_damaged_file_of_settled_cells_is_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(tmp_path, (CELL, 0, Outcome.STUCK))
    (tmp_path / SETTLED).write_bytes(b"damaged")
    write_settled(str(tmp_path))
    assert set(read(tmp_path)) == {CELL}
    assert "it is made again" in capsys.readouterr().err


def test_a_file_with_a_damaged_name_in_a_view_is_refused_in_one_line() -> None:
    data = whole(contents([cell_of(CELL, Outcome.STUCK)]))
    place = data.index(b"trials", data.index(b"CREATE VIEW judged"))
    damaged = data[:place] + b"\xff" + data[place + 1 :]
    with (
        opened(damaged, "e") as file,
        pytest.raises(EvidenceError, match=r"e cannot be read: .*; make it again") as found,
    ):
        file.judged()
    assert "\n" not in str(found.value)


def test_handshakes_of_control_cells_come_from_stored_trials(tmp_path: Path) -> None:
    fill(tmp_path, (CELL, 0, Outcome.STUCK), (STEADY, 0, Outcome.CLEAN))
    with opened((tmp_path / SETTLED).read_bytes(), SETTLED) as file:
        assert file.handshakes() == {STEADY: (HANDSHAKE,)}


def test_a_site_publishes_what_says_something_about_a_released_client(tmp_path: Path) -> None:
    local = replace(CELL, version="1.43.3+local.abc")
    broken = replace(CELL, scenario="net/reset")
    run_id = fill(tmp_path, (CELL, 0, Outcome.STUCK), (local, 0, Outcome.STUCK), (broken, 0, Outcome.BROKEN))
    files = site_files(str(tmp_path), tmp_path / "no site")
    assert set(files) == {PUBLISHED, f"{PUBLISHED}.sha256", "evidence.parquet"}
    assert files[f"{PUBLISHED}.sha256"].decode() == f"{digest_of(files[PUBLISHED])}  {PUBLISHED}\n"
    with opened(files[PUBLISHED], "x") as file:
        assert set(file.cells()) == {CELL}
        assert [(run.run_id, run.stamp) for run in file.runs] == [(run_id, "")]
    assert b"+local" not in files[PUBLISHED]


def test_the_twin_has_the_same_rows_as_the_view() -> None:
    import pyarrow as pa  # noqa: PLC0415
    import pyarrow.parquet as pq  # noqa: PLC0415

    with opened(whole(contents(random_settled(4, 25))), "x") as file:
        rows = file.judged()
        table = pq.read_table(pa.BufferReader(as_parquet(file)))
    assert table.column_names == list(JUDGED)
    assert [tuple(row.values()) for row in table.to_pylist()] == rows


def test_the_present_conditions_are_those_of_new_trials(tmp_path: Path) -> None:
    fill(tmp_path, (CELL, 0, Outcome.STUCK))
    assert read(tmp_path)[CELL].conditions == current(Engine.EMBEDDED)


def test_runs_that_replace_each_other_leave_nothing_behind(tmp_path: Path) -> None:
    sizes = []
    for _ in range(4):
        fill(tmp_path, *((replace(CELL, scenario=f"net/{nth}"), 0, Outcome.STUCK) for nth in range(9)))
        with opened((tmp_path / SETTLED).read_bytes(), SETTLED) as file:
            sizes.append((file.about["cells"], file.about["trials"]))
    assert set(sizes) == {("9", "9")}
    database = sqlite3.connect(":memory:")
    database.deserialize((tmp_path / SETTLED).read_bytes())
    words = {word for (word,) in database.execute("SELECT word FROM words")}
    shown = {value for row in database.execute("SELECT * FROM judged") for value in row if isinstance(value, str)}
    assert words <= shown
    database.close()
