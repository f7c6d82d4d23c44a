"""Command `advise --run`: the cells that it runs, and how it compares applications."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from probe.catalogue.families import Version
from probe.catalogue.identities import measured_for
from probe.catalogue.selectors import select_clients
from probe.cells.aggregate import SettledCell
from probe.cli.app import app
from probe.cli.wiring import fresh_trials, missing_cells
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.comparisons import Change, Filter, absent, needed, stored_cells
from probe.cli.wiring.evidence import open_evidence
from probe.model import Cell, Engine, Outcome, Profile, Role
from tests.support.played_trials import Played
from tests.support.synthetic_rows import CELL, fill

CHANGE = Change("version", "1.43.2", "1.43.3", ("sarama",))
PRODUCER = Filter((Role.PRODUCER,), ("isolated",), ("disk/storage-error", "net/reset"), Engine.EMBEDDED, "3.9")
OLD = replace(CELL, version="1.43.2")


def settings(release: str) -> str:
    (found,) = select_clients(families(), [f"filebeat@{release}"], lambda _, text: Version(version=text), apps())
    assert found.application is not None
    return str(found.application.profile(Profile("isolated"), Role.PRODUCER))


def known(results: Path, change: Change, wanted: Filter) -> dict[Cell, SettledCell]:
    with open_evidence(["own"], str(results), 180) as evidence:
        return stored_cells(evidence, change, wanted)


def names(cells: Iterable[Cell]) -> set[tuple[str, str]]:
    return {(cell.version, cell.scenario) for cell in cells}


def test_needed_cells_are_both_versions_of_every_scenario(tmp_path: Path) -> None:
    fill(tmp_path, (OLD, 0, Outcome.STUCK), (replace(OLD, scenario="net/reset"), 0, Outcome.BROKEN))
    stored = known(tmp_path, CHANGE, PRODUCER)
    assert names(needed(stored, CHANGE, PRODUCER)) == {
        ("1.43.3", "disk/storage-error"),
        ("1.43.2", "net/reset"),
        ("1.43.3", "net/reset"),
    }
    assert names(absent(stored, CHANGE, PRODUCER)) == {("1.43.3", "disk/storage-error"), ("1.43.3", "net/reset")}


def test_globs_expand_to_scenarios_that_apply_to_the_roles() -> None:
    wanted = replace(PRODUCER, roles=(Role.PRODUCER, Role.ADMIN), scenarios=("leader/elect*",))
    cells = needed({}, CHANGE, wanted)
    assert {cell.scenario for cell in cells} == {"leader/elected", "leader/election-slow"}
    assert {cell.version for cell in cells} == {"1.43.2", "1.43.3"}


def decided(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, played: Played, *more: str
) -> tuple[Result, list[set[int]]]:
    """Run `advise --run` with fresh trials of these outcomes; return what it says, and the trials a side per round."""
    monkeypatch.setattr(fresh_trials, "FreshTrials", played)
    monkeypatch.setattr(missing_cells, "run_cells", lambda *_: None)
    line = "advise sarama 1.43.2 1.43.3 --role producer --scenario disk/storage-error --evidence own --run"
    done = CliRunner().invoke(app, [*line.split(), *more, "--results", str(tmp_path)])
    return done, [set(one.values()) for one in played.counts]


def test_fresh_trials_of_a_plain_cell_are_four_a_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, (OLD, 0, Outcome.STUCK), (CELL, 0, Outcome.REFRESHES))
    played = Played({"1.43.2": [Outcome.STUCK], "1.43.3": [Outcome.REFRESHES]})
    done, rounds = decided(tmp_path, monkeypatch, played)
    assert (done.exit_code, rounds) == (0, [{4}])
    assert (
        "better     producer disk/storage-error: stops silently -> none; stuck -> refreshes (4 trials each)"
        in done.output
    )


def test_what_the_first_fresh_trials_contradict_gets_twelve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, (OLD, 0, Outcome.REFRESHES), (CELL, 0, Outcome.STUCK))
    chance = [Outcome.STUCK, Outcome.REFRESHES]
    done, rounds = decided(tmp_path, monkeypatch, Played({"1.43.2": chance, "1.43.3": chance[::-1]}))
    assert (done.exit_code, rounds) == (0, [{4}, {12}])
    assert "1 cell: 1 no difference seen (12 trials each)" in done.output


def test_a_worse_version_fails_the_gate_once_fresh_trials_show_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(tmp_path, (OLD, 0, Outcome.REFRESHES), (CELL, 0, Outcome.STUCK))
    worse = [Outcome.STUCK] * 3 + [Outcome.REFRESHES]
    done, rounds = decided(tmp_path, monkeypatch, Played({"1.43.2": [Outcome.REFRESHES], "1.43.3": worse}))
    assert rounds == [{4}, {12}]
    assert getattr(done.exception, "exit_code", 0) == 1
    assert "flaky: stuck in 9 of 12, refreshes in 3 (12 trials each, chance alone 0.00017)" in done.output


def test_equal_is_asked_for_and_takes_seven_trials_a_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, (OLD, 0, Outcome.REFRESHES), (CELL, 0, Outcome.REFRESHES))
    played = Played({"1.43.2": [Outcome.REFRESHES], "1.43.3": [Outcome.REFRESHES]})
    done, rounds = decided(tmp_path, monkeypatch, played, "--equal")
    assert (done.exit_code, rounds) == (0, [{7}])
    assert "1 cell: 1 equal" in done.output


def test_run_adds_missing_trials_and_then_compares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, (OLD, 0, Outcome.STUCK))
    played: list[Cell] = []

    def play(cells: Iterable[Cell], _options: object, results: str) -> None:
        played.extend(cells)
        fill(Path(results), *((cell, 0, Outcome.REFRESHES) for cell in played))

    monkeypatch.setattr(missing_cells, "run_cells", play)
    monkeypatch.setattr(fresh_trials, "FreshTrials", Played({"1.43.2": [Outcome.STUCK], "1.43.3": [Outcome.REFRESHES]}))
    line = "advise sarama 1.43.2 1.43.3 --role producer --scenario disk/storage-error --scenario net/reset --run"
    done = CliRunner().invoke(app, [*line.split(), "--evidence", "own", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert len(played) == 3
    assert (
        "better     producer disk/storage-error: stops silently -> none; stuck -> refreshes (4 trials each)"
        in done.output
    )
    assert "2 cells: 1 better, 1 no difference seen (1 trial each)" in done.output


def test_unmeasured_versions_are_named_with_a_bisect_command(tmp_path: Path) -> None:
    both = ((replace(CELL, version="1.42.1"), Outcome.STUCK), (CELL, Outcome.REFRESHES))
    fill(tmp_path, *((cell, number, outcome) for number in range(4) for cell, outcome in both))
    line = ["advise", "sarama", "1.42.1", "1.43.3", "--evidence", "own", "--all"]
    done = CliRunner().invoke(app, [*line, "--results", str(tmp_path)])
    assert "smallest stored upgrade that conforms: 1.43.3 (1.42.1 does not)" in done.output
    assert "1.43.2; probe bisect sarama disk/storage-error --role producer" in done.output


def test_applications_are_compared_with_their_own_settings(tmp_path: Path) -> None:
    before = replace(CELL, version="1.29.1", profile=settings("7.16.0"))
    after = replace(CELL, version="1.43.3", profile=settings("9.0.0"))
    fill(tmp_path, (before, 0, Outcome.STUCK), (after, 0, Outcome.REFRESHES), (CELL, 0, Outcome.STUCK))
    done = CliRunner().invoke(app, ["advise", "filebeat", "7.16.0", "9.0.0", "--all", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "filebeat 7.16.0 -> 9.0.0: sarama 1.29.1 -> 1.43.3, with its settings" in done.output
    assert "disk/storage-error: stops silently -> none; stuck -> refreshes" in done.output


def test_what_is_measured_for_an_applications_releases_is_compared(tmp_path: Path) -> None:
    old, new = measured_for("filebeat", ("8.16.1", "9.0.0"), families(), apps())
    before, after = (replace(CELL, family="beats", version=version) for version in (old, new))
    fill(tmp_path, (before, 0, Outcome.STUCK), (after, 0, Outcome.REFRESHES))
    own = ["--evidence", "own", "--results", str(tmp_path)]
    done = CliRunner().invoke(app, ["advise", "filebeat", "8.16.1", "9.0.0", *own])
    assert done.exit_code == 0, done.output
    head, *rest = done.output.splitlines()
    assert head.startswith(f"filebeat 8.16.1 -> 9.0.0: beats {old} -> {new}, measured for them")
    assert any(line.startswith("look-up    8.16.1 stops or loses work in disk/storage-error") for line in rest)
    assert measured_for("filebeat", ("8.13.0", "8.16.1"), families(), apps()) == ()


def test_the_other_version_of_an_application_has_its_settings(tmp_path: Path) -> None:
    before = replace(CELL, version="1.29.1", profile=settings("8.16.1"))
    fill(tmp_path, (before, 0, Outcome.STUCK))
    change = Change("version", "8.16.1", "9.0.0", ("sarama",), apps()["filebeat"])
    wanted = replace(PRODUCER, roles=(), scenarios=("disk/storage-error",))
    after = replace(CELL, profile=settings("9.0.0"))
    assert needed(known(tmp_path, change, wanted), change, wanted) == [after]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("7.16.0", "8.16.1", "7.16.0 and 8.16.1 both have sarama 1.29.1 with the same settings"),
        ("8.16.1", "8.17.0", "nearest known are 8.0.0 to 8.16.1"),
    ],
)
def test_versions_that_cannot_be_compared_are_reported(tmp_path: Path, old: str, new: str, says: str) -> None:
    done = CliRunner().invoke(app, ["advise", "filebeat", old, new, "--results", str(tmp_path)])
    assert says in str(done.exception)


def test_a_family_alone_compares_each_listed_version_with_the_next_in_one_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    older = replace(CELL, version="1.43.1")
    fill(tmp_path, (older, 0, Outcome.REFRESHES), (OLD, 0, Outcome.STUCK), (CELL, 0, Outcome.REFRESHES))
    good, bad = [Outcome.REFRESHES], [Outcome.STUCK]
    played = Played({"1.43.1": good, "1.43.2": bad, "1.43.3": good})
    monkeypatch.setattr(fresh_trials, "FreshTrials", played)
    line = ["advise", "sarama", "--evidence", "own", "--results", str(tmp_path)]
    asked = CliRunner().invoke(app, line)
    assert "2 cells undecided on too few trials; 16 to 48 trials" in asked.output
    done = CliRunner().invoke(app, [*line, "--run"])
    assert done.exit_code == 0, done.output
    assert "1.43.1 -> 1.43.2  worse: 1 cell: 1 worse" in done.output
    assert "1.43.2 -> 1.43.3  better: 1 cell: 1 better" in done.output
    assert [len(one) for one in played.counts] == [3]
