"""Which evidence answers: newer conditions, newer rules, own; what disagrees; lines on both sides; age."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding, examine
from probe.cells.citations import cited
from probe.cells.evidence_choice import choose, disagreements
from probe.cells.lines import from_neighbours, lacking
from probe.cells.origin import Origin
from probe.model import Cell, Engine, Outcome
from probe.model.conditions import current
from tests.support.synthetic_rows import CELL, verdict

GOOD, BAD = Outcome.REFRESHES, Outcome.STUCK
NOW = current(Engine.EMBEDDED)


def said(
    outcome: Outcome, evidence: str = "own", *, cell: Cell = CELL, rules: int = 15, number: int = NOW, days: int = 3
) -> SettledCell:
    origin = Origin(evidence=evidence, measured="2026-11-01", days=days, is_old=days > 180)
    run_id = f"run-of-{evidence}"
    return SettledCell(
        cell=cell, run_id=run_id, trial=0, verdicts=(verdict(outcome, rules=rules),), conditions=number, origin=origin
    )


def chosen(own: SettledCell, shipped: SettledCell) -> SettledCell:
    return choose([{CELL: own}, {CELL: shipped}])[CELL]


@pytest.mark.parametrize(
    ("own", "shipped", "wins"),
    [
        (said(GOOD, number=1), said(GOOD, "shipped", number=2), "shipped"),
        (said(GOOD, number=2, rules=14), said(GOOD, "shipped", number=1, rules=15), "own"),
        (said(GOOD, rules=14), said(GOOD, "shipped", rules=15), "shipped"),
        (said(GOOD), said(GOOD, "shipped"), "own"),
        (said(Outcome.BROKEN, rules=16), said(GOOD, "shipped"), "shipped"),
        (said(Outcome.WAITING), said(BAD, "shipped", number=1), "shipped"),
        (said(GOOD, number=1), said(BAD, "shipped", number=2), "shipped"),
        (said(BAD, number=1), said(GOOD, "shipped", number=2), "shipped"),
    ],
)
def test_newer_conditions_come_first_then_newer_rules_then_own(
    own: SettledCell, shipped: SettledCell, wins: str
) -> None:
    answer = chosen(own, shipped)
    assert answer.origin is not None
    assert (answer.origin.evidence, answer.beside) == (wins, ())


@pytest.mark.parametrize("worse", ["own", "shipped"])
def test_where_evidence_disagrees_the_worse_answers_and_the_other_is_shown(worse: str) -> None:
    own = said(BAD if worse == "own" else GOOD)
    shipped = said(BAD if worse == "shipped" else GOOD, "shipped", rules=14)
    answer = chosen(own, shipped)
    assert answer.outcome is BAD
    assert [item.outcome for item in answer.beside] == [GOOD]
    assert examine([CELL], {CELL: answer})[0].finding is Finding.FAILS
    assert disagreements([answer]) == [answer]
    text = cited(CELL, answer, "results")
    assert "own results of 2026-11-01 (3 days old)" in text
    assert "shipped evidence of 2026-11-01 (3 days old)" in text


def test_cells_of_either_evidence_are_answered() -> None:
    other = replace(CELL, version="9.9")
    found = choose([{CELL: said(GOOD)}, {other: said(BAD, "shipped", cell=other)}])
    assert {cell: item.outcome for cell, item in found.items()} == {CELL: GOOD, other: BAD}


def on(line: str, outcome: Outcome, **more: int) -> SettledCell:
    return said(outcome, "shipped", cell=replace(CELL, broker=line), **more)


@pytest.mark.parametrize(
    ("there", "finding", "says"),
    [
        ([on("2.6", BAD), on("3.9", BAD)], Finding.FAILS, "stuck on 2.6 and stuck on 3.9"),
        ([on("2.6", GOOD), on("3.9", GOOD)], Finding.PASSES, "refreshes on 2.6 and refreshes on 3.9"),
        ([on("2.6", GOOD), on("3.9", BAD)], Finding.SUSPECTED, "refreshes on 2.6 and stuck on 3.9"),
        ([on("2.6", BAD), on("3.9", GOOD)], Finding.SUSPECTED, "stuck on 2.6 and refreshes on 3.9"),
        ([on("3.9", BAD)], Finding.SUSPECTED, "stuck on 3.9"),
        ([on("3.9", GOOD)], Finding.UNKNOWN, "refreshes on 3.9"),
        (
            [on("1.1", BAD), on("2.6", GOOD), on("3.9", GOOD), on("4.1", BAD)],
            Finding.PASSES,
            "2.6 and refreshes on 3.9",
        ),
        ([on("2.6", BAD, number=1), on("3.9", GOOD, number=2)], Finding.UNKNOWN, "refreshes on 3.9"),
    ],
)
def test_a_line_without_evidence_is_answered_from_both_sides(
    there: list[SettledCell], finding: Finding, says: str
) -> None:
    asked = replace(CELL, broker="3.2")
    stored = {item.cell: item for item in there}
    assert lacking([asked], stored) == [asked]
    near = from_neighbours([asked], stored.values())
    (fault,) = examine([asked], near)
    assert fault.finding is finding
    assert fault.evidence is not None
    text = cited(asked, fault.evidence, "results").replace(" in 1 trial", "")
    assert f"never measured on line 3.2: {says}" in text or says in text
    assert "--broker 3.2" in text


def test_lines_are_compared_as_numbers() -> None:
    asked = replace(CELL, broker="3.10")
    near = from_neighbours([asked], [on("3.9", BAD), on("4.0", BAD), on("2.6", GOOD)])
    assert {item.cell.broker for item in (near[asked], *near[asked].beside)} == {"3.9", "4.0"}


@pytest.mark.parametrize(("outcome", "finding"), [(GOOD, Finding.UNKNOWN), (BAD, Finding.FAILS)])
def test_old_evidence_shows_that_a_client_fails_but_not_that_it_passes(outcome: Outcome, finding: Finding) -> None:
    old = said(outcome, "shipped", days=181)
    (fault,) = examine([CELL], {CELL: old})
    assert fault.finding is finding
    assert "older than --max-age" in cited(CELL, old, "results")
