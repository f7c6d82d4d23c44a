"""Cells that a later change may judge otherwise say so, and no longer prove that a client passes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.citations import evidence_of
from probe.cells.doubts import DOUBTS
from probe.model import Cell, Engine, Facts, Outcome, Role, Verdict
from probe.verdict.table import RULES_VERSION

REBOOTSTRAP = Cell(
    "librdkafka", "2.11.1", Role.GROUP, "isolated", "metadata/rebootstrap-required", Engine.EMBEDDED, "4.4"
)
NEW_GROUPS = replace(REBOOTSTRAP, family="java", profile="consumer-protocol", scenario="steady", broker="3.9")
DEFAULTS = Cell("kafka-go", "0.4.51", Role.PRODUCER, "defaults", "steady", Engine.EMBEDDED, "3.9")
HEARTBEAT = replace(REBOOTSTRAP, scenario="blip/heartbeat/UNKNOWN_SERVER_ERROR")
CALLS = Cell("java", "2.1.1", Role.TRANSACTIONAL, "isolated+max.block.ms=3000", "broker/hang", Engine.EMBEDDED, "3.9")


def settled(cell: Cell, rules: int) -> SettledCell:
    verdict = Verdict(outcome=Outcome.RIDES, reason="", conforms=True, facts=Facts(), rules=rules)
    return SettledCell(cell=cell, run_id="r", trial=0, verdicts=(verdict,))


@pytest.mark.parametrize("cell", [REBOOTSTRAP, HEARTBEAT, NEW_GROUPS, DEFAULTS, CALLS])
def test_a_cell_of_older_rules_proves_no_longer_that_a_client_passes(cell: Cell) -> None:
    old, new = settled(cell, 20), settled(cell, 21)
    assert (old.passes, new.passes) == (False, True)
    assert list(evidence_of(cell, old))[-1].startswith("rules 21 may judge it otherwise: ")
    assert not any("otherwise" in text for text in evidence_of(cell, new))


@pytest.mark.parametrize(
    "cell",
    [
        replace(NEW_GROUPS, broker="4.4"),
        replace(NEW_GROUPS, engine=Engine.KAFKA),
        replace(DEFAULTS, profile="isolated"),
        replace(HEARTBEAT, role=Role.ADMIN),
        replace(CALLS, profile="isolated"),
    ],
)
def test_other_cells_are_in_no_doubt(cell: Cell) -> None:
    assert settled(cell, 20).passes


def test_no_doubt_is_about_rules_to_come() -> None:
    assert all(one.rules <= RULES_VERSION for one in DOUBTS)
