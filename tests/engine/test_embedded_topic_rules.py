"""The translation of steps into rules and changes of the fake cluster."""

from __future__ import annotations

from typing import get_args

import pytest

from probe.catalogue.scenarios import default_scenarios
from probe.engines.embedded.broker_rules import back_in_office
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.engines.embedded.topic_rules import RULES, fault_rules, key_of
from probe.model import Engine, Role, Subject
from probe.model.placement import Spread, TopicPlan
from probe.scenarios.steps.brokers import ChangeAddress, HideBrokers
from probe.scenarios.steps.controller import LoseController, MoveController
from probe.scenarios.steps.coordinators import LoadCoordinator, LoseCoordinator, MoveCoordinator, Rejoin
from probe.scenarios.steps.partitions import AnswerError, LagMetadata, LoseAllLeaders, LoseLeader, MoveLeader
from probe.scenarios.steps.step import Step
from probe.scenarios.steps.topics import (
    ForgetProducers,
    ForgetTopic,
    GrowWhileAssigning,
    HidePartition,
    RecreateTopic,
    ReplaceTopic,
)

HOUR_MS = 3_600_000


def subject(role: Role = Role.PRODUCER, old: int = 2) -> Subject:
    return Subject(
        topic="t",
        affected=0,
        bystander=1,
        instance="me",
        client_id="me",
        group="g" if role in {Role.GROUP, Role.ADMIN} else "",
        transactional_id="x" if role is Role.TRANSACTIONAL else "",
        old=old,
    )


def rule(step: Step, role: Role = Role.PRODUCER) -> pb.Rule:
    (found,) = fault_rules([step], subject(role), 150).rules
    return found


def moves(steps: list[Step], role: Role = Role.PRODUCER) -> list[pb.Timed]:
    return list(fault_rules(steps, subject(role), 150).changes)


def test_a_partition_error_is_limited_to_its_leader() -> None:
    found = rule(AnswerError(api=0, code=7, times=2))
    assert (list(found.brokers), found.topic, list(found.partitions), found.count) == ([2], "t", [0], 2)
    assert not found.key


@pytest.mark.parametrize(("api", "role", "key"), [(12, Role.GROUP, "g"), (26, Role.TRANSACTIONAL, "x")])
def test_a_key_error_names_only_the_key(api: int, role: Role, key: str) -> None:
    found = rule(AnswerError(api=api, code=16), role)
    assert (found.key, found.topic, list(found.brokers)) == (key, "", [2])


def test_an_error_of_any_broker_names_no_broker() -> None:
    assert not rule(AnswerError(api=3, code=5)).brokers
    search = rule(AnswerError(api=10, code=15), Role.TRANSACTIONAL)
    assert (search.key, list(search.brokers)) == ("x", [])


def test_a_topic_error_covers_all_partitions() -> None:
    found = rule(AnswerError(api=3, code=29, whole_topic=True))
    assert (found.topic, list(found.partitions)) == ("t", [])


def test_an_applied_request_is_carried_out() -> None:
    assert rule(AnswerError(api=0, code=20, applied=True)).action == pb.APPLY


def test_the_conditions_of_a_step_are_in_the_rule() -> None:
    found = rule(AnswerError(api=1, code=74, with_epoch=True, min_version=9, acks_all=True))
    assert (found.with_epoch, found.min_version, found.only_acks_all) == (True, 9, True)


def test_an_error_of_a_connection_is_for_clients_that_name_the_failing_broker() -> None:
    found = rule(AnswerError(api=18, code=129, with_node=True, min_version=5))
    assert (list(found.brokers), found.topic, found.key, found.with_epoch) == ([2], "", "", True)


def test_a_move_goes_to_the_next_broker_after_the_first_hit() -> None:
    (leader,) = moves([AnswerError(api=0, code=6, moved=True)])
    assert (leader.change.move_leader.to, leader.after_ms, leader.from_start) == (3, 150, False)
    (key,) = moves([AnswerError(api=12, code=16, moved=True)], Role.GROUP)
    assert (key.change.move_coordinator.key, key.change.move_coordinator.to) == ("g", 3)


@pytest.mark.parametrize(("api", "latest_ms"), [(8, 0), (9, 8000), (11, 8000), (12, 8000), (14, 8000)])
def test_a_coordinator_move_waits_for_requests_of_members(api: int, latest_ms: int) -> None:
    (move,) = moves([AnswerError(api=api, code=16, moved=True)], Role.GROUP)
    assert move.latest_ms == latest_ms


