"""Runs as Parquet: nothing half, nothing lost, everything back as it was."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from rows import CELL, EVENTS, header, history, verdict

from probe.model import Cell, History, Outcome
from probe.model.results import FACTS
from probe.store import ResultsError, RunStore, histories, runs, trials, writing
from probe.store import history as read_history
from probe.store.schemas import EVENT_SCHEMA, TRIAL_SCHEMA, VERDICT_SCHEMA

OTHER = replace(CELL, version="1.27.0")


def create(results: Path, **more: object) -> RunStore:
    return RunStore.create(str(results), command=["probe", "run"], seed=7, **more)  # type: ignore[arg-type]  # by name


def fill(results: Path, *items: tuple[Cell, int, Outcome]) -> str:
    with create(results) as store:
        for cell, trial, outcome in items:
            store.add(history(cell, trial), verdict(outcome, fault_hits=trial))
    return store.run_id


def test_a_trial_comes_back_as_it_was(tmp_path: Path) -> None:
    taken = history(shortened=True, mirrors="defaults")
    judged = verdict(Outcome.STUCK, fault_codes=(56, 6), api_versions=(("Produce", 7), ("Fetch", 11)), refresh_ms=1.5)
    with create(tmp_path) as store:
        store.add(taken, judged)
    (row,) = trials(str(tmp_path))
    assert (row.run_id, row.cell, row.trial, row.seed) == (store.run_id, CELL, 1, 42)
    assert row.verdict == judged
    assert row.conforming == taken.header.play.conforms
    assert (row.shortened, row.mirrors, row.released) == (True, "defaults", "2024-08-27")
    assert read_history(str(tmp_path), store.run_id, CELL, 1) == taken


def test_hostile_text_survives(tmp_path: Path) -> None:
    taken = history(settings={"\ud800": 'a"\n\x00'}, problems=("\udcff",))
    with create(tmp_path) as store:
        store.add(taken, verdict(first_error="client:\ud800x"))
    assert read_history(str(tmp_path), store.run_id, CELL, 1) == taken
    (row,) = trials(str(tmp_path))
    assert row.verdict.facts.first_error == "client:?x"


def test_one_history_is_found_among_many(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        for trial in range(1, 4):
            store.add(history(CELL, trial, EVENTS[:trial]), verdict())
        store.flush()
        store.add(history(OTHER, 2), verdict())
    assert len(read_history(str(tmp_path), store.run_id, CELL, 2).events) == 2
    assert read_history(str(tmp_path), store.run_id, OTHER, 2) == history(OTHER, 2)
    wanted = {(CELL, 3), (OTHER, 2)}
    found = {(item.header.cell, item.header.trial) for item in histories(str(tmp_path), store.run_id, wanted)}
    assert found == wanted
    assert len(list(histories(str(tmp_path), store.run_id))) == 4
    with pytest.raises(ResultsError, match=r"no trial 9 of sarama@1\.43\.3"):
        read_history(str(tmp_path), store.run_id, CELL, 9)
    with pytest.raises(ResultsError, match=f"no run nix; there are: {store.run_id}"):
        list(trials(str(tmp_path), "nix"))


def test_every_fact_and_no_other_has_a_column() -> None:
    assert set(FACTS) < set(TRIAL_SCHEMA.names)
    assert set(FACTS) < set(VERDICT_SCHEMA.names)
    assert set(VERDICT_SCHEMA.names) < set(TRIAL_SCHEMA.names)
    assert len(set(EVENT_SCHEMA.names)) == len(EVENT_SCHEMA.names)


def test_a_client_that_could_not_be_had_is_a_row_and_is_tried_again(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add_not_run(OTHER, "no wheel for this machine", "2020-05-01", "")
        store.add(history(), verdict())
    rows = {row.cell: row for row in trials(str(tmp_path))}
    assert rows[OTHER].verdict.outcome is Outcome.NOT_RUN
    assert rows[OTHER].verdict.reason == "no wheel for this machine"
    assert rows[OTHER].seed is None
    assert RunStore.resume(str(tmp_path), store.run_id).done() == {(CELL, 1)}
    assert [item.header.cell for item in histories(str(tmp_path), store.run_id)] == [CELL]


def test_what_is_taken_is_on_disk_soon_without_being_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "FLUSH_S", 0.05)
    with create(tmp_path) as store:
        store.add(history(), verdict())
        deadline = time.monotonic() + 10
        while not list(trials(str(tmp_path))):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_full_store_is_written_before_its_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(writing, "FLUSH_S", 60)
    monkeypatch.setattr(writing, "FLUSH_TRIALS", 2)
    with create(tmp_path) as store:
        store.add(history(), verdict())
        store.add(history(OTHER), verdict())
        deadline = time.monotonic() + 10
        while not list(trials(str(tmp_path))):
            assert time.monotonic() < deadline
            time.sleep(0.01)


def test_a_write_that_fails_is_kept(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(history(), verdict())
        blocked = tmp_path / f"run_id={store.run_id}" / "events"
        blocked.write_text("not a folder")
        with pytest.raises(ResultsError, match="cannot be written"):
            store.flush()
        blocked.unlink()
    assert [row.trial for row in trials(str(tmp_path))] == [1]


def test_a_second_add_of_a_trial_is_refused(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(history(), verdict())
        with pytest.raises(ValueError, match="stored already"):
            store.add(history(), verdict())


def test_one_bad_number_does_not_cost_the_others(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with create(tmp_path) as store:
        store.add(history(OTHER, seed=2**70), verdict())
        store.add(history(), verdict())
    assert [row.cell for row in trials(str(tmp_path))] == [CELL]
    assert "does not fit 64 bits" in caplog.text


def test_half_written_files_are_not_there(tmp_path: Path) -> None:
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


def test_nothing_readable_is_an_error(tmp_path: Path) -> None:
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


def test_columns_that_an_older_probe_did_not_write_take_their_default(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    path = tmp_path / f"run_id={run_id}" / "trials" / "1of1-000000.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["soft_hits"]), path)
    assert next(trials(str(tmp_path))).verdict.facts.soft_hits == 0


def test_events_without_their_trials_do_not_exist(tmp_path: Path) -> None:
    """A run killed between the two files runs the trial again; its first events must not mix in."""
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


def test_a_run_describes_itself(tmp_path: Path) -> None:
    with create(tmp_path, versions={"kafka 3.9": "3.9.2"}, digests={"driver": "sha256:1"}) as store:
        store.add(history(), verdict())
        store.note("versions", java="17.0.15")
    (info,) = runs(str(tmp_path))
    (shard,) = info.shards
    assert info.run_id == store.run_id
    assert info.trials == 1
    assert info.finished
    assert shard["command"] == ["probe", "run"]
    assert shard["seed"] == 7
    assert shard["versions"] | {"kafka 3.9": "3.9.2", "java": "17.0.15"} == shard["versions"]
    assert shard["digests"] == {"driver": "sha256:1"}
    assert shard["clients"] == {"sarama@1.43.3": "module sarama v1.43.3 h1:abc"}


def test_an_interrupted_run_is_not_finished_and_can_be_resumed(tmp_path: Path) -> None:
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


def test_shards_lie_in_one_folder(tmp_path: Path) -> None:
    with create(tmp_path, shard="1of2") as first:
        first.add(history(), verdict())
    with create(tmp_path, shard="2of2", run_id=first.run_id) as second:
        second.add(history(OTHER), verdict())
    (info,) = runs(str(tmp_path))
    assert [shard["shard"] for shard in info.shards] == ["1of2", "2of2"]
    assert {row.cell for row in trials(str(tmp_path), first.run_id)} == {CELL, OTHER}
    with pytest.raises(ResultsError, match="resume that run"):
        create(tmp_path, shard="2of2", run_id=first.run_id)
    assert RunStore.resume(str(tmp_path), first.run_id, shard="3of3").seed == first.seed
    with pytest.raises(ResultsError, match="no run nix"):
        RunStore.resume(str(tmp_path), "nix", shard="1of2")


def test_urls_work_as_paths_do(tmp_path: Path) -> None:
    url = tmp_path.as_uri()
    with RunStore.create(url, command=[], seed=1) as store:
        store.add(history(), verdict())
    assert [row.run_id for row in trials(url)] == [row.run_id for row in trials(str(tmp_path))]
    with pytest.raises(ResultsError, match="nix://x"):
        list(trials("nix://x"))


def test_run_files_keep_to_their_schema(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    schema = json.loads((Path(__file__).parents[1] / "docs" / "schema" / "run.json").read_text())
    jsonschema.validate(runs(str(tmp_path))[0].shards[0], schema)


def test_a_history_needs_no_events(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(History(header(), ()), verdict(Outcome.BROKEN))
    assert read_history(str(tmp_path), store.run_id, CELL, 1) == History(header(), ())
