"""Scenarios about whole brokers as rules of the fake cluster. No cluster is started."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from probe.catalogue.brokers import generation_of, real_brokers
from probe.catalogue.scenarios import default_scenarios, select_scenarios
from probe.catalogue.selectors import select_profiles
from probe.engines.embedded import topic_rules
from probe.engines.embedded.broker_rules import whose_turn
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model import Election, Engine, Outcome, Reaction, Role, Subject
from probe.planning.plan import make_plan
from probe.planning.selection import Selection
from probe.protocol import apis
from probe.scenarios.scenario import RoleVariant, Scenario
from probe.scenarios.second_starts import started_during
from probe.scenarios.session_timeouts import session_ms
from probe.scenarios.steps.coordinators import NameWrongCoordinator
from probe.scenarios.steps.partitions import LagMetadata
from tests.unit.test_plan import selection  # noqa: F401  # a fixture

SUBJECT = Subject(
    topic="t", affected=0, bystander=1, instance="i", client_id="i", group="g", old=2, bootstrap=(1, 2, 3)
)
FAMILIES = ("api/*", "broker/*", "follower/*", "net/*", "bootstrap/*", "quota/*", "start-during/*")


def rules_of(name: str, election_ms: int = 0) -> pb.Fault:
    return topic_rules.fault_rules(variant_of(name).steps, SUBJECT, election_ms)


def variant_of(name: str) -> RoleVariant:
    return default_scenarios()[name].variants[0]


def states(fault: pb.Fault) -> list[tuple[int, str, int]]:
    """Return (ms, state, broker) of every change, in order of time."""
    found = []
    for item in sorted(fault.changes, key=lambda item: item.after_ms):
        kind = item.change.WhichOneof("change")
        if kind == "broker":
            broker = item.change.broker
            found.append((item.after_ms, pb.BrokerState.State.Name(broker.state), broker.broker))
        elif kind == "evacuate":
            found.append((item.after_ms, "evacuate", item.change.evacuate.broker))
    return found


@pytest.mark.parametrize("scenario", select_scenarios(FAMILIES), ids=lambda item: item.name)
def test_every_role_variant_is_complete(scenario: Scenario) -> None:
    for variant in scenario.variants:
        fault = topic_rules.fault_rules(variant.steps, SUBJECT, 9000)
        ids = [rule.id for rule in fault.rules]
        assert len(ids) == len(set(ids))
        assert all(rule.brokers == [SUBJECT.old] or rule.key or rule.topic for rule in fault.rules)
        assert variant.expectation.watch_ms > variant.expectation.prompt_ms
        assert len(scenario.summary) < 200
        for word in ("What the brokers do:", "What a good client does:", "Source:", "Not covered:"):
            assert word in scenario.story, scenario.name


def test_a_kill_is_detected_after_the_session_timeout() -> None:
    assert states(rules_of("broker/kill", 9000)) == [(0, "STOPPED", 2), (9000, "evacuate", 2)]
    assert all(item.from_start for item in rules_of("broker/kill", 9000).changes)


def test_a_shutdown_moves_leaders_at_the_first_hit_and_stops() -> None:
    fault = rules_of("broker/shutdown", 150)
    assert states(fault) == [(150, "evacuate", 2), (150, "STOPPED", 2)]
    assert not any(item.from_start for item in fault.changes)
    assert [item.latest_ms for item in fault.changes] == [2150, 2150]
    assert {(rule.code, rule.topic, rule.key) for rule in fault.rules} == {(6, "t", ""), (16, "", "g")}


def test_a_rolling_restart_has_one_broker_down_at_a_time() -> None:
    found = states(rules_of("broker/rolling"))
    assert [broker for _, state, broker in found if state == "STOPPED"] == [2, 1, 3]
    down = 0
    for _, what, _ in found:
        down += {"STOPPED": 1, "UP": -1}.get(what, 0)
        assert down in {0, 1}


def test_a_restart_loop_lasts_beyond_the_election() -> None:
    found = states(rules_of("broker/restart-loop", 9000))
    assert [what for _, what, _ in found[:5]] == ["STOPPED", "HUNG", "STOPPED", "HUNG", "STOPPED"]
    assert found[-1][0] > 9000
    assert found[-1][1] == "STOPPED"


def test_restarts_begin_with_the_failing_broker() -> None:
    assert [whose_turn(SUBJECT, turn) for turn in range(3)] == [2, 1, 3]


@pytest.mark.parametrize(("line", "ms"), [("3.9", 9000), ("4.4", 9000), ("3.4", 6000), ("2.6", 6000), ("0.10.2", 6000)])
def test_the_session_timeout_follows_the_release_line(line: str, ms: int) -> None:
    assert session_ms(line) == ms


@pytest.mark.parametrize("version", [*(found.version for found in real_brokers().values()), "3.3.2", "3.5.2", "3.7.2"])
def test_both_engines_agree_on_kraft_or_zookeeper(version: str) -> None:
    listed = {found.version: found.mode for found in real_brokers().values()}
    mode = listed.get(version) or generation_of(version).mode
    assert session_ms(version) == {"kraft": 9000, "zookeeper": 6000}[mode]


@pytest.mark.parametrize("name", ["broker/shutdown", "broker/rolling"])
@pytest.mark.parametrize(("line", "ms"), [("4.3", 2150), ("3.4", 10)])
def test_the_time_until_a_stop_follows_the_release_line(
    selection: Selection,  # noqa: F811  # the fixture
    name: str,
    line: str,
    ms: int,
) -> None:
    profiles = select_profiles(["isolated"], [], None)
    plan = make_plan(replace(selection, scenarios=select_scenarios([name]), brokers=(line,), profiles=profiles))
    assert plan.cells
    for item in plan.cells:
        found = states(topic_rules.fault_rules(item.variant.steps, SUBJECT, 150))
        moved = next(at for at, what, _ in found if what == "evacuate")
        assert next(at for at, what, _ in found if what == "STOPPED") == moved + ms


def test_steps_for_real_brokers_are_unchanged(selection: Selection) -> None:  # noqa: F811  # the fixture
    chosen = replace(selection, scenarios=select_scenarios(["broker/shutdown"]), engine=Engine.KAFKA, brokers=("3.4",))
    plan = make_plan(chosen)
    assert plan.cells
    assert {item.variant.steps for item in plan.cells} == {select_scenarios(["broker/shutdown"])[0].variants[0].steps}


def test_the_election_time_follows_the_line_or_the_option(selection: Selection, tmp_path: Path) -> None:  # noqa: F811  # the fixture
    kill = replace(selection, scenarios=select_scenarios(["broker/kill"]), brokers=("2.6", "3.9"))
    plan = make_plan(replace(kill, profiles=select_profiles(["isolated"], [], None)))
    assert {(item.cell.broker, item.expectation.election_ms) for item in plan.cells} == {("2.6", 6000), ("3.9", 9000)}
    plan = make_plan(replace(kill, profiles=select_profiles(["isolated"], [], Election(1000))))
    assert {(item.cell.profile, item.expectation.election_ms) for item in plan.cells} == {
        ("isolated+election=1000", 1000)
    }


def test_a_second_start_expects_no_reaction() -> None:
    variant = variant_of("start-during/disk/storage-error")
    assert variant.second_instance
    assert variant.expectation.expects is Reaction.NOTHING
    assert variant.expectation.conforms == (Outcome.CLEAN,)
    assert variant.steps == variant_of("disk/storage-error").steps


@pytest.mark.parametrize("name", ["steady", "net/reset", "net/slow", "net/response-lost", "bootstrap/hung"])
def test_a_momentary_fault_has_no_second_start(name: str) -> None:
    assert started_during(default_scenarios()[name]) is None


def test_a_generated_scenario_has_a_second_start_on_request() -> None:
    (found,) = select_scenarios(["start-during/answer/produce/NOT_LEADER_OR_FOLLOWER"])
    assert found.variant(Role.PRODUCER) is not None
    assert found.variant(Role.CONSUMER) is None


def test_only_the_new_leader_has_current_metadata_immediately() -> None:
    fault = topic_rules.fault_rules(
        (LagMetadata(lag_ms=400, but_successor=True), *variant_of("disk/storage-error").steps), SUBJECT, 150
    )
    views = {
        timed.change.view.broker: timed.change.view.lag_ms for timed in fault.changes if timed.change.HasField("view")
    }
    assert views == {node: 400 for node in (1, 2, 3) if node != NODES.next(SUBJECT.old)}
    assert all(timed.from_start for timed in fault.changes if timed.change.HasField("view"))


@pytest.mark.parametrize(("name", "malformed"), [("api/versions-closed", False), ("api/versions-malformed", True)])
def test_the_versions_of_all_brokers_are_limited_from_the_start(name: str, malformed: bool) -> None:
    fault = rules_of(name)
    (timed,) = fault.changes
    assert not fault.rules
    assert (timed.from_start, timed.after_ms) == (True, 0)
    assert timed.change.limit_versions == pb.LimitVersions(highest=2, malformed=malformed)


def test_a_quota_is_exceeded_by_much_and_then_by_little() -> None:
    changes = rules_of("quota/throttled").changes
    assert [(item.after_ms, item.change.throttle.throttle_ms) for item in changes] == [(0, 1500), (8000, 1)]
    assert {item.change.throttle.broker for item in changes} == {SUBJECT.old}


@pytest.mark.parametrize("name", ["net/partial-frame", "net/stale-answer"])
def test_every_role_meets_a_faulty_answer_of_its_own_work(name: str) -> None:
    found = default_scenarios()[name]
    assert set(found.roles) == set(Role) - {Role.SHARE}  # no scenario of its own yet
    assert len({step.apis for item in found.variants for step in item.steps}) == len(found.variants)  # type: ignore[union-attr]
    assert started_during(found) is None


@pytest.mark.parametrize(("subject", "key"), [(SUBJECT, "g"), (replace(SUBJECT, group="", transactional_id="x"), "x")])
def test_a_coordinator_that_is_named_wrongly_denies_it_to_every_request(subject: Subject, key: str) -> None:
    fault = topic_rules.fault_rules([NameWrongCoordinator()], subject, 150)
    (found,) = fault.rules
    assert (found.key, found.code, list(found.brokers)) == (key, 16, [2])
    assert tuple(found.apis) == apis.COORDINATOR_APIS
    assert not fault.changes


@pytest.mark.parametrize(
    ("name", "codes", "lags", "after_ms"), [("storage-error", [56], False, 500), ("lagging", [], True, 0)]
)
def test_a_follower_leaves_the_isr_and_the_leader_stays(name: str, codes: list[int], lags: bool, after_ms: int) -> None:
    fault = rules_of(f"follower/{name}", 9000)
    assert [(rule.code, list(rule.brokers)) for rule in fault.rules] == [(code, [SUBJECT.old]) for code in codes]
    (timed,) = fault.changes
    assert timed.change.WhichOneof("change") == "fail_replica"
    assert (timed.change.fail_replica.broker, timed.change.fail_replica.lags) == (SUBJECT.old, lags)
    assert (timed.from_start, timed.after_ms) == (True, after_ms)


def test_a_follower_that_is_killed_counts_as_in_sync_until_its_session_ends() -> None:
    assert states(rules_of("follower/killed", 9000)) == [(0, "STOPPED", 2), (9000, "evacuate", 2)]
