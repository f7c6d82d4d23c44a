"""The ignore file of an audit: what is accepted, until when, and what a wrong entry says."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from probe.cells.audit import Finding, Report, examine
from probe.cells.ignores import NAME, Entry, IgnoreError, apply, read_ignores
from probe.cli.app import app
from probe.cli.wiring.ignore_file import read_ignore_file
from probe.errors import GateError
from probe.model import Cell, Outcome
from tests.support.synthetic_rows import CELL, fill, settled_cell

SCHEMA = Path(__file__).parents[2] / "docs" / "schema" / "audit.json"
OLD = replace(CELL, version="1.43.2")
TODAY = datetime.now(UTC).date()
TOMORROW = TODAY + timedelta(days=1)
"""The last day of entries that must hold, also when midnight comes before they are read."""
ENTRY = '[[ignore]]\nclient = "sarama@*"\nreason = "no such disks"\nexpires = {}\n'


def report(*cells: Cell, outcome: Outcome = Outcome.STUCK) -> Report:
    there = {cell: settled_cell(cell, outcome) for cell in cells}
    return Report("orders", "sarama@1.43.2", "sarama@1.43.2", 1, examine(cells, there), None)


def entries(text: str) -> tuple[Entry, ...]:
    return read_ignores(text, NAME)


@pytest.mark.parametrize(
    ("selectors", "accepted"),
    [
        ('client = "sarama@1.43.2"', True),
        ('client = "sarama@1.43.*"', True),
        ('client = "sarama@1.43.3"', False),
        ('service = "ord*"', True),
        ('service = "ORD*"', False),
        ('scenario = "disk/*"\nrole = "producer"', True),
        ('scenario = "disk/*"\nrole = "consumer"', False),
    ],
)
def test_an_entry_accepts_what_all_its_selectors_select(selectors: str, accepted: bool) -> None:
    made = apply(entries(f'[[ignore]]\n{selectors}\nreason = "r"\nexpires = 2999-01-01\n'), [report(OLD)], TODAY)
    assert [bool(one.ignored) for one in made.reports] == [accepted]
    assert [entry.number for entry in made.idle] == ([] if accepted else [1])
    assert made.reports[0].finding is (Finding.ACCEPTED if accepted else Finding.FAILS)


OTHER = replace(OLD, scenario="leader/elected")


@pytest.mark.parametrize(
    ("pattern", "there", "finding"),
    [
        ("disk/*", {OLD: Outcome.STUCK, OTHER: Outcome.REFRESHES}, Finding.ACCEPTED),
        ("disk/*", {OLD: Outcome.STUCK}, Finding.ACCEPTED),
        ("disk/*", {OTHER: Outcome.REFRESHES}, Finding.ACCEPTED),
        ("disk/*", {OTHER: Outcome.STUCK}, Finding.FAILS),
        ("*", {}, Finding.ACCEPTED),
        ("disk/*", {}, Finding.UNKNOWN),
        ("net/*", {OLD: Outcome.REFRESHES, OTHER: Outcome.REFRESHES}, Finding.PASSES),
    ],
)
def test_a_service_is_called_accepted_where_nothing_else_counts_against_it(
    pattern: str, there: dict[Cell, Outcome], finding: Finding
) -> None:
    stored = {cell: settled_cell(cell, outcome) for cell, outcome in there.items()}
    own = entries(f'[[ignore]]\nscenario = "{pattern}"\nreason = "r"\nexpires = 2999-01-01\n')
    service = Report("orders", "sarama@1.43.2", "sarama@1.43.2", 1, examine([OLD, OTHER], stored), None)
    assert apply(own, [service], TODAY).reports[0].finding is finding


def test_an_entry_applies_on_its_last_day_and_not_later() -> None:
    own = entries(ENTRY.format("2026-11-27"))
    assert apply(own, [report(OLD)], date(2026, 11, 27)).reports[0].ignored
    later = apply(own, [report(OLD)], date(2026, 11, 28))
    assert (later.reports[0].ignored, later.expired, later.idle) == ([], own, ())


def test_what_passes_is_not_accepted_and_other_findings_still_count() -> None:
    own = entries('[[ignore]]\nscenario = "disk/*"\nreason = "r"\nexpires = 2999-01-01\n')
    both = apply(own, [report(OLD, replace(OLD, scenario="leader/elected"))], TODAY).reports[0]
    assert (both.finding, len(both.ignored), len(both.of(Finding.FAILS))) == (Finding.FAILS, 1, 1)
    good = apply(own, [report(OLD, outcome=Outcome.REFRESHES)], TODAY)
    assert (good.reports[0].finding, len(good.idle)) == (Finding.PASSES, 1)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[[ignore]\n", "correct the file"),
        ("a = " + "[" * 3000, "correct the file"),
        ('ignore = "sarama"', "`ignore` is not a list of tables; begin each entry with [[ignore]]"),
        ("[[ignored]]\n", "unknown key 'ignored'; begin each entry with [[ignore]]"),
        ('[[ignore]]\nreason = "r"\nexpires = 2027-01-01', "it selects nothing; give one of client, service"),
        ('[[ignore]]\nclient = "a"\nexpires = 2027-01-01', "[[ignore]] 1: it has no reason"),
        ('[[ignore]]\nclient = "a"\nreason = " "\nexpires = 2027-01-01', "`reason` is not a text with a content"),
        ('[[ignore]]\nclient = 1\nreason = "r"\nexpires = 2027-01-01', "`client` is not a text with a content"),
        ('[[ignore]]\nclient = "a"\nreason = "r"', "it never expires; give its last day, as in expires = 2027-03-31"),
        ('[[ignore]]\nclient = "a"\nreason = "r"\nexpires = "2027-01-01"', "without quotes and time"),
        ('[[ignore]]\nclient = "a"\nreason = "r"\nexpires = 2027-01-01T00:00:00', "without quotes and time"),
        ('[[ignore]]\nclient = "a"\nreason = "r"\nuntil = 2027-01-01', "unknown key 'until'; known are client"),
    ],
)
def test_a_wrong_entry_is_one_line_with_its_number_and_the_way_out(text: str, says: str) -> None:
    with pytest.raises(IgnoreError) as caught:
        entries(text)
    assert says in str(caught.value)
    assert str(caught.value).startswith(NAME)
    assert "\n" not in str(caught.value)


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(IgnoreError):
        assert all(entry.reason for entry in entries(text))


def test_a_file_that_cannot_be_read_is_one_line(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "big").write_bytes(b"#" * 2_000_000)
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    for name, says in {
        "fifo": "no file",
        "big": "larger",
        "binary": "UTF-8",
        "absent": "No such",
        ".": "no file",
    }.items():
        with pytest.raises(IgnoreError, match=says):
            read_ignore_file(tmp_path / name)
    assert read_ignore_file(Path(os.devnull)) == ()


class TestCommand:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
        monkeypatch.chdir(tmp_path)
        fill(tmp_path / "results", (OLD, 0, Outcome.STUCK), (CELL, 0, Outcome.REFRESHES))
        (tmp_path / "fleet.txt").write_text("sarama@1.43.2\nsarama@1.43.3\n")
        return tmp_path

    @staticmethod
    def audit(*more: str) -> tuple[str, str, object]:
        done = CliRunner().invoke(app, ["audit", "fleet.txt", "--scenario", "disk/storage-error", *more])
        return done.stdout, done.stderr, done.exception

    def test_the_file_of_the_working_directory_is_taken(self, folder: Path) -> None:
        assert isinstance(self.audit()[2], GateError)
        (folder / NAME).write_text(ENTRY.format(TOMORROW))
        out, _, error = self.audit()
        assert error is None
        shown = "producer disk/storage-error: stops silently; stuck in 1 trial; no such disks (until "
        assert f"sarama@1.43.2: accepted: fails: {shown}" in out
        (row,) = (line for line in out.splitlines() if line.startswith("sarama@1.43.2 "))
        assert "accepted" in row.split()
        assert out.splitlines()[-1] == "2 clients: 2 accepted"

    def test_a_named_file_is_taken_instead(self, folder: Path) -> None:
        (folder / NAME).write_text(ENTRY.format(TOMORROW))
        assert isinstance(self.audit("--ignore", os.devnull)[2], GateError)

    def test_an_expired_entry_fails_and_its_finding_counts_again(self, folder: Path) -> None:
        (folder / NAME).write_text(ENTRY.format("2026-01-31"))
        error = self.audit()[2]
        assert isinstance(error, GateError)
        assert (
            "1 of 2 services are at risk (stops): sarama@1.43.2; expired in the ignore file: [[ignore]] 1 (client"
            in (str(error))
        )

    def test_an_expired_entry_fails_without_a_finding(self, folder: Path) -> None:
        (folder / NAME).write_text(ENTRY.format("2026-01-31"))
        (folder / "fleet.txt").write_text("sarama@1.43.3\n")
        error = self.audit()[2]
        assert isinstance(error, GateError)
        assert str(error) == (
            "expired in the ignore file: [[ignore]] 1 (client sarama@*: no such disks) on 2026-01-31; "
            "give a new day with its reason, or remove them"
        )

    def test_an_idle_entry_is_named_and_harmless(self, folder: Path) -> None:
        (folder / NAME).write_text(ENTRY.format(TOMORROW).replace("sarama@*", "java@*"))
        _, said, error = self.audit("--fail-on", "")
        assert error is None
        assert "[[ignore]] 1 (client java@*: no such disks) selects no finding; remove it" in said

    def test_json_says_what_is_accepted(self, folder: Path) -> None:
        (folder / NAME).write_text(ENTRY.format(TOMORROW))
        data = json.loads(self.audit("--json")[0])
        jsonschema.validate(data, json.loads(SCHEMA.read_text()))
        faults = [(fault["finding"], fault["ignored"]) for one in data["services"] for fault in one["faults"]]
        assert ("fails", f"no such disks (until {TOMORROW})") in faults
        assert [one["finding"] for one in data["services"]] == ["accepted", "accepted"]

    def test_two_formats_are_refused(self) -> None:
        error = self.audit("--json", "--format", "csv")[2]
        assert str(error) == "csv and json: an audit is printed in one format; leave out the others"
        assert self.audit("--json", "--format", "json")[0] == self.audit("--format", "json")[0]
