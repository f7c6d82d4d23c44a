"""What real brokers took to elect, by scenario: the median, of trials that saw a new leader named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rows import CELL, create, history, verdict
from typer.testing import CliRunner

from probe.cli.agreement import show_elections
from probe.cli.app import app
from probe.cli.options import parse_election
from probe.errors import ProbeError
from probe.model import Cell, Election, Engine, EngineEvent, EngineKind, Outcome
from probe.store import elections

REAL = replace(CELL, engine=Engine.KAFKA, scenario="broker/kill", broker="3.4")


def elected(results: Path, *took: tuple[Cell, int, int | None]) -> str:
    """Store a trial for each cell: new leader and announcement so many ms after one another; None = never named."""
    with create(results) as store:
        for number, (cell, moved_ms, shown_ms) in enumerate(took, 1):
            at = 1_000_000
            told = [EngineEvent(at=at, kind=EngineKind.FAULT_ON, broker=1, topic="t")]
            told.append(EngineEvent(at=at + moved_ms * 1000, kind=EngineKind.MOVED, broker=2, topic="t"))
            if shown_ms is not None:
                named = at + (moved_ms + shown_ms) * 1000
                told.append(EngineEvent(at=named, kind=EngineKind.ANNOUNCED, broker=2, topic="t"))
                told.append(EngineEvent(at=named + 5_000_000, kind=EngineKind.MOVED, broker=1, topic="t"))
            store.add(replace(history(cell, number), events=tuple(told)), verdict(Outcome.REFRESHES))
    return store.run_id


def test_the_median_of_each_scenario_and_line(tmp_path: Path) -> None:
    other = replace(REAL, scenario="disk/storage-error")
    run = elected(tmp_path, (REAL, 6000, 100), (REAL, 7000, 500), (REAL, 9000, 300), (REAL, 1, None), (other, 120, 0))
    assert elections(str(tmp_path), run) == {
        ("3.4", "broker/kill"): Election(7000, 300),
        ("3.4", "disk/storage-error"): Election(120),
    }


def test_the_fakes_own_elections_are_not_among_them(tmp_path: Path) -> None:
    assert elections(str(tmp_path), elected(tmp_path, (CELL, 150, 3))) == {}


def test_it_is_printed_as_the_option_takes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_elections(str(tmp_path), elected(tmp_path, (REAL, 6772, 412)))
    assert "broker/kill 3.4: like this on the embedded engine with --election 6772,412" in capsys.readouterr().out
    found = CliRunner().invoke(app, ["plan", "--client", "sarama@1.43.3", "--election", "6772,412", "--json"])
    assert "election=6772,412" in found.output


@pytest.mark.parametrize("text", ["soon", "1,2,3", "-5", "60001", "250,", ""])
def test_what_is_no_election_is_named(text: str) -> None:
    with pytest.raises(ProbeError, match="write the milliseconds") as raised:
        parse_election(text)
    assert str(raised.value).startswith(f"--election {text}: ")
