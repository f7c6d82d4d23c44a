"""The release to go to: one for all that it mends, without what stops there, by what services suffer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from probe.cells.aggregate import SettledCell
from probe.cells.audit import examine
from probe.cells.role_levels import as_suffered
from probe.cells.targets import Target, targets
from probe.cells.upgrades import next_harmless
from probe.model import Cell, Outcome, Role, Workload
from probe.model.profile import OWN_DEFAULTS
from tests.support.synthetic_rows import CELL, settled_cell

DISK = replace(CELL, version="1.0")
QUOTA = replace(DISK, scenario="quota/throttled")
HANG = replace(DISK, scenario="broker/hang", role=Role.CONSUMER)
KEYED = replace(DISK, workload=Workload.KEYED)
BESIDE = replace(DISK, scenario="topic/replaced")


def at(version: str, cell: Cell, outcome: Outcome) -> SettledCell:
    return settled_cell(replace(cell, version=version), outcome)


def bad(*cells: Cell) -> list[SettledCell]:
    return [settled_cell(cell, Outcome.STUCK) for cell in cells]


def known(versions: Mapping[str, Mapping[Cell, Outcome]]) -> list[SettledCell]:
    return [at(version, cell, outcome) for version, cells in versions.items() for cell, outcome in cells.items()]


GOOD, STUCK = Outcome.REFRESHES, Outcome.STUCK


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        ({"1.1": {QUOTA: GOOD, DISK: STUCK}, "1.2": {QUOTA: GOOD, DISK: GOOD}}, {DISK: "1.2", QUOTA: "1.2"}),
        ({"1.1": {QUOTA: GOOD, DISK: GOOD}, "1.2": {QUOTA: GOOD, DISK: GOOD}}, {DISK: "1.1", QUOTA: "1.1"}),
        ({"1.1": {QUOTA: GOOD}, "1.2": {DISK: GOOD}}, {DISK: "1.2", QUOTA: "1.1"}),
        ({"1.1": {QUOTA: STUCK}}, {}),
    ],
)
def test_one_release_mends_as_much_as_it_can(
    versions: Mapping[str, Mapping[Cell, Outcome]], found: Mapping[Cell, str]
) -> None:
    stored = known(versions)
    assert {cell: one.version for cell, one in targets(bad(DISK, QUOTA), [], stored).items()} == found


def test_a_release_that_stops_what_goes_on_today_comes_after_one_that_does_not() -> None:
    good = [settled_cell(HANG, GOOD)]
    stored = known({"1.1": {DISK: GOOD, HANG: STUCK}, "1.2": {DISK: GOOD, HANG: GOOD}})
    assert targets(bad(DISK), good, stored) == {DISK: Target("1.2")}
    assert targets(bad(DISK), good, stored[:2]) == {DISK: Target("1.1", (HANG,))}


def test_scored_cells_decide_before_others() -> None:
    stored = known({"1.1": {DISK: GOOD}, "1.2": {DISK: GOOD, KEYED: GOOD, BESIDE: GOOD}})
    found = targets(bad(DISK, KEYED, BESIDE), [], stored)
    assert {cell: one.version for cell, one in found.items()} == {DISK: "1.1", KEYED: "1.2", BESIDE: "1.2"}


def test_a_release_whose_defaults_stop_mends_nothing() -> None:
    """kafka-go 0.4.51 goes on in broker/hang without refreshes in 1 trial, and stops with its defaults in 9 of 20."""
    stored = known({"1.1": {DISK: GOOD, replace(DISK, profile=OWN_DEFAULTS): STUCK}})
    assert targets(bad(DISK), [], stored) == {}
    assert next_harmless(bad(DISK), stored) == {}


@pytest.mark.parametrize(
    ("scenario", "profile", "mends"),
    [
        ("net/idle-dropped", "short-limits", False),
        ("net/idle-dropped", "isolated", False),
        ("topic/grown-while-assigning", "refresh-1s", False),
        ("broker/hang", "short-limits", True),
        ("net/idle-dropped", "short-limits+a=1", True),
        ("blip/offset-commit/STALE_MEMBER_EPOCH", "consumer-protocol", True),
    ],
)
def test_defaults_count_in_place_of_the_usual_profile_and_of_no_other(scenario: str, profile: str, mends: bool) -> None:
    """The release goes on in a profile, and stops with its defaults: what findings say, remedies rest on."""
    asked = replace(DISK, scenario=scenario, profile=profile, broker="4.2", role=Role.GROUP)
    own = replace(asked, profile=OWN_DEFAULTS)
    stored = known({"1.0": {asked: GOOD, own: STUCK}, "1.1": {asked: GOOD, own: STUCK}})
    assert bool(targets(bad(asked), [], stored)) is mends
    assert bool(next_harmless(bad(asked), stored)) is mends
    (fault,) = as_suffered(examine([asked], settled := {one.cell: one for one in stored}), settled)
    assert (fault.cell == asked) is mends


def test_a_release_whose_defaults_go_on_stops_nothing() -> None:
    stored = known({"1.1": {DISK: GOOD, HANG: STUCK, replace(HANG, profile=OWN_DEFAULTS): GOOD}})
    assert targets(bad(DISK), [settled_cell(HANG, GOOD)], stored) == {DISK: Target("1.1")}


def test_chance_does_not_choose_the_release() -> None:
    some = replace(
        settled_cell(QUOTA, STUCK), verdicts=(*settled_cell(QUOTA, STUCK).verdicts, *at("1.0", QUOTA, GOOD).verdicts)
    )
    stored = known({"1.1": {DISK: GOOD}, "1.2": {DISK: GOOD, QUOTA: GOOD}})
    assert {one.version for one in targets([*bad(DISK), some], [], stored).values()} == {"1.1", "1.2"}


def test_what_only_shows_errors_needs_no_other_release() -> None:
    assert targets([settled_cell(DISK, Outcome.SURFACES)], [], known({"1.1": {DISK: GOOD}})) == {}
