"""Known results where chance decides, on the engine and in as many trials as their entries name."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.known_results import Known, contrasted, expected, read_known
from probe.cells import known_trials
from probe.cells.aggregate import SettledCell
from probe.cells.expectations import Status, check
from probe.cli.app import app
from probe.cli.commands import verify
from probe.cli.wiring.execution import RunResult
from probe.errors import ProvisionError
from probe.model import Cell, Engine, Outcome, Trigger
from probe.store import trials
from tests.support.known_results import ENTRY, STUCK, store
from tests.support.synthetic_rows import CELL, verdict

RACE = ENTRY.replace('outcome = ["stuck"]', 'bad_in_some = ["stuck", "late"]\ntrials = 3').replace(
    'outcome = ["refreshes"]', 'good_never = ["stuck", "late"]'
)
BAD, LATE, GOOD = Outcome.STUCK, Outcome.LATE, Outcome.REFRESHES


def race(tmp_path: Path, old: str = "", new: str = "") -> Known:
    path = tmp_path / "race.toml"
    path.write_text(RACE.replace(old, new) if old else RACE)
    (known,) = read_known(path)
    return known


def several(*outcomes: Outcome, code: int = 56) -> SettledCell:
    facts = [verdict(one, fault_codes=(code,), refresh_trigger=Trigger.NONE) for one in outcomes]
    return SettledCell(cell=STUCK, run_id="r1", trial=0, verdicts=tuple(facts))


@pytest.mark.parametrize(
    ("outcomes", "status", "message"),
    [
        ((GOOD, BAD, GOOD), Status.HOLDS, "in 3 trials"),
        ((BAD, LATE, GOOD), Status.HOLDS, "in 3 trials"),
        ((BAD, BAD, BAD), Status.HOLDS, "stuck in 3 trials"),
        ((BAD,), Status.HOLDS, "in 1 trials"),
        ((GOOD, GOOD, GOOD), Status.FAILS, "expected stuck or late in some of 3 trials, got refreshes in 3 trials"),
        (
            (GOOD, GOOD),
            Status.UNJUDGED,
            "expected stuck or late in some of 3 trials; judged so far: refreshes in 2 trials",
        ),
    ],
)
def test_the_affected_version_is_bad_in_some_trial(
    tmp_path: Path, outcomes: tuple[Outcome, ...], status: Status, message: str
) -> None:
    found = check(expected(race(tmp_path)), several(*outcomes))
    assert found.status is status
    assert message in found.text


@pytest.mark.parametrize(
    ("outcomes", "status", "message"),
    [
        ((GOOD, GOOD, GOOD), Status.HOLDS, "refreshes in 3 trials"),
        ((GOOD, Outcome.RIDES, Outcome.SURFACES), Status.HOLDS, "in 3 trials"),
        ((GOOD, LATE, GOOD), Status.FAILS, "expected stuck or late in none of 3 trials, got "),
        ((LATE,), Status.FAILS, "late in 1 trials"),
        ((GOOD, GOOD), Status.UNJUDGED, "judged so far: refreshes in 2 trials"),
    ],
)
def test_the_mended_version_is_bad_in_none(
    tmp_path: Path, outcomes: tuple[Outcome, ...], status: Status, message: str
) -> None:
    found = check(contrasted(race(tmp_path)), several(*outcomes))
    assert found.status is status
    assert message in found.text


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [
        ((GOOD, BAD, GOOD), Status.HOLDS),
        ((GOOD, BAD, Outcome.FATAL), Status.FAILS),
        ((GOOD, GOOD, GOOD), Status.FAILS),
        ((BAD, GOOD), Status.UNJUDGED),
    ],
)
def test_a_race_may_name_every_outcome_that_is_possible(
    tmp_path: Path, outcomes: tuple[Outcome, ...], status: Status
) -> None:
    known = race(tmp_path, "bad_in_some =", 'outcome = ["stuck", "late", "refreshes"]\nbad_in_some =')
    assert check(expected(known), several(*outcomes)).status is status


def test_the_facts_of_a_race_are_those_of_the_bad_trials(tmp_path: Path) -> None:
    item = expected(race(tmp_path))
    bad, other = several(BAD).verdicts[0], verdict(GOOD, fault_codes=(6,), refresh_trigger=Trigger.ERROR)
    assert check(item, replace(several(BAD), verdicts=(bad, other, other))).status is Status.HOLDS
    found = check(
        item, replace(several(BAD), verdicts=(replace(bad, outcome=LATE), *several(BAD, code=6).verdicts, bad))
    )
    assert (found.status, found.text) == (
        Status.FAILS,
        "expected stuck with fault_codes = [56], got fault_codes = [6]",
    )


@pytest.mark.parametrize(
    ("outcomes", "status"),
    [((GOOD, GOOD, GOOD), Status.KNOWN_WRONG), ((GOOD, BAD, GOOD), Status.STALE), ((GOOD, GOOD), Status.UNJUDGED)],
)
def test_a_mark_is_stale_once_a_trial_is_bad(tmp_path: Path, outcomes: tuple[Outcome, ...], status: Status) -> None:
    item = replace(expected(race(tmp_path)), known_wrong="not yet")
    assert check(item, several(*outcomes)).status is status


def test_several_trials_may_each_have_another_of_the_allowed_outcomes(tmp_path: Path) -> None:
    item = expected(race(tmp_path, "bad_in_some", "outcome"))
    assert check(item, several(BAD, LATE, BAD)).status is Status.HOLDS
    assert check(item, several(BAD, GOOD, BAD)).status is Status.FAILS
    assert check(item, several(BAD, LATE)).status is Status.UNJUDGED


def test_an_entry_may_name_engine_line_and_trials(tmp_path: Path) -> None:
    known = race(tmp_path, "trials = 3", 'trials = 20\nengine = "kafka"\nbroker = "3.4"')
    assert expected(known).cell == replace(STUCK, engine=Engine.KAFKA, broker="3.4")
    assert contrasted(known).cell == replace(CELL, engine=Engine.KAFKA, broker="3.4")
    assert (expected(known).trials, contrasted(known).trials) == (20, 20)
    other = race(tmp_path, "good_never", 'trials = 5\nengine = "kafka"\ngood_never')
    assert (expected(other).trials, contrasted(other).trials) == (3, 5)
    assert (expected(other).engine, contrasted(other).engine) == (Engine.EMBEDDED, Engine.KAFKA)


def test_trials_of_earlier_runs_are_added_until_there_are_enough(tmp_path: Path) -> None:
    item = expected(race(tmp_path))
    results = tmp_path / "results"
    bad = store(results, (STUCK, LATE), (STUCK, GOOD))
    for outcome in (BAD, GOOD):
        store(results, (STUCK, Outcome.BROKEN), (STUCK, outcome))
    (pool,) = known_trials.pooled(trials(str(results)), [item]).values()
    assert [one.outcome for one in pool.verdicts] == [GOOD, BAD, LATE, GOOD]
    assert (pool.trial, pool.run_id != bad) == (1, True), "the newest bad trial is shown"
    (single,) = known_trials.pooled(trials(str(results)), [replace(item, trials=1)]).values()
    assert [one.outcome for one in single.verdicts] == [GOOD]
    assert known_trials.missing({STUCK: single}, {STUCK: 3, CELL: 2}) == {STUCK: 2, CELL: 2}
    assert known_trials.missing({STUCK: pool}, known_trials.needed([item, replace(item, trials=2)])) == {}


@pytest.fixture(autouse=True)
def in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Order runs of the same second by their start."""
    numbers = itertools.count()
    monkeypatch.setattr("probe.store.run_description.secrets.token_hex", lambda _: f"{next(numbers):04x}")