def test_the_controller_that_refuses_is_another_broker_than_the_next() -> None:
    refused = rule(AnswerError(api=19, code=41, moved=True), Role.ADMIN)
    (change,) = moves([AnswerError(api=19, code=41, moved=True)], Role.ADMIN)
    assert (list(refused.brokers), refused.topic, change.change.move_controller.to) == ([3], "", 1)


def test_every_broker_but_the_next_controller_refuses_and_at_first_all_do() -> None:
    refusing, others = fault_rules([MoveController(named_ms=300)], subject(Role.ADMIN), 0).rules
    assert (list(refusing.brokers), refusing.until_ms, refusing.code) == ([], 300, 41)
    assert (sorted(others.brokers), others.until_ms, others.code) == ([2, 3], 0, 41)
    (change,) = moves([MoveController(named_ms=300)], Role.ADMIN)
    assert (change.change.move_controller.to, change.after_ms, change.from_start) == (1, 300, True)


def test_requests_wait_for_a_controller_that_is_gone() -> None:
    held = rule(LoseController(), Role.ADMIN)
    assert (list(held.apis), held.action, held.hold_ms) == ([19], pb.HOLD, HOUR_MS)


def test_a_loading_or_lost_coordinator_does_not_move() -> None:
    (loads,) = moves([LoadCoordinator()], Role.GROUP)
    (gone,) = moves([LoseCoordinator()], Role.TRANSACTIONAL)
    assert (loads.change.move_coordinator.to, loads.change.move_coordinator.loading_ms) == (2, HOUR_MS)
    assert (gone.change.move_coordinator.to, gone.change.move_coordinator.gone_ms) == (2, HOUR_MS)
    assert gone.change.move_coordinator.key_type == 1


def test_a_partition_is_leaderless_for_a_time_or_until_revert() -> None:
    assert [item.change.move_leader.to for item in moves([LoseLeader()])] == [-1]
    assert [(item.change.move_leader.to, item.after_ms) for item in moves([LoseLeader(for_ms=30_000)])] == [
        (-1, 0),
        (3, 30_000),
    ]


def test_both_partitions_of_a_topic_are_leaderless_and_their_replicas_say_so() -> None:
    found = [item.change.move_leader for item in moves([LoseLeader(whole_topic=True, hinted=True)])]
    assert [(item.partition, item.to, item.hinted) for item in found] == [(0, -1, True), (1, -1, True)]


def test_everything_is_without_a_leader_until_reverted() -> None:
    first, second, key = moves([LoseAllLeaders()], Role.GROUP)
    leaders = [one.change.move_leader for one in (first, second)]
    assert [(leader.partition, leader.to) for leader in leaders] == [(0, -1), (1, -1)]
    move = key.change.move_coordinator
    assert (move.key, move.to, move.gone_ms) == ("g", 2, HOUR_MS)


def test_hidden_brokers_are_up_and_not_listed() -> None:
    states = [item.change.broker for item in moves([HideBrokers()])]
    assert [(state.broker, state.state, state.announced) for state in states] == [
        (node, pb.BrokerState.UP, True) for node in NODES
    ]


@pytest.mark.parametrize(("silent", "state"), [(False, pb.BrokerState.STOPPED), (True, pb.BrokerState.HUNG)])
def test_a_broker_that_changes_its_address_is_not_listed(silent: bool, state: pb.BrokerState.State.ValueType) -> None:
    (gone,) = moves([ChangeAddress(down_ms=2000, silent=silent)])
    assert (gone.change.broker.broker, gone.change.broker.state, gone.change.broker.announced) == (2, state, True)


def test_a_broker_that_is_back_leads_and_coordinates_what_it_did() -> None:
    def found(role: Role, spread: Spread) -> list[str]:
        places = TopicPlan(feed_ms=0, bystander_ms=0, spread=spread).places(2, NODES)
        return [str(change.WhichOneof("change")) for change in back_in_office(subject(role), places, 2)]

    assert found(Role.PRODUCER, Spread.BYSTANDER_APART) == ["broker", "move_leader"]
    assert found(Role.GROUP, Spread.COORDINATES_ONLY) == ["broker", "move_coordinator"]


def test_metadata_lag_begins_before_the_move() -> None:
    lag, move = moves([LagMetadata(lag_ms=2000), MoveLeader()])
    assert (lag.change.view.lag_ms, lag.change.view.broker, move.change.move_leader.to) == (2000, 0, 3)


def test_a_broker_without_the_topic_has_no_partitions() -> None:
    assert (rule(ForgetTopic()).code, list(rule(ForgetTopic()).partitions)) == (3, [])
    (view,) = moves([ForgetTopic()])
    assert (view.change.view.broker, list(view.change.view.hidden_topics)) == (2, ["t"])


