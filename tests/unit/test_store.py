"""Runs stored as Parquet: complete, without losses and equal when read back."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from probe.model import History, Outcome
from probe.model.columns import FACTS
from probe.store import ResultsError, RunStore, histories, runs, trials
from probe.store import history as read_history
from probe.store.presence import has_runs
from probe.store.schemas import EVENT_SCHEMA, TRIAL_SCHEMA, VERDICT_SCHEMA
from tests.support.synthetic_rows import CELL, EVENTS, create, fill, header, history, verdict

OTHER = replace(CELL, version="1.27.0")


def test_a_stored_trial_is_read_back_unchanged(tmp_path: Path) -> None:
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


def test_hostile_text_is_stored_unchanged(tmp_path: Path) -> None:
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


def test_the_columns_are_exactly_the_facts() -> None:
    assert set(FACTS) < set(TRIAL_SCHEMA.names)
    assert set(FACTS) < set(VERDICT_SCHEMA.names)
    assert set(VERDICT_SCHEMA.names) < set(TRIAL_SCHEMA.names)
    assert len(set(EVENT_SCHEMA.names)) == len(EVENT_SCHEMA.names)


def test_an_unavailable_client_is_a_row_and_tried_again(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add_not_run(OTHER, "no wheel for this machine", "2020-05-01", "")
        store.add(history(), verdict())
    rows = {row.cell: row for row in trials(str(tmp_path))}
    assert rows[OTHER].verdict.outcome is Outcome.NOT_RUN
    assert rows[OTHER].verdict.reason == "no wheel for this machine"
    assert rows[OTHER].seed is None
    assert RunStore.resume(str(tmp_path), store.run_id).done() == {(CELL, 1)}
    assert [item.header.cell for item in histories(str(tmp_path), store.run_id)] == [CELL]


def test_a_second_add_of_a_trial_is_refused(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(history(), verdict())
        with pytest.raises(ValueError, match="stored already"):
            store.add(history(), verdict())


def test_columns_missing_in_old_files_take_their_default(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    path = tmp_path / f"run_id={run_id}" / "trials" / "1of1-000000.parquet"
    pq.write_table(pq.read_table(path).drop_columns(["soft_hits"]), path)
    assert next(trials(str(tmp_path))).verdict.facts.soft_hits == 0


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


def test_shards_of_a_run_share_one_folder(tmp_path: Path) -> None:
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


def test_urls_work_like_paths(tmp_path: Path) -> None:
    url = tmp_path.as_uri()
    with RunStore.create(url, command=[], seed=1) as store:
        store.add(history(), verdict())
    assert [row.run_id for row in trials(url)] == [row.run_id for row in trials(str(tmp_path))]
    with pytest.raises(ResultsError, match="nix://x"):
        list(trials("nix://x"))


def test_run_files_match_their_schema(tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    fill(tmp_path, (CELL, 1, Outcome.REFRESHES))
    schema = json.loads((Path(__file__).parents[2] / "docs" / "schema" / "run.json").read_text())
    jsonschema.validate(runs(str(tmp_path))[0].shards[0], schema)


def test_a_history_without_events_is_stored(tmp_path: Path) -> None:
    with create(tmp_path) as store:
        store.add(History(header(), ()), verdict(Outcome.BROKEN))
    assert read_history(str(tmp_path), store.run_id, CELL, 1) == History(header(), ())


def test_a_file_is_no_results_folder(tmp_path: Path) -> None:
    file = tmp_path / "fleet.csv"
    file.write_text("client\n")
    readers: list[Callable[[str], object]] = [lambda results: list(trials(results)), has_runs]
    for read in readers:
        with pytest.raises(ResultsError, match=r"fleet.csv: this is a file; name a folder of runs$"):
            read(str(file))