def play_races(monkeypatch: pytest.MonkeyPatch, outcomes: dict[Cell, list[Outcome]]) -> list[dict[Cell, int]]:
    """Replace playing by storing the next outcomes of each cell; return the numbers of trials of each call."""
    asked: list[dict[Cell, int]] = []

    def play(cells: list[Cell], options: object, results: str, trials: dict[Cell, int]) -> RunResult:
        asked.append(trials)
        assert cells == list(trials)
        rows = [(cell, outcomes[cell].pop(0)) for cell in cells for _ in range(trials[cell])]
        return RunResult(store(Path(results), *rows), {}, {})

    monkeypatch.setattr(verify, "run_cells", play)
    return asked


def verify_race(tmp_path: Path, *more: str, **replaced: str) -> Result:
    path = tmp_path / "race.toml"
    text = RACE
    for old, new in replaced.items():
        text = text.replace(old, new)
    path.write_text(text)
    return CliRunner().invoke(app, ["verify", "--results", str(tmp_path / "r"), "--known", str(path), *more])


def test_a_race_is_played_as_often_as_its_entry_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = play_races(monkeypatch, {STUCK: [GOOD, BAD, Outcome.BROKEN, GOOD], CELL: [GOOD, Outcome.RIDES, GOOD]})
    done = verify_race(tmp_path, "--contrast")
    assert asked == [{STUCK: 3, CELL: 3}, {STUCK: 1}], "a trial without a verdict is repeated, and no other"
    assert done.exit_code == 0, done.output
    assert "holds    demo: " in done.output
    assert "2 holds" in done.output
    assert verify_race(tmp_path, "--contrast").exit_code == 0
    assert len(asked) == 2


def test_a_race_without_a_bad_trial_or_with_one_in_the_mended_version_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    play_races(monkeypatch, {STUCK: [GOOD] * 3, CELL: [GOOD, LATE, GOOD]})
    done = verify_race(tmp_path, "--contrast")
    assert "FAILS    demo: " in done.output
    assert "FAILS    demo/contrast: " in done.output
    assert "2 of 2 known results are not reproduced" in str(done.exception)


def test_each_entry_is_played_on_its_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = replace(CELL, engine=Engine.KAFKA)
    asked = play_races(monkeypatch, {STUCK: [BAD] * 9, real: [GOOD] * 9})
    text = {"good_never": 'engine = "kafka"\ngood_never'}
    assert verify_race(tmp_path, "--contrast", "--fresh", **text).exit_code == 0
    assert asked == [{STUCK: 3}, {real: 3}]
    done = verify_race(tmp_path, "--contrast", "--fresh", "--engine", "embedded", **text)
    assert (done.exit_code, asked[2:]) == (0, [{STUCK: 3}])
    assert "skipped  1 known results on real brokers: `--engine kafka` or no --engine checks them" in done.output
    assert "demo/contrast" not in done.output
    done = verify_race(tmp_path, "--contrast", "--fresh", "--engine", "kafka", **text)
    assert (done.exit_code, asked[3:]) == (0, [{real: 3}])
    none = verify_race(tmp_path, "--engine", "kafka", **text)
    assert "no selected known result is on real brokers; leave --engine out" in str(none.exception)


def test_brokers_that_cannot_run_here_name_the_other_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> RunResult:
        raise ProvisionError("Kafka 3.9.2 cannot be downloaded")

    monkeypatch.setattr(verify, "run_cells", refuse)
    done = verify_race(tmp_path)
    assert str(done.exception) == (
        "Kafka 3.9.2 cannot be downloaded; `--engine` checks the known results of the other engine alone"
    )
