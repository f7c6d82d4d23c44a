"""`probe judge`: cells that the current rules judge differently."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.model import Outcome
from spark.rejudgement import Change, Rejudged
from tests.support.synthetic_rows import CELL, fill
from tests.unit.test_cli import probe


def test_changed_cells_are_named_with_both_outcomes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    changes = (
        Change(CELL, "stuck", "waiting", ("outcome",)),
        Change(CELL, "late", "late", ("refreshes_max", "reason")),
    )
    monkeypatch.setattr(
        "spark.rejudgement.rejudge", lambda results, master: Rejudged(9, ("v",), changes, ("a damaged file",))
    )
    done = CliRunner().invoke(app, ["judge", "--results", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert f"changed  {CELL}: stuck -> waiting\n" in done.output
    assert f"numbers  {CELL}: late; refreshes_max, reason\n" in done.output
    assert "a damaged file" in done.output
    assert "9 trials judged again: 1 cells have another outcome, 1 only other numbers" in done.output


def test_missing_results_are_one_error_line(tmp_path: Path) -> None:
    done = probe("judge", "--results", str(tmp_path / "none"))
    assert done.returncode == 3
    assert "has no trials" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.spark
def test_verdicts_follow_the_current_rules(tmp_path: Path) -> None:
    fill(tmp_path, (CELL, 1, Outcome.REFRESHES))  # the invented history shows no recovery at all
    first = probe("judge", "--results", str(tmp_path))
    assert first.returncode == 0, first.stderr
    assert f"changed  {CELL}: refreshes -> " in first.stdout
