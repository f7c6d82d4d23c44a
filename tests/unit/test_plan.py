"""The plan is pure: the same selection gives the same cells, and each skip says why."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.families import UnsentRequest, read_family
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen, select_profiles
from probe.engines.kafka.faults.actions import UNSUPPORTED_STEPS
from probe.model import Election, Engine, Outcome, Role
from probe.planning.plan import FOUND_S, SETTLED_AFTER_S, LongWatches, Plan, Selection, make_plan, settled_after_s
from probe.scenarios.steps.partitions import LagMetadata
from tests.unit.test_catalogue import SMALL, demo


@pytest.fixture
def selection(tmp_path: Path) -> Selection:
    family = read_family(demo(tmp_path))
    return Selection(
        clients=[Chosen(family, item) for item in family.versions],
        scenarios=select_scenarios(["steady", "disk/storage-error", "leader/hinted", "coordinator/moved"]),
        roles=(Role.PRODUCER, Role.CONSUMER, Role.GROUP),
        profiles=select_profiles(["isolated", "zstd"], [], None),
        engine=Engine.EMBEDDED,
        brokers=("3.9",),
    )


def names(plan: Plan) -> set[str]:
    return {str(item.cell) for item in plan.cells}


def test_control_cells_come_first(selection: Selection) -> None:
    scenarios = [item.cell.scenario for item in make_plan(selection).cells]
    assert scenarios.index("steady") == 0
    assert "steady" not in scenarios[scenarios.count("steady") :]


def test_roles_and_profiles_outside_their_span_are_skipped_with_a_reason(selection: Selection) -> None:
    reasons = {
        (skip.cell.version, str(skip.cell.role), skip.cell.profile): skip.reason for skip in make_plan(selection).skips
    }
    assert "it could not read before" in reasons["1.9.0", "consumer", "isolated"]
    assert "since 1.10.0" in reasons["1.9.0", "producer", "zstd"]
    assert "no role group" in reasons["2.0.0", "group", "isolated"]
    assert "means nothing" in reasons["2.0.0", "consumer", "zstd"]


def test_what_an_instance_never_asks_is_skipped_with_the_reason(selection: Selection) -> None:
    (family,) = {item.family.family: item.family for item in selection.clients}.values()
    unasked = UnsentRequest(role="producer", api=0, since="2.0.0", reason="it does not write")
    family = family.model_copy(update={"behaviour": family.behaviour.model_copy(update={"unasked": (unasked,)})})
    scenarios = select_scenarios(["steady", "blip/produce/CORRUPT_MESSAGE", "blip/metadata/TOPIC_AUTHORIZATION_FAILED"])
    clients = [Chosen(family, item) for item in family.versions]
    plan = make_plan(replace(selection, clients=clients, scenarios=scenarios, roles=(Role.PRODUCER,)))
    skips = [skip for skip in plan.skips if "does not call" in skip.reason]
    assert {(skip.cell.version, skip.cell.scenario) for skip in skips} == {("2.0.0", "blip/produce/CORRUPT_MESSAGE")}
    assert skips[0].reason == "demo as producer does not call Produce here: it does not write"


def test_long_watches_are_for_core_versions_and_the_newest_of_each_line(selection: Selection, tmp_path: Path) -> None:
    (here := tmp_path / "other").mkdir()
    family = read_family(demo(here, SMALL.replace('core = ["1.9.0", "latest"]', 'core = ["latest"]')))
    clients = [Chosen(family, item) for item in family.versions]
    scenarios = select_scenarios(["steady", "net/blackhole", "leader/elected"])
    everybody = replace(selection, clients=clients, scenarios=scenarios, roles=(Role.PRODUCER,))
    few = make_plan(replace(everybody, long_watches=LongWatches.CORE))
    played = {(item.cell.scenario, item.cell.version) for item in few.cells}
    versions = {"1.9.0", "1.10.0", "2.0.0"}
    assert {version for scenario, version in played if scenario == "leader/elected"} == versions
    assert {version for scenario, version in played if scenario == "net/blackhole"} == {"1.10.0", "2.0.0"}
    assert {skip.cell.version for skip in few.skips if "watched for 90 s" in skip.reason} == {"1.9.0"}
    assert {item.cell.version for item in make_plan(everybody).cells if "blackhole" in item.cell.scenario} == versions


def test_what_only_acks_all_meets_is_planned_for_those_who_ask_for_it(selection: Selection) -> None:
    few = replace(selection, scenarios=select_scenarios(["topic/too-few-replicas"]), roles=(Role.PRODUCER,))
    plain = make_plan(replace(few, profiles=select_profiles(["isolated"], [], None)))
    assert {item.cell.version for item in plain.cells}.isdisjoint({"1.9.0"})
    assert "acks=1" in {skip.cell.version: skip.reason for skip in plain.skips}["1.9.0"]
    told = make_plan(replace(few, profiles=select_profiles(["isolated"], ["acks=all"], None)))
    assert "1.9.0" in {item.cell.version for item in told.cells}


def test_scenarios_of_another_role_are_not_even_skipped(selection: Selection) -> None:
    plan = make_plan(replace(selection, roles=(Role.PRODUCER,)))
    assert not any(item.cell.scenario == "coordinator/moved" for item in (*plan.cells, *plan.skips))


def test_an_engine_that_does_not_play_a_scenario(selection: Selection) -> None:
    answers = select_scenarios(["answer/produce/NOT_LEADER_OR_FOLLOWER", "metadata/stale"])
    plan = make_plan(replace(selection, scenarios=answers, engine=Engine.KAFKA, unplayed=UNSUPPORTED_STEPS))
    assert {skip.cell.scenario for skip in plan.skips if "not played by the kafka engine" in skip.reason} == {
        item.name for item in answers
    }
    assert not plan.cells


def test_same_seed_same_order(selection: Selection) -> None:
    first, second = make_plan(replace(selection, seed=7)), make_plan(replace(selection, seed=7))
    assert [item.cell for item in first.cells] == [item.cell for item in second.cells]
    assert [i.cell for i in make_plan(replace(selection, seed=8)).cells] != [i.cell for i in first.cells]


def test_shards_share_the_plan_and_keep_controls_with_their_cells(selection: Selection) -> None:
    whole = names(make_plan(selection))
    parts = [make_plan(replace(selection, shard=(n, 3))) for n in (1, 2, 3)]
    assert set().union(*(names(part) for part in parts)) == whole
    assert sum(len(part.cells) for part in parts) == len(whole)
    for part in parts:
        cells = {item.cell for item in part.cells}
        assert all(item.steady in cells for item in part.cells)


def test_no_retries_may_surface_and_election_enters_the_play(selection: Selection) -> None:
    (profile,) = select_profiles(["isolated"], [], Election(1000, 400))
    item = next(
        item
        for item in make_plan(replace(selection, profiles=(profile,))).cells
        if item.cell.scenario == "disk/storage-error"
    )
    assert item.expectation.election_ms == 1000
    assert item.cell.profile == "isolated+election=1000,400"
    assert item.variant.steps[0] == LagMetadata(lag_ms=400, but_successor=True)
    assert Outcome.SURFACES not in item.expectation.conforms


def test_the_estimate_grows_with_the_work_and_shrinks_with_jobs(selection: Selection) -> None:
    plan = make_plan(selection)
    assert plan.estimate_s(1, None) > plan.estimate_s(8, None) > 0


def test_on_real_brokers_a_trial_waits_once_its_leader_is_elected_and_found(selection: Selection) -> None:
    whole = replace(selection, scenarios=select_scenarios(["broker/kill", "disk/storage-error"]))
    assert {settled_after_s(item) for item in make_plan(whole).cells} == {SETTLED_AFTER_S}
    real = make_plan(replace(whole, engine=Engine.KAFKA)).cells
    after = {item.cell.scenario: settled_after_s(item) for item in real}
    assert after["broker/kill"] > FOUND_S + 5
    assert FOUND_S <= after["disk/storage-error"] < FOUND_S + 1
