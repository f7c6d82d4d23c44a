"""The table that a run ends with: an application's settings stand in its line and make no columns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from rows import CELL

from probe.cli import outcomes
from probe.model import Client, Outcome


def test_properties_stand_beside_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    printed: list[object] = []
    monkeypatch.setattr(outcomes.OUT, "print", lambda item, **_: printed.append(item))
    steady = replace(CELL, scenario="steady")
    own = replace(CELL, profile="isolated+Producer.Retry.Max=9+election=500+note=[bold]")
    outcomes.show_outcomes(
        {CELL: {Outcome.STUCK}, steady: {Outcome.CLEAN}, own: {Outcome.REFRESHES}}, {Client("java", "9.9"): "no"}, "r1"
    )
    (table,) = printed
    assert isinstance(table, outcomes.Table)
    lines = list(table.columns[0].cells)
    assert lines == ["java@9.9", "sarama@1.43.3", "sarama@1.43.3 Producer.Retry.Max=9 note=\\[bold]"]
    headers = [str(column.header).split("\n") for column in table.columns[1:]]
    assert headers == [
        ["steady", "producer", "3.9"],
        ["disk/storage-error", "producer", "3.9"],
        ["disk/storage-error", "producer", "isolated+election=500", "3.9"],
    ]
    assert [str(list(column.cells)[2]) for column in table.columns[1:]] == ["", "", "refreshes"]


def test_a_long_line_is_cut() -> None:
    assert len(outcomes._short("x" * 200)) == outcomes.LONGEST
