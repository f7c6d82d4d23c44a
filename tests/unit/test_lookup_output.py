"""Output of `probe lookup` and `probe --version`: lines that fit a terminal, and a digest that is checked."""

from __future__ import annotations

import os
import shlex
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cells.audit import Fault, Finding
from probe.cli.answers.lookup import AT, Known, as_text
from probe.cli.app import app
from probe.cli.console.line_wrap import command_lines, terminal_columns
from probe.model import Outcome
from tests.support.synthetic_rows import CELL
from tests.unit.test_lookup import OLD, code, look, publish, settled, shipped

__all__ = ["shipped"]  # the fixture


@pytest.mark.parametrize("columns", [60, 80, 100])
def test_lines_fit_a_terminal_and_commands_can_be_copied(
    tmp_path: Path, shipped: Path, monkeypatch: pytest.MonkeyPatch, columns: int
) -> None:
    monkeypatch.chdir(tmp_path)
    scenarios = [f"answer/produce/ERROR_{number}" for number in range(30)]
    fine = [settled(replace(OLD, scenario=name), Outcome.REFRESHES) for name in scenarios]
    publish(shipped, settled(OLD, Outcome.STUCK), settled(CELL, Outcome.REFRESHES), *fine)
    for client in ("sarama@1.43.2", "sarama"):
        monkeypatch.setattr("probe.cli.commands.lookup.terminal_columns", lambda: 0)
        whole = look(Path("results"), client).stdout
        monkeypatch.setattr("probe.cli.commands.lookup.terminal_columns", lambda: columns)
        lines = look(Path("results"), client).stdout.splitlines()
        assert max(map(len, lines)) <= columns
        assert " ".join("\n".join(lines).replace(" \\\n", "\n").split()) == " ".join(whole.split())


@pytest.mark.parametrize(("there", "columns"), [(30, 40), (80, 80), (300, 100)])
def test_lines_are_as_long_as_the_terminal_is_wide(monkeypatch: pytest.MonkeyPatch, there: int, columns: int) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", str(there))
    assert terminal_columns() == columns
    monkeypatch.setattr("sys.stdout.isatty", lambda: False)
    assert terminal_columns() == 0


def test_a_wrapped_command_is_the_same_to_a_shell() -> None:
    command = "probe show --results '/srv/my results --all' --client sarama@1.43.2 --property 'a=b;c' --role producer"
    for columns in (20, 40, 80, 0):
        text = "\n".join(command_lines(command, columns, 14))
        assert shlex.split(text.replace("\\\n", "")) == shlex.split(command)


@pytest.mark.parametrize("damage", ["changed", "shorter", "no digest", "odd digest", "pipe"])
def test_version_does_not_show_the_digest_of_a_file_that_lacks_it(shipped: Path, damage: str) -> None:
    publish(shipped, settled(OLD, Outcome.STUCK))
    beside = shipped.with_name(f"{shipped.name}.sha256")
    match damage:
        case "changed":
            shipped.write_bytes(shipped.read_bytes()[:-1] + b"?")
        case "shorter":
            shipped.write_bytes(shipped.read_bytes()[:-1])
        case "no digest":
            beside.unlink()
        case "odd digest":
            beside.write_text("not a digest\n")
        case _:
            shipped.unlink()
            os.mkfifo(shipped)
    done = CliRunner().invoke(app, ["--version"])
    assert (code(done), len(done.stdout.splitlines())) == (3, 1)
    assert str(done.exception).endswith("; install the package again")
    assert "evidence sha256" not in done.stdout


@pytest.mark.parametrize("finding", Finding)
def test_every_finding_stands_apart_from_what_follows_it(finding: Finding) -> None:
    known = Known(passing={}, mending={}, targets={}, helping={}, restarting={}, results="results", can_run=False)
    (line, *_) = as_text([Fault(CELL, finding, settled(CELL, Outcome.STUCK))], known, everything=True, columns=0)
    assert line.startswith(f"  {finding}")
    assert line.index(str(CELL.role)) == AT
