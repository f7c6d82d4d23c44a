"""Killed runs, damaged files and failed writes leave no partial data and lose no stored trial."""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from probe.cli.wiring.resumption import as_before, selected
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import ProbeError
from probe.model import Outcome
from probe.store import ResultsError, RunStore, files, runs, trials, writer
from probe.store import history as read_history
from probe.store.reader import histories
from tests.support.deadlines import LONGEST_S
from tests.support.synthetic_rows import CELL, EVENTS, create, fill, history, verdict

OTHER = replace(CELL, version="1.27.0")
ASKED = RunSelection()


def test_trials_are_written_without_an_explicit_flush(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FLUSH_S", 0.05)
    with create(tmp_path) as store:
        store.add(history(), verdict())
        deadline = time.monotonic() + LONGEST_S
        while not list(trials(str(tmp_path))):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_folders_that_vanish_while_listed_count_as_empty(tmp_path: Path) -> None:
    place, folder, ended = files.Place(str(tmp_path)), tmp_path / "run_id=1" / "trials", threading.Event()

    def come_and_go() -> None:
        while not ended.is_set():
            folder.mkdir(parents=True)
            folder.rmdir()
            folder.parent.rmdir()

    thread = threading.Thread(target=come_and_go)
    thread.start()
    try:
        for _ in range(3000):
            assert place.files("run_id=1/trials") == []
            assert place.run_ids() in ([], ["1"])
    finally:
        ended.set()
        thread.join()


def test_a_full_buffer_is_written_early(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writer, "FLUSH_S", 60)
    monkeypatch.setattr(writer, "FLUSH_TRIALS", 2)
    with create(tmp_path) as store:
        store.add(history(), verdict())
        store.add(history(OTHER), verdict())
        deadline = time.monotonic() + LONGEST_S
        while not list(trials(str(tmp_path))):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_failed_write_is_retried(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(history(), verdict())
        blocked = tmp_path / f"run_id={store.run_id}" / "events"
        blocked.write_text("not a folder")
        with pytest.raises(ResultsError, match="cannot be written"):
            store.flush()
        blocked.unlink()
    assert [row.trial for row in trials(str(tmp_path))] == [1]


def test_a_full_disk_ends_the_run_with_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(writer, "FLUSH_S", 0.02)
    fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    store = create(tmp_path)

    def run_into_it() -> None:
        with store:
            (tmp_path / f"run_id={store.run_id}" / "events").write_text("not a folder")
            store.add(history(), verdict())
            time.sleep(0.5)

    with pytest.raises(ResultsError) as caught:
        run_into_it()
    assert f"; --resume {store.run_id} then repeats 1 trials that are not stored" in str(caught.value)
    assert len([line for line in caplog.messages if "cannot be written" in line]) == 1, "reported once"
    assert len(list(trials(str(tmp_path)))) == 1


def test_a_partial_file_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "Error writing bytes to file. Detail: [errno 28] No space")

    monkeypatch.setattr("probe.store.files.pq.write_table", full)
    monkeypatch.setattr(writer, "LAST_S", 0.0)
    with pytest.raises(ResultsError, match=r"1of1-000000\.parquet cannot be written: No space left on device; free"):
        fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["1of1.json"]


def test_an_unstorable_trial_does_not_lose_the_others(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with create(tmp_path) as store:
        store.add(history(OTHER, seed=2**70), verdict())
        store.add(history(), verdict())
    assert [row.cell for row in trials(str(tmp_path))] == [CELL]
    assert "does not fit 64 bits" in caplog.text


def test_half_written_files_are_ignored(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    folder = tmp_path / f"run_id={run_id}"
    (folder / "trials" / ".1of1-000001.parquet.99").write_bytes(b"PAR1 half")
    (folder / "trials" / "_temporary.parquet").write_bytes(b"PAR1 half")
    (folder / "run" / ".1of1.json.99").write_text("{")
    warned: list[str] = []
    assert len(list(trials(str(tmp_path), warn=warned.append))) == 1
    assert runs(str(tmp_path), warn=warned.append)[0].trials == 1
    assert warned == []
    RunStore.resume(str(tmp_path), run_id)
    assert not (folder / "trials" / ".1of1-000001.parquet.99").exists()


@pytest.mark.parametrize("damage", [lambda data: data[:-30], lambda data: b"", lambda data: b"x" * len(data)])
def test_a_damaged_file_is_named_and_the_others_are_read(tmp_path: Path, damage: object) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    with RunStore.resume(str(tmp_path), run_id) as store:
        store.add(history(CELL, 2), verdict())
    bad = tmp_path / f"run_id={run_id}" / "trials" / "1of1-000000.parquet"
    bad.write_bytes(damage(bad.read_bytes()))  # type: ignore[operator]  # a function of bytes
    warned: list[str] = []
    assert [row.trial for row in trials(str(tmp_path), warn=warned.append)] == [2]
    (line,) = warned
    assert str(bad) in line
    assert "resume its run" in line
    assert "\n" not in line
    assert RunStore.resume(str(tmp_path), run_id).done() == {(CELL, 2)}


WAYS_OUT = {
    "trials": "delete the file and resume its run",
    "run": "delete the file and resume its run",
    "events": "delete it and trials/1of1-000000.parquet, and resume its run",
}


@pytest.mark.parametrize(("bad", "other"), [("trials", "events"), ("events", "trials")])
def test_another_file_in_the_place_of_one_is_named_and_the_others_are_read(
    tmp_path: Path, bad: str, other: str
) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    with RunStore.resume(str(tmp_path), run_id) as store:
        store.add(history(CELL, 2), verdict())
    folder = tmp_path / f"run_id={run_id}"
    wrong = folder / bad / "1of1-000000.parquet"
    wrong.write_bytes((folder / other / "1of1-000000.parquet").read_bytes())
    warned: list[str] = []
    assert [one.header.trial for one in histories(str(tmp_path), run_id, warn=warned.append)] == [2]
    (line,) = warned
    assert str(wrong) in line
    assert f"another file; {WAYS_OUT[bad]}" in line
    if bad == "trials":
        assert [row.trial for row in trials(str(tmp_path), warn=warned.append)] == [2]
        assert RunStore.resume(str(tmp_path), run_id).done() == {(CELL, 2)}


@pytest.mark.parametrize("kind", ["trials", "events", "run"])
def test_a_file_of_another_run_is_named_and_left_out(tmp_path: Path, kind: str) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    other = fill(tmp_path, (CELL, 1, Outcome.STUCK))
    name = "1of1.json" if kind == "run" else "1of1-000000.parquet"
    wrong = tmp_path / f"run_id={run_id}" / kind / name
    wrong.write_bytes((tmp_path / f"run_id={other}" / kind / name).read_bytes())
    warned: list[str] = []
    read = [one.header.trial for one in histories(str(tmp_path), run_id, warn=warned.append)]
    if kind == "run":
        assert read == [1]
        (mine,) = (one for one in runs(str(tmp_path), warn=warned.append) if one.run_id == run_id)
        assert mine.shards == ()
        with pytest.raises(ResultsError, match=f"it is a file of run {other}"):
            RunStore.resume(str(tmp_path), run_id)
    else:
        assert read == []
    (line,) = warned
    assert line == f"{wrong} cannot be read: it is a file of run {other}; {WAYS_OUT[kind]}"
    if kind == "trials":
        assert [row.run_id for row in trials(str(tmp_path), warn=warned.append)] == [other]
        assert RunStore.resume(str(tmp_path), run_id).done() == set()


def test_a_run_without_its_description_is_read_and_not_resumed(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    (tmp_path / f"run_id={run_id}" / "run" / "1of1.json").unlink()
    assert [row.trial for row in trials(str(tmp_path))] == [1]
    for resume in (lambda: RunStore.resume(str(tmp_path), run_id), lambda: as_before(str(tmp_path), run_id, ASKED)):
        with pytest.raises(ProbeError, match=r"has no run/\*.json any more; .* begin a new run without --resume"):
            resume()


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("resumed", None, "`resumed` is missing"),
        ("resumed", "often", "`resumed` is no list"),
        ("shard", 3, "`shard` is no str"),
        ("seed", "1", "`seed` is no int"),
    ],
)
def test_a_description_that_is_none_is_named_and_not_resumed(
    tmp_path: Path, key: str, value: object, words: str
) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.STUCK))
    path = tmp_path / f"run_id={run_id}" / "run" / "1of1.json"
    stored = json.loads(path.read_text())
    path.write_text(json.dumps({name: one for name, one in {**stored, key: value}.items() if one is not None}))
    warned: list[str] = []
    (info,) = runs(str(tmp_path), warned.append)
    assert (info.shards, info.trials) == ((), 1)
    assert warned == [f"{path} cannot be read: {words}; delete the file and resume its run"]
    with pytest.raises(ResultsError, match=words):
        RunStore.resume(str(tmp_path), run_id)


