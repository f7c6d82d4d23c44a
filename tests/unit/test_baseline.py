"""The scenarios of Failover Baseline 2026: the list is whole, each applies, and runs select it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.baseline import (
    FILE,
    LONGEST_WATCH_MS,
    MOST_SCENARIOS,
    NotScored,
    Scored,
    Standing,
    baseline,
    read_baseline,
)
from probe.catalogue.baseline_page import PAGE, render
from probe.catalogue.files import data_file
from probe.catalogue.scenarios import default_scenarios
from probe.cli.wiring.resumption import selected
from probe.cli.wiring.run_selection import RunSelection
from probe.errors import CatalogueError, ProbeError
from probe.model import CONTROL, Engine, Profile, Role
from probe.model.profile import DEFAULT_PROFILE
from probe.model.roles import UNLEVELLED
from probe.scenarios.absences import with_length

SCORED = [one for entry in baseline().entries for one in entry.roles]
ONE = Scored(scenario="net/reset", role=Role.PRODUCER, pairs=0, alike=0, references=("java@4.4.0",))


def test_page_is_up_to_date() -> None:
    assert PAGE.read_text() == render(), "python -m probe.catalogue.baseline_page updates it"


@pytest.mark.parametrize("role", [role for role in Role if role is not Role.SHARE])
def test_no_role_has_too_many_scenarios(role: Role) -> None:
    assert 0 < len(baseline().of(role)) <= MOST_SCENARIOS


@pytest.mark.parametrize("one", SCORED, ids=lambda one: f"{one.scenario} {one.role}")
def test_scored_scenario_applies_and_is_judged_and_is_short(one: Scored) -> None:
    scenario = default_scenarios()[one.scenario]
    variant = scenario.variant(one.role)
    assert Engine.EMBEDDED in scenario.engines
    assert variant is not None
    assert variant.expectation.conforms, "an informative scenario gives no level"
    usual = with_length(variant, Profile(scenario.profile or DEFAULT_PROFILE))
    assert usual.expectation.watch_ms <= LONGEST_WATCH_MS


@pytest.mark.parametrize("one", SCORED, ids=lambda one: f"{one.scenario} {one.role}")
def test_scored_scenario_has_figures_for_its_admission(one: Scored) -> None:
    assert one.reached is Standing.MET
    assert one.alike + one.real_only <= one.pairs
    assert bool(one.counts) or one.role not in UNLEVELLED


def test_a_producer_without_acks_of_all_is_not_asked_what_it_cannot_meet() -> None:
    needs = {one.scenario for one in baseline().of(Role.PRODUCER) if one.acks_all}
    variants = {name: default_scenarios()[name].variant(Role.PRODUCER) for name in baseline().scenarios}
    assert needs == {name for name, variant in variants.items() if variant is not None and variant.acks_all}


def test_each_scenario_says_when_it_happens_and_who_decides() -> None:
    assert all(entry.why and entry.occurs and entry.decides and entry.roles for entry in baseline().entries)


@pytest.mark.parametrize("other", baseline().not_scored, ids=lambda other: other.scenarios[0])
def test_what_is_not_scored_exists_and_is_not_scored(other: NotScored) -> None:
    assert other.reason
    for pattern in other.scenarios:
        assert [
            name
            for name in default_scenarios()
            if replace(other, scenarios=(pattern,), roles=()).covers(name, Role.PRODUCER)
        ]
    assert not [one for one in SCORED if other.covers(one.scenario, one.role)]


@pytest.mark.parametrize(
    ("pairs", "alike", "real_only", "standing"),
    [
        (0, 0, 0, Standing.OPEN),
        (100, 97, 0, Standing.MET),
        (100, 96, 0, Standing.UNMET),
        (100, 90, 7, Standing.MET),
    ],
)
def test_engines_agree_in_97_of_100_cells(pairs: int, alike: int, real_only: int, standing: Standing) -> None:
    assert replace(ONE, pairs=pairs, alike=alike, real_only=real_only).engines is standing


def test_two_versions_of_one_library_are_one_implementation() -> None:
    assert replace(ONE, references=("java@4.4.0", "java@3.9.2")).reached is Standing.UNMET
    assert replace(ONE, references=("java@4.4.0", "sarama@1.61.1")).reached is Standing.MET


WHOLE = data_file(FILE).read_text()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "key 'scored' is missing"),
        ("scored = 1", "not iterable"),
        (
            WHOLE + '\n[[scored]]\nscenario = "net/reset"\nwhy = ""\noccurs = ""\ndecides = ""\nroles = {}\n',
            "stands twice",
        ),
        ("colour = 1\n" + WHOLE, "'colour' is no key"),
        (WHOLE.replace("[scored.roles.admin]", "[scored.roles.cook]", 1), "cook"),
        (WHOLE.replace('counts = ["stops"]', 'counts = ["burns"]', 1), "burns"),
    ],
)
def test_bad_file_is_refused_with_its_problem(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / FILE).write_text(text)
    with pytest.raises(CatalogueError, match=said):
        read_baseline(tmp_path / FILE)


def _planned(asked: RunSelection) -> set[tuple[str, Role]]:
    plan, _ = asked.whole()
    return {(item.cell.scenario, item.cell.role) for item in plan.cells}


def test_a_run_of_the_baseline_plays_each_scenario_in_its_roles_alone() -> None:
    played = _planned(RunSelection(clients=["franz-go@1.22.3"], baseline=True))
    assert {pair for pair in played if pair[0] != CONTROL} == {(one.scenario, one.role) for one in SCORED}
    assert {role for name, role in played if name == CONTROL} == set(baseline().roles) == set(Role) - {Role.SHARE}


def test_a_run_of_the_baseline_may_be_narrowed_but_not_widened() -> None:
    asked = RunSelection(clients=["franz-go@1.22.3"], baseline=True, scenarios=["broker/*"], roles=[Role.TRANSACTIONAL])
    scenarios = {"broker/kill", "broker/hang", "broker/address-changed", CONTROL}
    assert _planned(asked) == {(name, Role.TRANSACTIONAL) for name in scenarios}
    with pytest.raises(ProbeError, match="none is scored"):
        replace(asked, scenarios=["topic/deleted"]).whole()


def test_a_run_of_the_baseline_has_no_further_workloads() -> None:
    plan, _ = RunSelection(clients=["franz-go@1.22.3"], baseline=True).whole()
    assert {item.cell.workload for item in plan.cells} == {"continuous"}


def test_a_run_remembers_that_it_was_of_the_baseline() -> None:
    assert selected(RunSelection(baseline=True), None)["baseline"] is True
    assert "baseline" not in selected(RunSelection(), None)
