"""The benchmark that compares what ships, and what an audit says of it, with the trials that it came from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.audit_agreement import main
from probe.cells.aggregate import SettledCell
from probe.cli.app import app
from probe.evidence.access import opened
from probe.evidence.writer import Contents, put, whole
from probe.model import Cell, Engine, Outcome, Role
from probe.model.profile import SHORT_LIMITS
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import shipped
from tests.unit.test_shipped_evidence import play

__all__ = ["shipped"]  # the fixture

OLD = replace(CELL, version="1.43.2")
GROUP = replace(OLD, role=Role.GROUP, scenario="client/paused", profile=SHORT_LIMITS)
SET = replace(OLD, profile="isolated+Producer.Retry.Max=9")
REAL = replace(CELL, engine=Engine.KAFKA)
PLAYED = {
    OLD: Outcome.STUCK,
    CELL: Outcome.REFRESHES,
    replace(OLD, broker="2.6"): Outcome.LATE,
    replace(OLD, scenario="steady"): Outcome.CLEAN,
    GROUP: Outcome.STUCK,
    SET: Outcome.STORMS,
    REAL: Outcome.NOT_PROVOKED,
}


@pytest.fixture
def results(tmp_path: Path, shipped: Path) -> Path:
    """Results of every kind of cell, which are published."""
    play(tmp_path / "results", *PLAYED.items())
    CliRunner().invoke(app, ["publish-evidence", "--results", str(tmp_path / "results")])
    return tmp_path / "results"


def altered(path: Path, cell: Cell, **changed: object) -> None:
    """Write the evidence again with another verdict in one cell."""
    with opened(path, "x") as file:
        cells, runs = file.cells(facts=True), file.runs
    verdicts = tuple(replace(one, **changed) for one in cells[cell].verdicts)
    changed_cell: SettledCell = replace(cells[cell], verdicts=verdicts)
    put(path, whole(Contents(cells={**cells, cell: changed_cell}, runs=runs)), digest=True)


def test_published_evidence_agrees_cell_for_cell(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([str(results)]) == 0
    said = capsys.readouterr().out
    assert f"{len(PLAYED)} cells ship, {len(PLAYED)} as their trials say; 0 more could" in said
    assert f"probe audit answers for {len(PLAYED)} of them, and differs from the trials in 0 of its answers" in said


@pytest.mark.parametrize("cell", [GROUP, SET], ids=str)
def test_another_outcome_in_any_cell_is_found(
    results: Path, shipped: Path, cell: Cell, capsys: pytest.CaptureFixture[str]
) -> None:
    altered(shipped, cell, outcome=Outcome.FATAL, conforms=False)
    assert main([str(results)]) == 1
    said = capsys.readouterr().out
    assert f"differs: {cell}: fatal:1 of " in said
    assert f"differs: {cell}: outcome fatal, not {PLAYED[cell]}" in said


def test_a_changed_fact_is_found(results: Path, shipped: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(shipped, "x") as file:
        facts = file.cells(facts=True)[OLD].verdicts[0].facts
    altered(shipped, OLD, facts=replace(facts, refreshes=99))
    assert main([str(results)]) == 1
    assert f"differs: {OLD}: " in capsys.readouterr().out
