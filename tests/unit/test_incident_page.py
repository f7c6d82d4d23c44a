"""The benchmark that plays the commands of docs/incidents.md, and the page that it reads."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import Any

import pytest

from benchmarks.incidents import PAGE, Command, absent, commands, differences, kept, table, written
from probe.cli.wiring.run_selection import RunSelection
from probe.model import Cell, Engine, Outcome, Reality, Role
from probe.model.conditions import current
from probe.planning.plan import Plan
from probe.store import TrialRow
from tests.support.synthetic_rows import verdict

COMMANDS = list(commands(PAGE.read_text()))
BLOCK = """## a. A disk

```
probe run --engine kafka --broker 2.6.2 \\
  --client sarama@1.43.2
```

Words.
"""
CELL = Cell("sarama", "1.43.2", Role.PRODUCER, "isolated", "incident/jbod", Engine.KAFKA, "2.6")


def planned(one: Command) -> Plan:
    """Return the plan of a command of the page."""
    verb, *pairs = one.arguments
    assert verb == "run"
    given = defaultdict[str, list[str]](list)
    for name, value in zip(pairs[::2], pairs[1::2], strict=True):
        given[name.removeprefix("--")].append(value)
    assert set(given) <= {"engine", "broker", "scenario", "role", "profile", "client"}
    asked = RunSelection(
        clients=given["client"],
        scenarios=given["scenario"],
        roles=[Role(name) for name in given["role"]],
        profiles=given["profile"],
        engine=Engine(*given["engine"]),
        brokers=given["broker"],
    )
    return asked.whole()[0]


@pytest.mark.parametrize("one", COMMANDS, ids=lambda one: one.name)
def test_each_line_of_a_table_is_a_cell_of_its_command(one: Command) -> None:
    cells = [item.cell for item in planned(one).cells if not item.is_control]
    assert cells
    assert [known for known in one.rows if not any(known.has(cell) for cell in cells)] == []
    assert [cell for cell in cells if sum(known.has(cell) for known in one.rows) > 1] == []
    assert all(known.outcomes and known.outcomes <= set(Outcome) for known in one.rows)


def test_most_commands_have_a_table() -> None:
    assert sum(bool(one.rows) for one in COMMANDS) > len(COMMANDS) // 2


def played(cell: Cell, outcome: Outcome, **facts: Any) -> TrialRow:
    """Return a trial of this cell with this outcome."""
    return TrialRow(
        run_id="r",
        cell=cell,
        trial=0,
        seed=1,
        verdict=verdict(outcome, **facts),
        conforming=(),
        reality=Reality.EFFECTIVE,
        released="",
        mirrors="",
        shortened=False,
        conditions=current(cell.engine),
        sweep="",
        part="p",
    )


def test_a_table_is_written_behind_its_command_and_read_again() -> None:
    rows = [
        played(CELL, Outcome.STUCK),
        played(replace(CELL, role=Role.CONSUMER), Outcome.STUCK),
        played(replace(CELL, profile="zstd"), Outcome.LATE),
        played(replace(CELL, profile="zstd"), Outcome.SURFACES),
    ]
    page = written(BLOCK, {"a1": rows})
    assert page == written(page, {"a1": rows})
    assert page.endswith("|\n\nWords.\n")
    (one,) = commands(page)
    assert one.arguments == ("run", "--engine", "kafka", "--broker", "2.6.2", "--client", "sarama@1.43.2")
    assert [(item.roles, item.profiles, sorted(item.outcomes)) for item in one.rows] == [
        (("producer", "consumer"), ("isolated",), ["stuck"]),
        (("producer",), ("zstd",), ["late", "surfaces"]),
    ]
    assert not list(differences(one, rows))


def test_what_differs_from_the_table_is_named() -> None:
    (one,) = commands(written(BLOCK, {"a1": [played(CELL, Outcome.STUCK)]}))
    (line,) = differences(one, [played(CELL, Outcome.LATE)])
    assert "late" in line
    assert "the page says stuck" in line
    other = [played(replace(CELL, broker="3.9"), Outcome.LATE)]
    assert list(differences(one, other)) == []
    assert absent(one, other) == 1


def test_the_least_and_the_greatest_figures_are_in_the_table() -> None:
    stuck = played(CELL, Outcome.STUCK, outage_ms=65_040, errors_surfaced=9, lost=0)
    *_, line = table([stuck, played(CELL, Outcome.STUCK, outage_ms=900, lost=2)]).splitlines()
    assert line.endswith("| `stuck` 2 | 0.9 to 65.0 s | 0 to 9 | 0 to 2 |")


def test_a_broken_trial_that_was_played_again_is_left_out() -> None:
    broken, again = played(CELL, Outcome.BROKEN), played(CELL, Outcome.STUCK)
    other = played(replace(CELL, profile="zstd"), Outcome.BROKEN)
    assert kept([broken, other, again]) == [other, again]
