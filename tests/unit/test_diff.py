"""Command `diff`: the cells that differ between two runs, on synthetic rows."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
from typer.testing import CliRunner

from probe.cells.aggregate import SettledCell
from probe.cells.diff import Kind, differences
from probe.cli.app import app
from probe.model import Cell, Outcome, Role
from tests.support.synthetic_rows import CELL, fill, verdict

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "diff.json"
STEADY = replace(CELL, scenario="steady")


def one(outcome: Outcome, cell: Cell = CELL) -> SettledCell:
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=(verdict(outcome),))


def test_a_diff_has_added_removed_and_changed_cells() -> None:
    more, less = replace(CELL, role=Role.CONSUMER), replace(CELL, broker="2.6")
    before = {CELL: one(Outcome.STUCK), STEADY: one(Outcome.CLEAN, STEADY), less: one(Outcome.LATE, less)}
    after = {CELL: one(Outcome.REFRESHES), STEADY: one(Outcome.CLEAN, STEADY), more: one(Outcome.LATE, more)}
    found = {item.kind: item.cell for item in differences(before, after)}
    assert found == {Kind.ADDED: more, Kind.REMOVED: less, Kind.CHANGED: CELL}


def test_the_json_of_diff_matches_its_schema(tmp_path: Path) -> None:
    first = fill(tmp_path, (CELL, 0, Outcome.LATE), (STEADY, 0, Outcome.CLEAN))
    second = fill(tmp_path, (CELL, 0, Outcome.REFRESHES), (CELL, 1, Outcome.STUCK))
    done = CliRunner().invoke(app, ["diff", first, second, "--results", str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    jsonschema.validate(data, json.loads(SCHEMA.read_text()))
    assert [item["scenario"] for item in data["removed"]] == ["steady"]
    (changed,) = data["changed"]
    after = changed["after"]
    assert (changed["before"]["outcome"], changed["trend"], changed["may_be"]) == ("late", "undecided", "worse")
    assert (after["outcome"], after["conforms"], after["trials"]) == ("flaky", False, 2)
    assert (after["outcomes"], after["worst"]) == ("refreshes:1;stuck:1", "stuck")


def test_a_cell_with_the_same_worst_trial_did_not_change(tmp_path: Path) -> None:
    first = fill(tmp_path, (CELL, 0, Outcome.STUCK))
    second = fill(tmp_path, (CELL, 0, Outcome.REFRESHES), (CELL, 1, Outcome.STUCK))
    done = CliRunner().invoke(app, ["diff", first, second, "--results", str(tmp_path), "--fail-on", "worse"])
    assert (done.exit_code, done.stdout.strip()) == (0, "0 added, 0 removed, 0 changed, 1 the same")


def test_an_unknown_run_is_reported(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 0, Outcome.STUCK))
    done = CliRunner().invoke(app, ["diff", run_id, "20200101T000000Z-0000", "--results", str(tmp_path)])
    assert "no run 20200101T000000Z-0000" in str(done.exception)
