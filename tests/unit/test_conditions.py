"""Numbers of the conditions: which trials are comparable, and which of them give a cell its result."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace

import pytest

from probe.cells.aggregate import settle
from probe.model import Cell, Engine, Outcome, Role, Verdict, Workload, conditions
from probe.model.conditions import CHANGES, FIRST, ConditionsChange, comparable, is_current, rank, span
from tests.support.synthetic_rows import CELL, verdict

NEW_LINES = replace(CELL, broker="4.0")
READER = replace(CELL, role=Role.CONSUMER)
REAL = replace(CELL, engine=Engine.KAFKA)
TABLE = (
    ConditionsChange(number=2, engine=Engine.EMBEDDED, text="all new", since="4.0"),
    ConditionsChange(number=2, engine=Engine.KAFKA, text="all new"),
    ConditionsChange(number=3, engine=Engine.EMBEDDED, text="readers", roles=frozenset({Role.CONSUMER, Role.GROUP})),
    ConditionsChange(number=4, engine=Engine.EMBEDDED, text="old lines", until="0.11"),
    ConditionsChange(number=5, engine=Engine.KAFKA, text="another workload", workloads=frozenset({Workload.KEYED})),
)


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, TABLE)


def use(monkeypatch: pytest.MonkeyPatch, changes: tuple[ConditionsChange, ...]) -> None:
    """Replace the table, and make its newest numbers those of today."""
    monkeypatch.setattr(conditions, "CHANGES", changes)
    monkeypatch.setattr(conditions, "CURRENT", {engine: conditions.newest(changes, engine) for engine in Engine})


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize(
    ("cell", "groups"),
    [
        (CELL, [{1, 2, 3, 4}]),
        (NEW_LINES, [{1}, {2, 3, 4}]),
        (replace(NEW_LINES, role=Role.GROUP), [{1}, {2}, {3, 4}]),
        (READER, [{1, 2}, {3, 4}]),
        (replace(READER, broker="0.10.2"), [{1, 2}, {3}, {4}]),
        (replace(CELL, broker="0.11"), [{1, 2, 3}, {4}]),
        (REAL, [{1}, {2, 3, 4, 5}]),
        (replace(REAL, workload=Workload.KEYED), [{1}, {2, 3, 4}, {5}]),
    ],
)
def test_trials_are_comparable_if_no_change_between_them_concerns_their_cell(
    cell: Cell, groups: list[set[int]]
) -> None:
    for one, other in itertools.product(set().union(*groups), repeat=2):
        together = any({one, other} <= group for group in groups)
        assert comparable(cell, one, cell, other) is together, (one, other)
        assert (span(cell, one) == span(cell, other)) is together


@pytest.mark.usefixtures("table")
def test_cells_of_two_lines_are_compared_as_if_run_under_one_number() -> None:
    assert comparable(CELL, 1, NEW_LINES, 2)  # number 2 does not concern the first
    assert comparable(CELL, 1, NEW_LINES, 1)
    assert comparable(READER, 3, NEW_LINES, 2)
    assert not comparable(READER, 3, NEW_LINES, 1)


@pytest.mark.usefixtures("table")
def test_cells_of_both_engines_are_compared_as_if_run_under_one_number() -> None:
    twin = replace(NEW_LINES, engine=Engine.KAFKA)
    found = {(one, other) for one in (1, 2) for other in (1, 2) if comparable(NEW_LINES, one, twin, other)}
    assert found == {(1, 1), (2, 2)}
    assert comparable(NEW_LINES, 4, twin, 2)


@pytest.mark.usefixtures("table")
def test_today_is_the_newest_number_of_the_table() -> None:
    assert dict(conditions.CURRENT) == {Engine.EMBEDDED: 4, Engine.KAFKA: 5}
    assert is_current(CELL, FIRST)
    assert not is_current(READER, 2)
    assert is_current(READER, 3)


def test_a_number_of_a_newer_program_counts_as_the_newest_known() -> None:
    assert is_current(CELL, 99) is is_current(CELL, max(change.number for change in CHANGES))


class Trial:
    """A stored trial."""

    shortened = False

    def __init__(self, number: int, outcome: Outcome, run_id: str = "r1", trial: int = 0, cell: Cell = READER) -> None:
        self.conditions, self.run_id, self.trial, self.cell = number, run_id, trial, cell
        self.verdict: Verdict = verdict(outcome)


def result(rows: Iterable[Trial]) -> tuple[Outcome, str, int, int]:
    (found,) = settle(rows).values()
    return found.outcome, found.run_id, len(found.verdicts), found.conditions


@pytest.mark.usefixtures("table")
def test_one_trial_under_newer_conditions_outweighs_five_under_older_ones() -> None:
    older = [Trial(2, Outcome.REFRESHES, "r1", number) for number in range(5)]
    assert result([*older, Trial(3, Outcome.STUCK, "r1", 9)]) == (Outcome.STUCK, "r1", 1, 3)


@pytest.mark.usefixtures("table")
def test_comparable_trials_of_a_run_count_together() -> None:
    rows = [
        Trial(1, Outcome.REFRESHES, "r1", 0),
        Trial(2, Outcome.REFRESHES, "r1", 1),
        Trial(2, Outcome.STUCK, "r1", 2),
    ]
    assert result(rows) == (Outcome.FLAKY, "r1", 3, 2)


@pytest.mark.usefixtures("table")
def test_newer_conditions_come_before_a_later_run() -> None:
    rows = [Trial(3, Outcome.STUCK, "r1"), Trial(1, Outcome.REFRESHES, "r2")]
    assert result(rows) == result(rows[::-1]) == (Outcome.STUCK, "r1", 1, 3)
    rows = [Trial(4, Outcome.STUCK, "r1"), Trial(3, Outcome.REFRESHES, "r2")]
    assert result(rows) == (Outcome.REFRESHES, "r2", 1, 3)


@pytest.mark.usefixtures("table")
@pytest.mark.parametrize("outcome", [Outcome.BROKEN, Outcome.WAITING, Outcome.NOT_RUN])
def test_a_trial_that_settles_nothing_does_not_hide_an_older_result(outcome: Outcome) -> None:
    assert result([Trial(1, Outcome.STUCK, "r1"), Trial(3, outcome, "r2")]) == (Outcome.STUCK, "r1", 1, 1)


@pytest.mark.usefixtures("table")
def test_the_rank_of_comparable_trials_of_a_run_is_equal() -> None:
    assert rank(READER, Outcome.STUCK, 1, "r1") == rank(READER, Outcome.CLEAN, 2, "r1")
    assert rank(READER, Outcome.STUCK, 2, "r1") < rank(READER, Outcome.CLEAN, 3, "r0")


def test_numbers_are_given_once_and_start_at_two() -> None:
    numbers = {change.number for change in CHANGES}
    assert numbers == set(range(2, 2 + len(numbers)))
    assert [change.number for change in CHANGES] == sorted(change.number for change in CHANGES)
    assert all(conditions.current(engine) in {FIRST, *numbers} for engine in Engine)