def test_no_broker_lists_the_last_partition() -> None:
    (view,) = moves([HidePartition()])
    assert (view.change.view.broker, list(view.change.view.hidden_topics)) == (0, ["t/1"])


def test_a_topic_is_recreated_after_half_the_election_time() -> None:
    found = moves([RecreateTopic(), MoveLeader(elected=True)])
    assert [(item.after_ms, item.from_start) for item in found] == [(0, True), (75, True), (150, True)]
    assert [item.change.topic.what for item in found[:2]] == [pb.TopicChange.DELETE, pb.TopicChange.RECREATE]
    assert found[2].change.move_leader.to == 3
    assert moves([MoveLeader()])[0].after_ms == 0


def test_each_broker_refuses_the_first_batches_from_the_return_of_a_topic_on() -> None:
    fault = fault_rules([RecreateTopic(), ForgetProducers(code=45, times=3)], subject(), 500)
    assert [(list(item.brokers), item.code, item.count) for item in fault.rules] == [([n], 45, 3) for n in NODES]
    assert {(item.topic, *item.apis, *item.partitions) for item in fault.rules} == {("t", 0)}
    assert {item.from_ms for item in fault.rules} == {fault.changes[-1].after_ms} == {250}


def test_a_topic_grows_while_the_answer_to_the_assignment_is_kept_back() -> None:
    fault = fault_rules([GrowWhileAssigning(partitions=4, held_ms=3000)], subject(Role.GROUP), 0)
    (found,), (grown,) = fault.rules, fault.changes
    assert (list(found.apis), found.action, found.hold_ms, found.count, found.key) == ([14], pb.HOLD, 3000, 0, "g")
    assert (grown.change.topic.partitions, grown.after_ms, grown.from_start) == (4, 500, False)


def test_a_topic_comes_back_filled_after_its_own_time_and_another_broker_leads_it() -> None:
    found = moves([ReplaceTopic(gone_ms=500, longer_by=50)])
    assert [(item.after_ms, item.from_start) for item in found] == [(0, True), (500, True), (600, True)]
    assert [item.change.topic.what for item in found[:2]] == [pb.TopicChange.DELETE, pb.TopicChange.RECREATE]
    assert [item.change.topic.longer_by for item in found[:2]] == [0, 50]
    assert found[2].change.move_leader.to == 3


def test_a_member_is_asked_to_rejoin_once() -> None:
    """A member of the classic protocol by REBALANCE_IN_PROGRESS, one of the new protocol by FENCED_MEMBER_EPOCH."""
    rules = fault_rules([Rejoin()], subject(Role.GROUP), 150).rules
    assert [(list(one.apis), one.code, one.count) for one in rules] == [([12], 27, 1), ([68], 110, 1)]
    assert {one.key for one in rules} == {"g"}
    assert all(one.prelude for one in rules)


def test_the_key_is_the_transactional_id_or_the_group() -> None:
    assert (key_of(subject(Role.TRANSACTIONAL)), key_of(subject(Role.ADMIN))) == ((1, "x"), (0, "g"))
    assert [NODES.next(subject(old=old).old) for old in (1, 2, 3)] == [2, 3, 1]
    assert moves([MoveCoordinator(loading_ms=7)], Role.GROUP)[0].change.move_coordinator.loading_ms == 7


def test_rule_ids_are_unique_in_every_default_scenario() -> None:
    for name, item in default_scenarios().items():
        for role in item.roles:
            part = item.variant(role)
            assert part is not None
            ids = [found.id for found in fault_rules(part.steps, subject(role), 150).rules]
            assert len(ids) == len(set(ids)), name


def test_every_rule_belongs_to_a_step_type() -> None:
    assert set(RULES) <= set(get_args(Step))


def test_every_step_of_an_embedded_scenario_has_a_rule_or_is_the_relays() -> None:
    """A step without either would do nothing."""
    of_the_relay = {"Blackhole", "RefuseConnections", "SlowDown", "HoldDiscovery", "CutConnections", "ChangeAddresses"}
    of_the_relay |= {"ReplaceCluster", "KeepAnswers", "ExpireIdle", "CutAnswers", "CutAllConnections"}
    of_the_relay |= {"SpoilHandshakes", "AskForCertificates"}
    of_the_relay |= {"LeaveTokenServer", "RenewClientCertificate"}  # the trial's token server, and its file
    of_the_relay |= {"RefuseLogins", "RefuseFirstToken"}  # a change of the listeners, which needs the run's access
    played = [item for item in default_scenarios().values() if Engine.EMBEDDED in item.engines]
    variants = [item.variant(role) for item in played for role in item.roles]
    used = {type(step) for found in variants if found is not None for step in found.steps}
    assert {kind.__name__ for kind in used if kind not in RULES} <= of_the_relay
