"""Output of a run for pipelines: exit codes, JUnit XML, the Markdown summary, and the gate of `diff`."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from typer.testing import CliRunner

from probe.cells.aggregate import SettledCell
from probe.cli.app import app
from probe.cli.wiring.reports import Reports, read_report, write
from probe.errors import GateError, ProbeError
from probe.model import Cell, Outcome
from probe.reports.gates import Gate, Result, read_gate, result, stopped
from probe.reports.junit import junit
from probe.reports.markdown import summary
from probe.reports.run_report import Report
from tests.support.synthetic_rows import CELL, create, fill, history, verdict

STEADY = replace(CELL, scenario="steady")
OLDER = replace(CELL, version="1.27.0")


def one(*outcomes: Outcome, cell: Cell = CELL) -> SettledCell:
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=tuple(verdict(outcome) for outcome in outcomes))


def report(*cells: SettledCell, **more: object) -> Report:
    base = {"run_id": "r1", "results": "results", "cells": {item.cell: item for item in cells}}
    return Report(**base, **more)  # type: ignore[arg-type]  # fields by name


@pytest.mark.parametrize(
    ("outcomes", "expected"),
    [
        ([Outcome.REFRESHES], Result.PASSED),
        ([Outcome.STUCK], Result.FAILED),
        ([Outcome.REFRESHES, Outcome.STUCK], Result.FAILED),
        ([Outcome.BROKEN], Result.ERROR),
        ([Outcome.UNSUPPORTED], Result.SKIPPED),
        ([Outcome.WAITING], Result.SKIPPED),
    ],
)
def test_outcomes_map_to_results_of_a_pipeline(outcomes: list[Outcome], expected: Result) -> None:
    assert result(one(*outcomes)) is expected


@pytest.mark.parametrize(
    ("text", "outcomes", "before", "stops"),
    [
        ("stuck", [Outcome.STUCK], None, True),
        ("stuck,broken", [Outcome.REFRESHES], None, False),
        ("stuck", [Outcome.REFRESHES, Outcome.STUCK], None, True),
        ("flaky", [Outcome.REFRESHES, Outcome.STUCK], None, True),
        ("nonconforming", [Outcome.LATE], None, True),
        ("nonconforming", [Outcome.REFRESHES], None, False),
        ("nonconforming", [Outcome.BROKEN], None, False),
        ("worse", [Outcome.STUCK] * 4, [Outcome.REFRESHES] * 4, True),
        ("worse", [Outcome.STUCK] * 4, [Outcome.LATE] * 4, True),
        ("worse", [Outcome.FATAL] * 4, [Outcome.STUCK] * 4, False),
        ("worse", [Outcome.STUCK], [Outcome.REFRESHES], False),
        ("worse", [Outcome.LATE], [Outcome.STUCK], False),
        ("worse", [Outcome.STUCK], [Outcome.STUCK], False),
        ("worse", [Outcome.STUCK], None, False),
        ("worse", [Outcome.BROKEN], [Outcome.REFRESHES], False),
        ("", [Outcome.STUCK], [Outcome.REFRESHES], False),
    ],
)
def test_a_gate_stops_for_the_outcomes_that_it_names(
    text: str, outcomes: list[Outcome], before: list[Outcome] | None, stops: bool
) -> None:
    known = {CELL: one(*before)} if before else {}
    assert bool(stopped(read_gate(text), {CELL: one(*outcomes)}, known)) is stops


def test_an_unknown_outcome_is_named() -> None:
    with pytest.raises(ProbeError, match=r"--fail-on stick: no outcome; known are .*stuck.* nonconforming, worse"):
        read_gate("stuck, stick")
    assert read_gate(" stuck , worse ") == Gate(frozenset({Outcome.STUCK}), worse=True)


SUITE_ATTRIBUTES = {"name", "tests", "failures", "errors", "time", "skipped", "timestamp"}
CASE_CHILDREN = {"skipped", "failure", "error", "system-out"}


def test_junit_has_a_suite_per_version_and_a_case_per_cell() -> None:
    found = report(
        one(Outcome.CLEAN, cell=STEADY),
        one(Outcome.STUCK),
        one(Outcome.BROKEN, cell=OLDER),
        one(Outcome.UNSUPPORTED, cell=replace(OLDER, scenario="net/reset")),
        started="2026-11-21T08:43:15Z",
    )
    root = ET.fromstring(junit(found))
    assert (root.tag, root.get("tests"), root.get("failures"), root.get("errors")) == ("testsuites", "4", "1", "1")
    suites = {suite.get("name"): suite for suite in root}
    assert set(suites) == {"sarama@1.43.3", "sarama@1.27.0"}
    older = suites["sarama@1.27.0"]
    assert (older.get("tests"), older.get("errors"), older.get("skipped")) == ("2", "1", "1")
    assert older.get("timestamp") == "2026-11-21T08:43:15"
    (failure,) = suites["sarama@1.43.3"].iter("failure")
    assert failure.get("message") == "stuck: it stuck"
    assert "probe show --results results --run r1 --client sarama@1.43.3 --role producer" in (failure.text or "")


def test_junit_matches_the_schema() -> None:
    hostile = replace(verdict(Outcome.STUCK), reason='<b>"\x00\x1b]]>&\ud800')
    cells = [SettledCell(cell=CELL, run_id="r1", trial=0, verdicts=(hostile,)), one(Outcome.WAITING, cell=OLDER)]
    root = ET.fromstring(junit(report(*cells)).encode())
    for suite in root:
        assert suite.tag == "testsuite"
        assert set(suite.attrib) <= SUITE_ATTRIBUTES
        assert [child.tag for child in suite] == ["properties", *["testcase"] * (len(suite) - 1)]
        assert int(suite.get("tests", "")) == len(list(suite.iter("testcase")))
        for case in suite.iter("testcase"):
            assert set(case.attrib) == {"name", "classname", "time"}
            assert {child.tag for child in case} <= CASE_CHILDREN
            assert len(case) == 1
    (failure,) = root.iter("failure")
    assert failure.get("message") == 'stuck: <b>"\ufffd\ufffd]]>&\ufffd'
    (skipped,) = root.iter("skipped")
    assert set(skipped.attrib) == {"message"}


def test_the_summary_lists_failures_changes_and_unknowns() -> None:
    cells = [one(Outcome.CLEAN, cell=STEADY), one(*[Outcome.STUCK] * 4), one(Outcome.BROKEN, cell=OLDER)]
    text = summary(report(*cells, before={CELL: one(*[Outcome.REFRESHES] * 4)}, seconds=12.2), read_gate("worse"))
    assert "2 client versions, 2 scenarios, 3 cells, 6 trials on embedded 3.9, 12 s." in text
    assert "| 1 | 1 | 1 | 0 |" in text
    assert "| sarama@1.43.3 | disk/storage-error | producer (3.9) | stuck | it stuck |" in text
    assert "| worse | sarama@1.43.3 | disk/storage-error | producer (3.9) | refreshes → stuck |" in text
    assert "| 1 | broken | it broken |" in text
    assert "**Gate `--fail-on worse` fails at 1 cell.**" in text
    assert "probe show --results results --run r1" in text


def test_text_of_a_client_is_escaped() -> None:
    hostile = replace(verdict(Outcome.STUCK), reason="a|b `c` <script>\n| d |")
    text = summary(report(SettledCell(cell=CELL, run_id="r1", trial=0, verdicts=(hostile,))))
    assert "| a\\|b \\`c\\` \\<script\\> \\| d \\| |" in text


def test_long_tables_are_cut_with_a_count() -> None:
    cells = [one(Outcome.STUCK, cell=replace(CELL, version=f"1.{n}.0")) for n in range(450)]
    text = summary(report(*cells))
    assert "… and 250 more." in text
    assert len(text) < 200_000


def test_a_run_is_compared_with_earlier_runs(tmp_path: Path) -> None:
    results = tmp_path / "results"
    fill(results, *((CELL, number, Outcome.REFRESHES) for number in range(4)), (OLDER, 0, Outcome.STUCK))
    with create(results, run_id="99990101T000000Z-ffff") as store:
        for number in range(4):
            store.add(history(CELL, number, shortened=True), verdict(Outcome.STUCK))
    reports = Reports(read_gate("worse"), tmp_path / "deep" / "junit.xml", tmp_path / "summary.md")
    reports.prepare()
    found = reports.make(str(results), store.run_id)
    assert list(found.cells) == [CELL]
    assert found.cells[CELL].outcome is Outcome.STUCK
    with pytest.raises(GateError, match=r"--fail-on worse: 1 of 1 cells, the first is sarama@1.43.3 .* \(stuck\)"):
        reports.check(found)
    assert ET.parse(tmp_path / "deep" / "junit.xml").getroot().get("failures") == "1"
    assert "refreshes → stuck" in (tmp_path / "summary.md").read_text()
    assert [path.name for path in tmp_path.glob(".*")] in ([], [".locks"]), "a temporary file is left"


def test_an_unwritable_report_is_rejected_before_the_run(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ProbeError, match="cannot be written"):
        Reports(junit=tmp_path / "file" / "junit.xml").prepare()
    with pytest.raises(ProbeError, match="is a folder"):
        Reports(summary=tmp_path).prepare()
    with pytest.raises(ProbeError, match="cannot be written"):
        write(tmp_path / "file" / "x", "text")


def test_a_first_run_is_never_worse(tmp_path: Path) -> None:
    run_id = fill(tmp_path, (CELL, 0, Outcome.STUCK))
    found = read_report(str(tmp_path), run_id)
    assert found.before == {}
    Reports(read_gate("worse")).check(found)


def test_diff_fails_by_its_gate(tmp_path: Path) -> None:
    def run_of(mine: Outcome, older: Outcome) -> str:
        both = ((CELL, mine), (OLDER, older))
        return fill(tmp_path, *((cell, number, outcome) for number in range(4) for cell, outcome in both))

    first, second = run_of(Outcome.REFRESHES, Outcome.STUCK), run_of(Outcome.STUCK, Outcome.REFRESHES)
    arguments = ["diff", first, second, "--results", str(tmp_path)]
    plain = CliRunner().invoke(app, arguments)
    assert plain.exit_code == 0
    sides = "none; refreshes, conforms -> stops silently; stuck, does not conform"
    assert re.search(rf"changed  sarama@1.43.3 .*: {sides} \(worse\)", plain.output)
    assert plain.output.startswith("level    sarama@1.27.0 (3.9) producer: reacts in 0 of 1, ")
    gated = CliRunner().invoke(app, [*arguments, "--fail-on", "worse"])
    assert getattr(gated.exception, "exit_code", 0) == 1
    assert "1 of 2 cells, the first is sarama@1.43.3" in str(gated.exception)
    assert CliRunner().invoke(app, [*arguments, "--fail-on", "fatal", "--json"]).exit_code == 0
    turned = CliRunner().invoke(app, ["diff", second, first, "--results", str(tmp_path), "--fail-on", "nonconforming"])
    assert "sarama@1.27.0" in str(turned.exception)


def test_one_trial_in_each_of_two_runs_is_undecided(tmp_path: Path) -> None:
    first, second = (fill(tmp_path, (CELL, 0, outcome)) for outcome in (Outcome.REFRESHES, Outcome.STUCK))
    done = CliRunner().invoke(app, ["diff", first, second, "--results", str(tmp_path), "--fail-on", "worse"])
    assert done.exit_code == 0
    assert "does not conform (undecided, may be worse (1 trial each))" in done.output
    assert "1 cell undecided: 4 trials in each of two runs decide all of them (8 trials, about " in done.output
    assert f"--results {tmp_path} --trials 4" in done.output
