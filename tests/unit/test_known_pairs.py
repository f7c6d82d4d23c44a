"""The pairs of known results that `benchmarks/comparisons.py` and `benchmarks/history.py` play."""

from __future__ import annotations

import pytest

from benchmarks.comparisons import known_pairs
from benchmarks.history import cases, is_long
from benchmarks.known_pairs import known_versions, pairs, towards_of
from probe.cells.aggregate import SettledCell
from probe.cells.comparison import Answer
from probe.model import Cell, Engine, Outcome, Role
from tests.support.synthetic_rows import verdict

CELL = Cell("sarama", "1.61.1", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")


@pytest.fixture
def _shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PROBE_EVIDENCE")


def test_the_worse_release_is_the_one_that_does_more_harm() -> None:
    good, bad = (
        SettledCell(cell=CELL, run_id="r", trial=0, verdicts=(verdict(one),))
        for one in (Outcome.REFRESHES, Outcome.STUCK)
    )
    assert [towards_of(good, bad), towards_of(bad, good), towards_of(good, good)] == [
        Answer.WORSE,
        Answer.BETTER,
        Answer.SAME,
    ]


@pytest.mark.usefixtures("_shipped")
def test_every_known_result_differs_in_harm_or_is_named_as_alike() -> None:
    found, alike = pairs()
    assert sorted([one.name for one in found] + alike) == sorted(name for *_, name in known_versions())


def test_without_evidence_the_entry_is_the_worse_release_unless_its_scenario_requires_nothing() -> None:
    found, alike = pairs()
    assert {one.name: one.worse.version for one in found}["sarama-1.43.2-storage-error"] == "1.43.2"
    assert "sarama-1.40.1-grown-while-assigning" in alike


@pytest.mark.usefixtures("_shipped")
def test_a_draw_has_pairs_whose_harm_differs_by_what_ships_and_more_begin_alike() -> None:
    few, many = known_pairs(10, 54), known_pairs(30, 54)
    assert many[:10] == few
    assert len(many) == 30
    assert {one.name for one in many}.isdisjoint(pairs()[1])
    assert all(one.is_stored and not one.is_race for one in many)


def test_without_evidence_there_is_no_draw() -> None:
    assert known_pairs(30, 54) == []


def test_cases_take_a_pair_of_each_library_in_turn_and_long_ones_last() -> None:
    found, _ = pairs()
    rows = cases(found, [], [])
    short = [one.pair.worse.family for one in rows if one.is_worse and not is_long(one.pair)]
    assert len(set(short[:9])) >= 8  # a library may have begun with a long one
    assert [is_long(one.pair) for one in rows] == sorted(is_long(one.pair) for one in rows)
    assert sorted(one.pair.name for one in rows if one.is_worse) == sorted(one.name for one in found)
    assert [one.pair for one in rows[::2]] == [one.pair for one in rows[1::2]]
    assert rows == cases(found[::-1], [], [])
