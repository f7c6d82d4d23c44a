"""A fault that hits many partitions at once, as rules and changes of the fake cluster."""

from __future__ import annotations

from probe.engines.embedded.many_partitions import assignments, widened
from probe.engines.embedded.nodes import NODES
from probe.engines.embedded.topic_rules import fault_rules
from probe.model import Subject
from probe.model.cluster_history import history_plan
from probe.model.placement import Spread, TopicPlan
from probe.scenarios.steps.brokers import Evacuate, StopBroker
from probe.scenarios.steps.partitions import BreakLogDir, MoveLeader

NARROW = Subject(topic="t", affected=0, bystander=1, instance="me", client_id="me", old=2)
LARGE = Subject(topic="t", affected=0, bystander=3, instance="me", client_id="me", old=2)


def moving(subject: Subject, count: int) -> tuple[int, ...]:
    return TopicPlan(feed_ms=0, bystander_ms=0, moving=count).hit(subject.bystander)


def test_the_bystander_is_none_of_the_partitions_that_move() -> None:
    assert moving(NARROW, 1) == (0,)
    assert moving(NARROW, 3) == (0, 2, 3)
    assert moving(LARGE, 3) == (0, 1, 2)


def test_a_usual_fault_stays_as_it_is() -> None:
    fault = fault_rules([BreakLogDir()], NARROW, 150)
    assert widened(fault, NARROW, moving(NARROW, 1)) == fault


def test_a_dead_disk_is_that_of_all_partitions_and_they_move_in_one_step() -> None:
    fault = widened(fault_rules([BreakLogDir()], LARGE, 150), LARGE, moving(LARGE, 3))
    (rule,), (timed,) = fault.rules, fault.changes
    assert list(rule.partitions) == [0, 1, 2]
    assert (timed.after_ms, timed.change.move_leader.partition, list(timed.change.move_leader.also)) == (150, 0, [1, 2])


def test_an_election_moves_all_of_them() -> None:
    (timed,) = widened(fault_rules([MoveLeader()], LARGE, 0), LARGE, moving(LARGE, 3)).changes
    assert list(timed.change.move_leader.also) == [1, 2]


def test_what_a_whole_broker_does_needs_no_more() -> None:
    fault = fault_rules([StopBroker(), Evacuate(leaves=True)], LARGE, 0)
    assert widened(fault, LARGE, moving(LARGE, 3)) == fault


def test_all_of_them_lie_where_the_affected_one_lies() -> None:
    plan = TopicPlan(feed_ms=0, bystander_ms=0, spread=Spread.BYSTANDER_APART, moving=3)
    found = assignments(plan, history_plan("3.9"), plan.places(2, NODES), LARGE)
    assert [one.leader for one in found[:3]] == [2, 2, 2]
    assert 2 not in found[3].replicas
    assert len(found) == 4
