"""The own limits in client.toml: what ended standstills in the shipped trials of `defaults` is one of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from probe.catalogue.families import Family, read_families
from probe.cells.aggregate import SettledCell
from probe.cli.wiring.evidence import open_evidence
from probe.evidence.cell_choice import Wanted
from probe.model import Cell
from probe.model.profile import OWN_DEFAULTS
from tests.support.own_limits import limits_of, unlisted

ANY_AGE = 36_500
FAMILIES = read_families(Path(__file__).resolve().parents[2] / "clients")


@pytest.fixture(scope="module")
def shipped() -> Mapping[Cell, SettledCell]:
    with open_evidence(["shipped"], "", ANY_AGE) as evidence:
        return evidence.find(Wanted(profile=[OWN_DEFAULTS]), facts=True)


@pytest.mark.parametrize("family", [one for one in FAMILIES.values() if OWN_DEFAULTS in one.profiles])
def test_a_family_with_defaults_has_limits_in_every_role(family: Family) -> None:
    without = [
        f"{version.version} {role}"
        for role, span in family.roles.items()
        for version in family.versions
        if span.covers(version.version) and not [*limits_of(family, version.version, role)]
    ]
    assert without == []


def test_what_was_awaited_and_what_ended_a_standstill_is_a_limit_of_client_toml(
    shipped: Mapping[Cell, SettledCell],
) -> None:
    assert shipped
    found = {
        f"{cell.client} {cell.role}: {limit} {ms}"
        for cell, item in shipped.items()
        for verdict in item.verdicts
        for limit, ms in unlisted(
            FAMILIES[cell.family],
            cell.version,
            cell.role,
            [(verdict.facts.own_limit, verdict.facts.own_limit_ms or 0)],
        )
    }
    assert found == set()
