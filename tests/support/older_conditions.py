"""Results under conditions of several numbers, for tests of what is compared."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from probe.cells.aggregate import SettledCell
from probe.cli.app import app
from probe.cli.wiring.settled_cells import write_settled
from probe.model import Cell, Engine, Outcome, Role, conditions
from probe.model.conditions import ConditionsChange
from probe.verdict import RULES_VERSION
from tests.support.synthetic_rows import CELL, create, history, verdict

OLDER = replace(CELL, version="1.43.2")
READERS = frozenset({Role.CONSUMER, Role.GROUP})
READER = replace(CELL, role=Role.CONSUMER)
TABLE = (
    *(ConditionsChange(number=2, engine=engine, text="all") for engine in Engine),
    ConditionsChange(number=3, engine=Engine.EMBEDDED, text="readers", roles=READERS),
)


@pytest.fixture(autouse=True)
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conditions, "CHANGES", TABLE)
    monkeypatch.setattr(conditions, "CURRENT", {engine: conditions.newest(TABLE, engine) for engine in Engine})


@pytest.fixture(autouse=True)
def in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Order runs of the same second by their start."""
    numbers = itertools.count()
    monkeypatch.setattr("probe.store.run_description.secrets.token_hex", lambda _: f"{next(numbers):04x}")


def store(results: Path, number: int, *rows: tuple[Cell, Outcome], **facts: Any) -> str:
    """Store a run under the conditions of a number."""
    with create(results) as run:
        for nth, (cell, outcome) in enumerate(rows):
            run.add(history(cell, nth, conditions=number), verdict(outcome, rules=RULES_VERSION, **facts))
    write_settled(str(results))
    return run.run_id


def settled(outcome: Outcome, number: int, cell: Cell = CELL) -> SettledCell:
    return SettledCell(cell=cell, run_id="r1", trial=0, verdicts=(verdict(outcome),), conditions=number)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


GOOD, BAD = Outcome.REFRESHES, Outcome.STUCK
