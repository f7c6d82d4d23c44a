"""Sweeps: what varies, which cells that makes, and what their trials say."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from probe.cells.aggregate import settle
from probe.cells.sweeps import CSV_COLUMNS, csv_rows, sweep_results
from probe.cli.app import app
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import ProbeError
from probe.model import CONTROL, Engine, History, Outcome, Profile, Role, Verdict, Workload
from probe.model.outcomes import OUTCOMES, SAY_NOTHING
from probe.model.sweep import Sweep
from probe.site.pages import sweep_picture
from probe.site.pages.sweep_picture import DRAWN, picture
from probe.site.render.sweep_file import sweep_file
from probe.store import RunStore, trials
from probe.store.sweeps import mark_sweep, sweep_runs
from tests.support.sweep_data import CELL, ELECTIONS, JUDGED, at_value, result, rows, took
from tests.support.synthetic_rows import header, settled_cell


def store_sweep(results: Path, judged: dict[tuple[str, str], list[Verdict]], sweep: Sweep = ELECTIONS) -> str:
    with RunStore.create(str(results), command=["probe", "sweep"], seed=1) as store:
        for (version, value), verdicts in judged.items():
            for number, found in enumerate(verdicts):
                head = header(at_value(value, version, sweep), number, sweep=str(sweep))
                store.add(History(head, ()), found)
    mark_sweep(str(results), store.run_id, str(sweep))
    return store.run_id


# what varies


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("election", "at least 2"),
        ("election=100", "at least 2"),
        ("election=100,100", "at least 2"),
        ("election=100,", "at least 2"),
        ("election=soon,later", "invalid literal"),
        ("election=0,70000", "within a minute"),
        ("elections=1,2", "it is about"),
        ("property:=1,2", "it is about"),
        ("Producer.Retry.Max=1,2", "it is about"),
    ],
)
def test_what_cannot_be_swept_is_refused_with_the_reason(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        Sweep.parse(text)
    done = CliRunner().invoke(app, ["sweep", "--client", "sarama", "--scenario", "disk/storage-error", "--over", text])
    assert isinstance(done.exception, ProbeError)
    assert f"--over {text}" in str(done.exception)


def test_numbers_are_put_in_order_and_words_keep_theirs() -> None:
    assert Sweep.parse("election=1000,0,100") == ELECTIONS
    words = Sweep.parse("property:partitioner=random,hash")
    assert (words.key, words.values) == ("partitioner", ("random", "hash"))
    assert str(words) == "property:partitioner=random,hash"


@pytest.mark.parametrize("text", ["election=0,250", "property:linger.ms=0,5", "property:client.id=a+b,c"])
def test_a_value_is_found_again_in_its_profile(text: str) -> None:
    sweep = Sweep.parse(text)
    base = Profile("isolated", (("other", "1"),))
    for value in sweep.values:
        written = Profile.parse(str(sweep.profile(base, value)))
        assert (sweep.value(written), sweep.base(written)) == (value, base)


# its cells


def whole(**more: object) -> RunSelection:
    asked = {"clients": ["sarama@1.43.3"], "scenarios": ["disk/storage-error"], "roles": [Role.PRODUCER], "trials": 5}
    return RunSelection(**{**asked, "over": ELECTIONS, "seed": 1, **more})  # type: ignore[arg-type]  # its fields


def test_a_sweep_has_a_cell_per_value_with_a_control_cell_of_one_trial() -> None:
    plan, _ = whole().whole()
    asked = [item for item in plan.cells if item.cell.scenario != CONTROL]
    assert {item.cell.profile for item in asked} == {f"isolated+election={value}" for value in ELECTIONS.values}
    assert {item.trials for item in asked} == {5}
    controls = [item for item in plan.cells if item.cell.scenario == CONTROL]
    assert [item.trials for item in controls] == [1] * len(asked)
    assert {item.sweep for item in plan.cells} == {str(ELECTIONS)}


def test_what_is_swept_cannot_be_set_as_well() -> None:
    with pytest.raises(ProbeError, match="property:a is set as well"):
        whole(over=Sweep.parse("property:a=1,2"), properties=["a=3"]).whole()
    with pytest.raises(ProbeError, match="--over election is for the embedded engine only"):
        whole(engine=Engine.KAFKA).whole()


@pytest.mark.parametrize("left_out", ["--client", "--scenario", "--over"])
def test_a_sweep_needs_clients_a_scenario_and_what_varies(left_out: str) -> None:
    given = {"--client": "sarama", "--scenario": "disk/storage-error", "--over": "election=0,1"}
    arguments = [word for pair in given.items() if pair[0] != left_out for word in pair]
    done = CliRunner().invoke(app, ["sweep", *arguments])
    assert isinstance(done.exception, ProbeError)
    assert left_out in str(done.exception)


def test_an_election_that_cannot_be_set_is_not_swept(tmp_path: Path) -> None:
    """The leader moves at once there, so the picture would show nothing."""
    arguments = ["--client", "sarama@1.43.3", "--scenario", "leader/elected", "--over", "election=0,1"]
    done = CliRunner().invoke(app, ["sweep", *arguments, "--results", str(tmp_path)])
    assert isinstance(done.exception, ProbeError)
    assert "the duration of its election cannot be set" in str(done.exception)


# what its trials say


def test_trials_of_a_sweep_do_not_enter_the_matrix(tmp_path: Path) -> None:
    run_id = store_sweep(tmp_path, JUDGED)
    with RunStore.create(str(tmp_path), command=["probe", "run"], seed=1) as store:
        store.add(History(header(CELL, 0), ()), took(250))
    assert set(settle(trials(str(tmp_path)))) == {CELL}
    assert sweep_runs(str(tmp_path)) == [run_id]


def test_a_curve_is_a_client_with_a_step_per_value() -> None:
    found = result()
    assert [curve.name for curve in found.curves] == ["sarama 1.43.2", "sarama 1.43.3"]
    older, newer = found.curves
    assert [step.value for step in older.steps] == ["0", "100", "1000"]
    assert [step.value for step in newer.steps] == ["0", "1000"], "a value without a trial has no step"
    assert [step.outcome for step in older.steps] == [Outcome.REFRESHES, Outcome.FLAKY, Outcome.FLAKY]
    assert [step.median_ms for step in older.steps] == [250, 300, None], "most of them did not recover"
    assert older.steps[1].outcomes == "refreshes:2;surfaces:1"
    assert "--over election=0,100,1000 --trials 3" in found.command
    assert "--client sarama@1.43.2 --client sarama@1.43.3" in found.command


def test_outcomes_of_as_many_trials_are_in_the_order_of_the_matrix() -> None:
    """That is by name, whichever came first."""
    verdicts = (took(1, Outcome.SURFACES), took(1), took(1, Outcome.SURFACES), took(1))
    step = replace(result().curves[0].steps[0], verdicts=verdicts)
    assert step.outcomes == settled_cell(CELL, *(one.outcome for one in verdicts)).outcomes == "refreshes:2;surfaces:2"


def test_a_sweep_with_another_workload_names_it() -> None:
    assert "workload" not in result().command
    assert result().subject == "disk/storage-error, producer"
    (keyed,) = sweep_results(replace(row, cell=replace(row.cell, workload=Workload.KEYED)) for row in rows())
    assert "--role producer --workload keyed" in keyed.command
    assert keyed.subject == "disk/storage-error, producer, keyed"
    assert picture(keyed).headings[0] == keyed.subject


def test_a_sweep_is_of_the_workload_that_is_asked_for() -> None:
    plan, _ = whole(workloads=["pipelined"]).whole()
    assert {item.cell.workload for item in plan.cells} == {Workload.PIPELINED}


def test_the_csv_has_a_row_per_client_and_value() -> None:
    rows = [dict(zip(CSV_COLUMNS, row, strict=True)) for row in csv_rows(result())]
    assert len(rows) == 5
    surfaced = rows[1]
    assert (surfaced["value"], surfaced["worst"], surfaced["trials"]) == ("100", "surfaces", "3")
    assert (surfaced["recovery_ms_min"], surfaced["recovery_ms_p50"], surfaced["recovery_ms_max"]) == (
        "290",
        "300",
        "310",
    )
    assert surfaced["errors_surfaced_max"] == "2"
    assert rows[2]["recovery_ms_p50"] == "9000"


def test_a_stored_sweep_is_shown_again_without_a_run(tmp_path: Path) -> None:
    run_id = store_sweep(tmp_path / "r", JUDGED)
    table, drawn = tmp_path / "s.csv", tmp_path / "s.svg"
    arguments = ["sweep", "--run", run_id, "--results", str(tmp_path / "r"), "--csv", str(table), "--svg", str(drawn)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    assert "refreshes 2, surfaces 1; 300 ms" in done.output
    assert len(list(csv.reader(table.open()))) == 6
    assert ET.parse(drawn).getroot().tag.endswith("svg")


def test_two_questions_of_one_run_are_two_tables_and_pictures(tmp_path: Path) -> None:
    """As of a run whose cells differ in more than what is swept."""
    with RunStore.create(str(tmp_path), command=["probe", "sweep"], seed=1) as store:
        for value in ELECTIONS.values:
            for role in (Role.PRODUCER, Role.CONSUMER):
                cell = replace(at_value(value, "1.43.2"), role=role)
                store.add(History(header(cell, 0, sweep=str(ELECTIONS)), ()), took(250))
    drawn = tmp_path / "s.svg"
    done = CliRunner().invoke(app, ["sweep", "--run", store.run_id, "--results", str(tmp_path), "--svg", str(drawn)])
    assert done.exit_code == 0, done.output
    assert "storage-error, producer" in done.output
    assert "storage-error, consumer" in done.output
    assert drawn.with_stem("s-2").exists()


def test_a_run_without_a_sweep_is_named(tmp_path: Path) -> None:
    with RunStore.create(str(tmp_path), command=["probe", "run"], seed=1) as store:
        store.add(History(header(CELL, 0), ()), took(250))
    done = CliRunner().invoke(app, ["sweep", "--run", store.run_id, "--results", str(tmp_path)])
    assert isinstance(done.exception, ProbeError)
    assert f"run {store.run_id} has no trial of a sweep" in str(done.exception)


# the picture


def test_each_outcome_has_a_shape_of_its_own() -> None:
    looks = {(shape, OUTCOMES[outcome].severity > 0) for outcome, shape in DRAWN.items()}
    assert len(looks) == len(DRAWN), "equal forms differ in being filled"
    assert set(DRAWN) == set(Outcome) - SAY_NOTHING - {Outcome.FLAKY}


def test_every_trial_that_says_something_is_a_mark_inside_the_picture() -> None:
    found = picture(result())
    named = [mark for mark in found.marks if mark.title]
    assert len(named) == sum(map(len, JUDGED.values())) - 1, "one was only waited for"
    for mark in found.marks:
        assert 0 < mark.x < sweep_picture.WIDTH
        assert 0 < mark.y < found.height
    band = sweep_picture.TOP + sweep_picture.BAND
    without = [mark for mark in named if "no recovery" in mark.title]
    assert [mark.y < band for mark in without] == [True, True]
    slow, quick = (next(mark.y for mark in named if text in mark.title) for text in ("9000 ms", "200 ms"))
    assert band < slow < quick, "slower is higher"


def test_the_picture_says_in_words_what_it_shows() -> None:
    text = sweep_file(result())
    root = ET.fromstring(text)
    space = "{http://www.w3.org/2000/svg}"
    described = root.find(f"{space}desc")
    assert root.find(f"{space}title") is not None
    assert described is not None
    assert "sarama 1.43.2, election, ms: 0: refreshes 3, 250 ms; 100: refreshes 2 surfaces 1, 300 ms" in str(
        described.text
    )
    labels = {item.text for item in root.iter(f"{space}text")}
    assert {"sarama 1.43.2", "sarama 1.43.3", "surfaces", "none", "1000"} <= labels
    assert "var(" not in text, "a file of its own has no style sheet to take colours from"


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    sweep = Sweep.parse("property:<b>=<i>,&")
    run_id = store_sweep(tmp_path, {("1.43.2", "<i>"): [took(5)], ("1.43.2", "&"): [took(0)]}, sweep)
    (found,) = sweep_results(trials(str(tmp_path), run_id))
    ET.fromstring(sweep_file(found))
    assert "<b>" not in sweep_file(found)
