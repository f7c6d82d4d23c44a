"""Order of cells in a run with a time budget."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.cli.wiring.run_selection import RunSelection
from probe.model import Cell, Outcome, Role
from probe.planning.plan import Planned
from probe.planning.priority import PriorRun, by_information

TWO = ("sarama@1.43.2", "sarama@1.43.3")
R1, R2, R3 = "20260101T000000Z-aaaa", "20260102T000000Z-aaaa", "20260103T000000Z-aaaa"


@pytest.fixture(scope="module")
def cells() -> tuple[Planned, ...]:
    plan, _ = RunSelection(
        clients=TWO, scenarios=["disk/storage-error", "leader/elected"], roles=[Role.PRODUCER], seed=1
    ).whole()
    assert len(plan.cells) == 6
    return plan.cells


def seen(run_id: str, cells: list[Cell], outcome: Outcome = Outcome.REFRESHES) -> list[PriorRun]:
    return [PriorRun(run_id, cell, outcome) for cell in cells]


def asked(cells: tuple[Planned, ...]) -> list[Cell]:
    return [item.cell for item in cells if item.cell != item.steady]


def test_every_cell_is_kept_and_comes_after_its_control_cell(cells: tuple[Planned, ...]) -> None:
    ordered = by_information(cells, ())
    assert sorted(map(repr, ordered)) == sorted(map(repr, cells))
    places = {item.cell: place for place, item in enumerate(ordered)}
    for item in ordered:
        assert places[item.steady] <= places[item.cell]
    assert ordered[0].cell == ordered[1].steady


def test_cells_without_results_come_first(cells: tuple[Planned, ...]) -> None:
    *known, new = asked(cells)
    assert asked(by_information(cells, seen(R1, known)))[0] == new


def test_cells_with_the_oldest_results_come_first(cells: tuple[Planned, ...]) -> None:
    a, b, c, d = asked(cells)
    ordered = asked(by_information(cells, [*seen(R3, [a]), *seen(R1, [b]), *seen(R2, [c, d]), *seen(R1, [a])]))
    assert ordered[0] == b
    assert ordered[-1] == a


def test_a_changed_outcome_raises_related_cells_once(cells: tuple[Planned, ...]) -> None:
    changed = asked(cells)[0]
    (neither,) = (one for one in asked(cells) if one.client != changed.client and one.scenario != changed.scenario)
    related = [one for one in asked(cells) if one not in {changed, neither}]
    rows = [
        *seen(R1, [changed, neither]),
        *seen(R2, related),
        *seen(R3, [changed], Outcome.STUCK),
    ]
    ordered = asked(by_information(cells, rows))
    assert set(ordered[:2]) == set(related), "their results are newer than that of `neither`, but older than the change"
    assert ordered[2:] == [neither, changed]
    after = asked(by_information(cells, [*rows, *seen("20260104T000000Z-aaaa", related)]))
    assert after[0] == neither


def test_a_cell_without_a_verdict_does_not_block_the_queue(cells: tuple[Planned, ...]) -> None:
    broken, *others = asked(cells)
    rows = [*seen(R1, others), *seen(R2, [broken], Outcome.NOT_RUN)]
    assert asked(by_information(cells, rows))[-1] == broken
    flapping = [*rows, *seen(R3, [broken], Outcome.BROKEN)]
    assert asked(by_information(cells, flapping))[-1] == broken


def test_repeated_short_runs_reach_every_cell(cells: tuple[Planned, ...]) -> None:
    rows: list[PriorRun] = []
    met: list[Cell] = []
    for number in range(4):
        first = asked(by_information(cells, rows))[0]
        met.append(first)
        rows += seen(f"2026010{number + 1}T000000Z-aaaa", [first])
    assert len(set(met)) == 4


def test_results_of_other_selections_are_ignored(cells: tuple[Planned, ...]) -> None:
    other = replace(cells[0].cell, family="nobody", version="1")
    assert len(by_information(cells, seen(R1, [other]))) == len(cells)
