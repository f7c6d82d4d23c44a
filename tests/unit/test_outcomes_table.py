"""The table of outcomes at the end of a run; settings of an application are part of its row, not a column."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rich.console import Console

from probe.cli.console import outcome_table
from probe.model import Client, Outcome
from tests.support.synthetic_rows import CELL


def test_properties_are_shown_with_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[object] = []
    monkeypatch.setattr(outcome_table.OUT, "print", lambda item, **_: printed.append(item))
    steady = replace(CELL, scenario="steady")
    own = replace(CELL, profile="isolated+Producer.Retry.Max=9+election=500+note=[bold]")
    outcome_table.show_outcomes(
        {CELL: {Outcome.STUCK}, steady: {Outcome.CLEAN}, own: {Outcome.REFRESHES}}, {Client("java", "9.9"): "no"}, "r1"
    )
    table, not_run = printed
    assert not_run == "not_run  java@9.9: no"
    assert isinstance(table, outcome_table.Table)
    lines = list(table.columns[0].cells)
    assert lines == ["java@9.9", "sarama@1.43.3", "sarama@1.43.3 Producer.Retry.Max=9 note=\\[bold]"]
    headers = [str(column.header).split("\n") for column in table.columns[1:]]
    assert headers == [
        ["steady", "producer", "3.9"],
        ["disk/storage-error", "producer", "3.9"],
        ["disk/storage-error", "producer", "isolated+election=500", "3.9"],
    ]
    assert [str(list(column.cells)[2]) for column in table.columns[1:]] == ["", "", "refreshes"]


def test_outcomes_are_counted_if_the_table_is_too_wide(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    console = outcome_table.OUT.console
    monkeypatch.setitem(vars(outcome_table.OUT), "console", Console(width=console.width, soft_wrap=True))
    other = Client("java", "9.9")
    many = {replace(CELL, scenario=f"answer/produce/{n}"): {Outcome.STUCK} for n in range(100)}
    many[next(iter(many))] = {Outcome.STUCK, Outcome.LATE}
    outcome_table.show_outcomes(many, {other: "no"}, "r1")
    printed, notes = capsys.readouterr()
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in printed.splitlines() if "│" in line]
    assert [cell.strip() for cell in printed.splitlines()[2].split("┃")[1:-1]] == ["client", "stuck", "late"]
    assert rows == [["java@9.9", "not run", "not run"], ["sarama@1.43.3", "100", "1"]]
    assert "probe show --run r1" in notes


def test_a_long_client_name_is_cut() -> None:
    assert len(outcome_table._short("x" * 200)) == outcome_table.MAX_CELLS
