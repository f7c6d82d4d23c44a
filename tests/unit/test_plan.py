"""Planning: the same selection gives the same cells, and every skip has a reason."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.families import Span, UnsentRequest, read_family
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import Chosen, select_profiles
from probe.engines.kafka.faults.unsupported_steps import UNSUPPORTED_STEPS
from probe.model import Election, Engine, Outcome, Role
from probe.planning.plan import FOUND_S, SETTLED_AFTER_S, Plan, make_plan, settled_after_s
from probe.planning.selection import LongWatches, Selection
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


def test_control_cells_are_first(selection: Selection) -> None:
    scenarios = [item.cell.scenario for item in make_plan(selection).cells]
    assert scenarios.index("steady") == 0
    assert "steady" not in scenarios[scenarios.count("steady") :]


def test_roles_and_profiles_not_in_a_version_are_skipped(selection: Selection) -> None:
    reasons = {
        (skip.cell.version, str(skip.cell.role), skip.cell.profile): skip.reason for skip in make_plan(selection).skips
    }
    assert "it could not read before" in reasons["1.9.0", "consumer", "isolated"]
    assert "since 1.10.0" in reasons["1.9.0", "producer", "zstd"]
    assert "no role group" in reasons["2.0.0", "group", "isolated"]
    assert "does not apply to role" in reasons["2.0.0", "consumer", "zstd"]


MISROUTED = "answer/api-versions/REBOOTSTRAP_REQUIRED"


@pytest.mark.parametrize(
    ("names_node", "skipped", "says"),
    [
        (None, ["1.9.0", "1.10.0", "2.0.0"], " does not say in ApiVersions which node it means"),
        (Span(since="2.0.0"), ["1.9.0", "1.10.0"], " before 2.0.0 does not say in ApiVersions"),
    ],
)
def test_a_client_that_names_no_node_learns_of_no_other_one(
    selection: Selection, names_node: Span | None, skipped: list[str], says: str
) -> None:
    (family,) = {item.family.family: item.family for item in selection.clients}.values()
    behaviour = family.behaviour.model_copy(update={"names_node": names_node})
    clients = [Chosen(family.model_copy(update={"behaviour": behaviour}), item) for item in family.versions]
    scenarios = select_scenarios([MISROUTED, "api/versions-malformed"])
    asked = replace(selection, clients=clients, scenarios=scenarios, roles=(Role.PRODUCER,), brokers=("4.4",))
    plan = make_plan(replace(asked, profiles=select_profiles(["isolated"], [], None)))
    assert [skip.cell.version for skip in plan.skips] == skipped
    assert all(says in skip.reason and skip.cell.scenario == MISROUTED for skip in plan.skips)


def test_a_request_that_a_client_never_sends_is_skipped(selection: Selection) -> None:
    (family,) = {item.family.family: item.family for item in selection.clients}.values()
    unasked = UnsentRequest(role="producer", api=0, since="2.0.0", reason="it does not write")
    family = family.model_copy(update={"behaviour": family.behaviour.model_copy(update={"unasked": (unasked,)})})
    scenarios = select_scenarios(["steady", "blip/produce/CORRUPT_MESSAGE", "blip/metadata/TOPIC_AUTHORIZATION_FAILED"])
    clients = [Chosen(family, item) for item in family.versions]
    plan = make_plan(replace(selection, clients=clients, scenarios=scenarios, roles=(Role.PRODUCER,)))
    skips = [skip for skip in plan.skips if "does not call" in skip.reason]
    assert {(skip.cell.version, skip.cell.scenario) for skip in skips} == {("2.0.0", "blip/produce/CORRUPT_MESSAGE")}
    assert skips[0].reason == "demo as producer does not call Produce here: it does not write"


def test_old_requests_need_real_brokers_on_lines_that_serve_them(selection: Selection) -> None:
    (family,) = {item.family.family: item.family for item in selection.clients}.values()
    old = Span(until="1.9.0", reason="its Produce")
    family = family.model_copy(update={"behaviour": family.behaviour.model_copy(update={"old_requests": old})})
    clients = [Chosen(family, item) for item in family.versions]
    whole = replace(selection, clients=clients, roles=(Role.PRODUCER,), brokers=("3.9", "4.4"))
    skips = [skip for skip in make_plan(whole).skips if "only real brokers" in skip.reason]
    assert {(skip.cell.version, skip.cell.broker) for skip in skips} == {("1.9.0", "3.9")}
    assert skips[0].reason == "before Kafka 4.0 only real brokers (--engine kafka) serve its Produce"
    real = make_plan(replace(whole, engine=Engine.KAFKA))
    assert not [skip for skip in real.skips if "only real brokers" in skip.reason]


def test_long_observations_are_for_core_and_newest_versions(selection: Selection, tmp_path: Path) -> None:
    (here := tmp_path / "other").mkdir()
    family = read_family(demo(here, SMALL.replace('core = ["1.9.0", "latest"]', 'core = ["latest"]')))
    clients = [Chosen(family, item) for item in family.versions]
    scenarios = select_scenarios(["steady", "net/blackhole", "leader/elected"])
    every = replace(selection, clients=clients, scenarios=scenarios, roles=(Role.PRODUCER,))
    few = make_plan(replace(every, long_watches=LongWatches.CORE))
    played = {(item.cell.scenario, item.cell.version) for item in few.cells}
    versions = {"1.9.0", "1.10.0", "2.0.0"}
    assert {version for scenario, version in played if scenario == "leader/elected"} == versions
    assert {version for scenario, version in played if scenario == "net/blackhole"} == {"1.10.0", "2.0.0"}
    assert {skip.cell.version for skip in few.skips if "observed for 90 s" in skip.reason} == {"1.9.0"}
    assert {item.cell.version for item in make_plan(every).cells if "blackhole" in item.cell.scenario} == versions


def test_faults_of_acks_all_are_planned_only_with_acks_all(selection: Selection) -> None:
    few = replace(selection, scenarios=select_scenarios(["topic/too-few-replicas"]), roles=(Role.PRODUCER,))
    plain = make_plan(replace(few, profiles=select_profiles(["isolated"], [], None)))
    assert {item.cell.version for item in plain.cells}.isdisjoint({"1.9.0"})
    assert "acks=1" in {skip.cell.version: skip.reason for skip in plain.skips}["1.9.0"]
    acks_all = make_plan(replace(few, profiles=select_profiles(["isolated"], ["acks=all"], None)))
    assert "1.9.0" in {item.cell.version for item in acks_all.cells}


def test_scenarios_of_another_role_are_left_out_without_a_skip(selection: Selection) -> None:
    plan = make_plan(replace(selection, roles=(Role.PRODUCER,)))
    assert not any(item.cell.scenario == "coordinator/moved" for item in (*plan.cells, *plan.skips))


def test_scenarios_that_the_engine_cannot_run_are_skipped(selection: Selection) -> None:
    answers = select_scenarios(["answer/produce/NOT_LEADER_OR_FOLLOWER", "metadata/stale"])
    plan = make_plan(replace(selection, scenarios=answers, engine=Engine.KAFKA, unplayed=UNSUPPORTED_STEPS))
    assert {skip.cell.scenario for skip in plan.skips if "does not run on the kafka engine" in skip.reason} == {
        item.name for item in answers
    }
    assert not plan.cells


def test_a_state_that_older_release_lines_do_not_know_is_skipped_on_them(selection: Selection) -> None:
    few = replace(
        selection,
        scenarios=select_scenarios(["metadata/rebootstrap-required"]),
        roles=(Role.PRODUCER,),
        brokers=("3.9", "4.3"),
    )
    plan = make_plan(few)
    assert {item.cell.broker for item in plan.cells} == {"4.3"}
    assert {skip.cell.broker for skip in plan.skips if "needs Kafka 4.0 or newer" in skip.reason} == {"3.9"}


def test_the_same_seed_gives_the_same_order(selection: Selection) -> None:
    first, second = make_plan(replace(selection, seed=7)), make_plan(replace(selection, seed=7))
    assert [item.cell for item in first.cells] == [item.cell for item in second.cells]
    assert [i.cell for i in make_plan(replace(selection, seed=8)).cells] != [i.cell for i in first.cells]


def test_shards_divide_the_plan_and_keep_control_cells(selection: Selection) -> None:
    whole = names(make_plan(selection))
    parts = [make_plan(replace(selection, shard=(n, 3))) for n in (1, 2, 3)]
    assert set().union(*(names(part) for part in parts)) == whole
    assert sum(len(part.cells) for part in parts) == len(whole)
    for part in parts:
        cells = {item.cell for item in part.cells}
        assert all(item.steady in cells for item in part.cells)


def test_an_election_is_part_of_the_expectation(selection: Selection) -> None:
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


def test_real_brokers_add_the_election_to_the_settling_time(selection: Selection) -> None:
    whole = replace(selection, scenarios=select_scenarios(["broker/kill", "disk/storage-error"]))
    assert {settled_after_s(item) for item in make_plan(whole).cells} == {SETTLED_AFTER_S}
    real = make_plan(replace(whole, engine=Engine.KAFKA)).cells
    after = {item.cell.scenario: settled_after_s(item) for item in real}
    assert after["broker/kill"] > FOUND_S + 5
    assert FOUND_S <= after["disk/storage-error"] < FOUND_S + 1
