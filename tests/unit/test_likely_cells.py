"""Scenarios that a release was not measured in, on the pages of the site: the same answers as those of a look-up."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import pytest

from probe.cells.lookup_cells import examined
from probe.cli.answers.likely_cells import MOST, likely_cells
from probe.cli.wiring.asked_sides import asked_sides
from probe.cli.wiring.between import with_guesses
from probe.cli.wiring.evidence import Evidence, open_evidence
from probe.cli.wiring.family_cells import FamilyCells
from probe.evidence.cell_choice import Wanted
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model.harm import Harm

FAMILY, LINE = "kafkajs", "3.9"


@pytest.fixture(scope="module")
def found() -> Iterator[Evidence]:
    with open_evidence([str(built(TEXT))], "no-results", 36500) as evidence:
        yield evidence


@pytest.fixture(scope="module")
def held(found: Evidence) -> FamilyCells:
    wanted = Wanted(family=[FAMILY])
    return FamilyCells(FAMILY, found.find(wanted), found.handshakes(wanted), found.races_of({FAMILY}))


def test_a_family_in_memory_answers_as_evidence_does(found: Evidence, held: FamilyCells) -> None:
    wanted = Wanted(family=[FAMILY], version=["2.2.0", "2.2.4"], role=["producer"], engine=["embedded"], broker=[LINE])
    assert held.counts(FAMILY, "embedded", LINE) == found.counts(FAMILY, "embedded", LINE)
    assert held.counts("sarama", "embedded", LINE) == {}
    assert held.questions(wanted, "2.2.3") == found.questions(wanted, "2.2.3")
    assert held.find(wanted) == found.find(wanted)
    assert held.handshakes(wanted) == found.handshakes(wanted)


def test_a_page_has_what_a_look_up_says_of_unmeasured_scenarios(found: Evidence, held: FamilyCells) -> None:
    stored = found.find(Wanted(family=[FAMILY], version=["2.2.3"]))
    own = {cell: one for cell, one in stored.items() if cell.engine == "embedded"}
    (side, *_) = asked_sides(f"{FAMILY}@2.2.3", "lookup")
    wanted = Wanted(family=[FAMILY], version=["2.2.3"], engine=["embedded"], broker=[LINE])
    ask = partial(examined, known=own, asked=side.chosen, line=LINE)
    said = {item.cell.scenario: item for item in with_guesses(found, side, own, wanted, ask) if item.stand_in}
    page = likely_cells(f"{FAMILY}@2.2.3", stored, held, LINE)
    assert page is not None
    assert 0 < len(page.rows) <= MOST
    assert {row.scenario for row in page.rows} <= said.keys()
    assert all(row.harm >= Harm.STALLS for row in page.rows)
    assert all(row.word.startswith(("likely ", "suspected ")) for row in page.rows)
    assert any("between 2.2.0" in row.by and "2.2.4" in row.by for row in page.rows)
    scored = [row.scored for row in page.rows if row.harm >= Harm.STOPS]
    assert scored == sorted(scored, reverse=True)


def test_a_release_that_was_measured_throughout_has_no_such_table(found: Evidence, held: FamilyCells) -> None:
    every = found.find(Wanted(family=[FAMILY], version=["2.2.4"]))
    page = likely_cells(f"{FAMILY}@2.2.4", every, held, LINE)
    assert page is None or all("2.2.4" not in row.by for row in page.rows)
