"""The commands that measure `probe check`: known results as builds, simulated checks, changes of a library's source."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benchmarks import false_alarms, regressions
from benchmarks.history import Case, cases
from benchmarks.history_table import Row, Table, report
from benchmarks.known_pairs import pairs
from probe.cells.aggregate import SettledCell
from probe.cells.comparison import Answer
from probe.model import Cell, Engine, Role
from tests.support.synthetic_rows import verdict

CELL = Cell("sarama", "1.61.1", Role.PRODUCER, "isolated", "disk/storage-error", Engine.EMBEDDED, "3.9")


def row(name: str, wanted: Answer, answer: str) -> Row:
    return Row(name, wanted, "sarama@1", "2", "producer steady", answer, "rides:4", "stuck:4", "4", "")


def test_each_known_pair_is_a_case_in_both_directions() -> None:
    known, _ = pairs()
    rows = cases(known, ["sarama-1.43.2-storage-error"], ["sarama"])
    builds = [(str(one.build.client), one.release.version, one.wanted) for one in rows]
    assert builds == [("sarama@1.43.2", "1.43.3", Answer.WORSE), ("sarama@1.43.3", "1.43.2", Answer.BETTER)]


def test_answers_are_kept_and_counted_by_direction(tmp_path: Path) -> None:
    table = Table(tmp_path)
    for one in (row("a", Answer.WORSE, "worse"), row("a", Answer.BETTER, "worse"), row("b", Answer.WORSE, "undecided")):
        table.add(one)
    again = Table(tmp_path)
    assert again.rows == table.rows
    assert again.has("a", Answer.BETTER)
    assert not again.has("b", Answer.BETTER)
    said = list(report(again.rows, ["c"], {"sarama": 5, "java": 1}))
    assert said[3:5] == ["worse: 1 right, 0 wrong, 1 missed of 2", "better: 0 right, 1 wrong, 0 missed of 1"]
    assert said[7:] == [
        "| java | 1 | 0 | 0 | 0 | 1 |",
        "| sarama | 5 | 1 | 1 | 1 | 2 |",
        "| all | 6 | 1 | 1 | 1 | 3 |",
        "3 cases are not played yet; the same harm on both sides by the evidence: 1 pairs",
    ]


def test_a_simulated_build_that_always_stops_is_worse_and_one_like_its_release_is_not() -> None:
    good = verdict()
    rules = false_alarms.Rules(screen=4, trials=40, chance=frozenset())
    stops = false_alarms.Pool(CELL, [good], [false_alarms.STUCK])
    assert false_alarms.said_worse(Random(1), [stops], rules)[0] == [CELL]
    alike = false_alarms.Pool.of(SettledCell(cell=CELL, run_id="r", trial=0, verdicts=(good, good)))
    assert false_alarms.said_worse(Random(1), [alike], rules) == ([], 0)


def test_a_text_that_the_source_has_not_got_is_named(tmp_path: Path) -> None:
    change = regressions.Change("sarama", "x", (regressions.Edit("a.go", "old", "new"),))
    (tmp_path / "a.go").write_text("package a\n")
    with pytest.raises(LookupError, match=r"a\.go of sarama has no 'old' any more"):
        regressions.apply(change, tmp_path)


def test_a_case_names_what_a_check_must_say() -> None:
    (pair, *_), _ = pairs()
    assert [Case(pair, is_worse).wanted for is_worse in (True, False)] == [Answer.WORSE, Answer.BETTER]
