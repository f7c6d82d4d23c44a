"""A release of which less was measured than of those around it reads as no better than these."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.catalogue.baseline import baseline
from probe.cells.audit import Fault, Finding, examine
from probe.cells.suspicions import guesses, suspicions, unmeasured
from probe.cli.app import app
from probe.cli.wiring.catalogue import families
from probe.evidence.checkout_build import built
from probe.files.shipped_evidence import TEXT
from probe.model import Cell, Outcome, Role
from probe.model.profile import OWN_DEFAULTS
from tests.support.synthetic_rows import CELL, settled_cell

SARAMA = "sarama@1.44.0"
SHORT = {
    SARAMA: "perhaps not as producer (suspected, as in 1.43.3: loses in broker/shutdown, broker/rolling"
    " unless it writes with acks=all; not measured of it)",
    "librdkafka@2.10.1": "perhaps not as transactional (suspected, as in 2.3.0: stops in broker/hang, net/blackhole, "
    "net/idle-dropped; not measured of it)",
}


def short_of(*arguments: str) -> str:
    done = CliRunner().invoke(app, [*arguments, "--evidence", str(built(TEXT))])
    assert done.exit_code == 0, "no exit code 1 rests on what is suspected"
    return next(line for line in done.stdout.splitlines() if "in short: " in line).partition("in short: ")[2]


@pytest.mark.parametrize("client", SHORT)
def test_what_releases_around_one_lose_or_stop_in_is_suspected_of_it(client: str) -> None:
    assert SHORT[client] in short_of("lookup", client)


def test_an_audit_says_the_same(tmp_path: Path) -> None:
    manifest = tmp_path / "go.mod"
    manifest.write_text("module m\n\ngo 1.22\n\nrequire github.com/IBM/sarama v1.44.0\n")
    assert short_of("audit", str(manifest)) == short_of("lookup", SARAMA)


def test_the_defaults_of_every_scored_scenario_are_asked_for_that_were_not_measured() -> None:
    family, scored = families()["sarama"], baseline().of(Role.PRODUCER)
    every = list(unmeasured(family, "1.44.0", [Role.PRODUCER], (), "3.9"))
    assert {cell.scenario for cell in every} == {one.scenario for one in scored if not one.acks_all}
    assert {cell.profile for cell in every} == {OWN_DEFAULTS}
    assert list(unmeasured(family, "1.44.0", [Role.PRODUCER], every[1:], "3.9")) == every[:1]
    both = list(unmeasured(family, "1.44.0", [Role.PRODUCER], every, "3.9", usual=True))
    assert OWN_DEFAULTS not in {cell.profile for cell in both}


def test_what_its_own_trials_show_is_not_suspected() -> None:
    own = replace(CELL, profile=OWN_DEFAULTS)
    shown = {
        own: Fault(own, Finding.SUSPECTED, settled_cell(CELL, Outcome.STUCK), stand_in="by 1.43.2"),
        replace(own, scenario="broker/hang"): Fault(own, Finding.SUSPECTED_FINE, settled_cell(CELL, Outcome.REFRESHES)),
    }

    def found(*faults: Fault) -> tuple[list[Cell], list[Cell]]:
        of_each = (guesses(shown, shown.get, faults), suspicions(shown, shown.get, faults))
        told, grave = ([one.cell for one in each] for each in of_each)
        return told, grave

    stuck, fine = (settled_cell(CELL, one) for one in (Outcome.STUCK, Outcome.REFRESHES))
    assert found(*examine([CELL], {CELL: fine})) == ([own, own], [own])
    assert found(*examine([CELL], {CELL: stuck})) == ([own], [])