@pytest.mark.parametrize("selectors", [{}, {"roles": ["king"]}, {"clients": 3}])
def test_selectors_that_cannot_be_read_are_asked_for_again(tmp_path: Path, selectors: dict[str, object]) -> None:
    known = selected(ASKED, None)
    with create(tmp_path, selectors={**known, **selectors} if selectors else {"more": 1}) as store:
        pass
    with pytest.raises(
        ProbeError, match=r"selectors that cannot be read \(.*\); give them again together with --resume"
    ):
        as_before(str(tmp_path), store.run_id, ASKED)


def test_a_run_without_readable_files_is_an_error(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    (tmp_path / f"run_id={run_id}" / "trials" / "1of1-000000.parquet").write_bytes(b"")
    with pytest.raises(ResultsError, match="none of 1 trial files can be read"):
        list(trials(str(tmp_path), warn=lambda line: None))


def test_a_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    path = tmp_path / f"run_id={run_id}" / "trials" / "1of1-000000.parquet"
    pq.write_table(pq.read_table(path).replace_schema_metadata({"probe.schema": "99"}), path)
    warned: list[str] = []
    with pytest.raises(ResultsError):
        list(trials(str(tmp_path), warn=warned.append))
    assert "schema 99" in warned[0]


def test_events_without_their_trials_are_ignored(tmp_path: Path) -> None:
    """A run killed between the two files runs the trial again; the first events must not mix in."""
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    folder = tmp_path / f"run_id={run_id}"
    (folder / "trials" / "1of1-000000.parquet").unlink()
    with RunStore.resume(str(tmp_path), run_id) as store:
        assert store.done() == set()
        store.add(history(events=EVENTS[:3]), verdict())
    assert read_history(str(tmp_path), run_id, CELL, 1).events == EVENTS[:3]
    assert sorted(path.name for path in (folder / "events").iterdir()) == [
        "1of1-000000.parquet",
        "1of1-000001.parquet",
    ]


def test_an_interrupted_run_is_unfinished_and_can_be_resumed(tmp_path: Path) -> None:
    store = create(tmp_path)
    store.__enter__()
    store.add(history(), verdict())
    store.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    assert not runs(str(tmp_path))[0].finished
    with RunStore.resume(str(tmp_path), store.run_id, command=["probe", "run", "--resume"]) as again:
        assert again.done() == {(CELL, 1)}
        assert again.seed == 7
    (info,) = runs(str(tmp_path))
    assert info.finished
    assert len(info.shards[0]["resumed"]) == 1


KILLED = """
import sys, time
from tests.support.synthetic_rows import CELL, history, verdict
from probe.store import RunStore, writer
writer.FLUSH_S = 0.02
with RunStore.create(sys.argv[1], command=[], seed=7) as store:
    for trial in range(100_000):
        store.add(history(CELL, trial), verdict())
        time.sleep(0.02)  # slower than the store: a backlog would be written as one file
"""


@pytest.mark.real
def test_a_killed_run_keeps_flushed_trials_and_can_be_resumed(tmp_path: Path) -> None:
    child = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], cwd=Path(__file__).parents[2])
    try:
        deadline = time.monotonic() + LONGEST_S
        while len(list(tmp_path.glob("run_id=*/trials/[0-9]*.parquet"))) < 3:
            assert time.monotonic() < deadline
            assert child.poll() is None
            time.sleep(0.02)
    finally:
        child.kill()
        child.wait()
    warned: list[str] = []
    (info,) = runs(str(tmp_path), warn=warned.append)
    rows = list(trials(str(tmp_path), warn=warned.append))
    assert warned == []
    assert not info.finished
    assert [row.trial for row in rows] == list(range(len(rows)))
    assert read_history(str(tmp_path), info.run_id, CELL, len(rows) - 1) == history(CELL, len(rows) - 1)
    with RunStore.resume(str(tmp_path), info.run_id) as store:
        assert store.done() == {(CELL, row.trial) for row in rows}
        store.add(history(CELL, len(rows)), verdict())
    assert len(list(trials(str(tmp_path)))) == len(rows) + 1
    assert not list(tmp_path.glob("run_id=*/*/.*"))
