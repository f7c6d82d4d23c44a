"""Each incident is a known result on real brokers, so that no change of the laboratory silences one unseen."""

from __future__ import annotations

from pathlib import Path

import pytest

from probe.catalogue.known_results import expected, read_known
from probe.catalogue.scenarios import default_scenarios
from probe.cli.commands.verify import KNOWN, chosen
from probe.cli.wiring.single_cells import plan_cell
from probe.model import Engine

PAGES = Path(__file__).parents[2]
PREFIX = "incident/"
INCIDENTS = sorted(name for name in default_scenarios() if name.startswith(PREFIX))
ENTRIES = {entry.id: entry for entry in read_known(KNOWN) if entry.scenario.startswith(PREFIX)}
COMMAND = "probe verify --engine kafka --contrast --only 'incident-*'"
"""The command that plays all of them."""


def test_there_are_incidents() -> None:
    assert len(INCIDENTS) >= 17


@pytest.mark.parametrize("name", INCIDENTS)
def test_each_incident_is_a_known_result_on_real_brokers(name: str) -> None:
    found = [entry for entry in ENTRIES.values() if entry.scenario == name and entry.engine is Engine.KAFKA]
    assert found, f"{name} has no entry in {KNOWN.name} (CONTRIBUTING.md, 'A known result')"
    assert all(plan_cell(expected(entry).cell) for entry in found)


def test_one_pattern_chooses_all_of_them() -> None:
    assert {entry.id for entry in chosen(read_known(KNOWN), ["incident-*"])} == set(ENTRIES)


@pytest.mark.parametrize("heading", ["## Other conditions", "## A release"])
def test_changes_of_the_conditions_and_releases_play_them(heading: str) -> None:
    text = (PAGES / "CONTRIBUTING.md").read_text()
    part = text[text.index(heading) :].partition("\n## ")[0]
    assert "incident-*" in part or "`probe verify --contrast`" in part


def test_the_page_of_the_incidents_names_the_command() -> None:
    assert COMMAND in " ".join((PAGES / "docs" / "incidents.md").read_text().split())
