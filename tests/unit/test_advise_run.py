"""Command `advise --run`: the cells that it runs, and how it compares applications."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.catalogue.families import Version
from probe.catalogue.selectors import select_clients
from probe.cells.aggregate import SettledCell
from probe.cli.app import app
from probe.cli.wiring import filling
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.comparisons import Change, Filter, absent, needed, stored_cells
from probe.cli.wiring.evidence import open_evidence
from probe.model import Cell, Engine, Outcome, Profile, Role
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


def test_run_adds_missing_trials_and_then_compares(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(tmp_path, (OLD, 0, Outcome.STUCK))
    played: list[Cell] = []

    def play(cells: Iterable[Cell], _options: object, results: str) -> None:
        played.extend(cells)
        fill(Path(results), *((cell, 0, Outcome.REFRESHES) for cell in played))

    monkeypatch.setattr(filling, "run_cells", play)
    line = "advise sarama 1.43.2 1.43.3 --role producer --scenario disk/storage-error --scenario net/reset --run"
    done = CliRunner().invoke(app, [*line.split(), "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert len(played) == 3
    assert "better     producer disk/storage-error: stuck -> refreshes" in done.output
    assert "1 better, 1 stays good" in done.output


def test_unmeasured_versions_are_named_with_a_bisect_command(tmp_path: Path) -> None:
    fill(tmp_path, (replace(CELL, version="1.42.1"), 0, Outcome.STUCK), (CELL, 0, Outcome.REFRESHES))
    done = CliRunner().invoke(app, ["advise", "sarama", "1.42.1", "1.43.3", "--results", str(tmp_path)])
    assert "smallest stored upgrade that conforms: 1.43.3 (1.42.1 does not)" in done.output
    assert "1.43.2; probe bisect sarama disk/storage-error --role producer" in done.output


def test_applications_are_compared_with_their_own_settings(tmp_path: Path) -> None:
    before = replace(CELL, version="1.29.1", profile=settings("8.16.1"))
    after = replace(CELL, version="1.43.3", profile=settings("9.0.0"))
    fill(tmp_path, (before, 0, Outcome.STUCK), (after, 0, Outcome.REFRESHES), (CELL, 0, Outcome.STUCK))
    done = CliRunner().invoke(app, ["advise", "filebeat", "8.16.1", "9.0.0", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "filebeat 8.16.1 -> 9.0.0: sarama 1.29.1 -> 1.43.3, with its settings" in done.output
    assert "disk/storage-error: stuck -> refreshes" in done.output


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
