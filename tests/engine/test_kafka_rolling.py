"""The order of rolling restarts, and the reassignment plan of a broker that is decommissioned."""

from __future__ import annotations

import asyncio
from itertools import chain, product
from pathlib import Path
from typing import Any

import pytest

from probe.engines.kafka.cluster.nodes import NODES
from probe.engines.kafka.faults.decommission import plan, requests_to
from probe.engines.kafka.faults.rolling_restart import all_up, waves
from probe.engines.kafka.ports import FaultTarget, Placement
from probe.scenarios.steps.real_brokers import Order, RestartAll
from tests.support.scripted_kafka import OLD, Cluster, played, subject

CONTROLLER_NODE = 4
pytestmark = pytest.mark.usefixtures("no_waiting")


class TestOrder:
    @pytest.mark.parametrize(("old", "controller", "order"), list(product(NODES, (*NODES, CONTROLLER_NODE), Order)))
    def test_every_node_is_restarted_once(self, old: int, controller: int, order: Order) -> None:
        assert sorted(chain.from_iterable(waves(order, NODES.turns(old), controller))) == sorted({*NODES, controller})

    @pytest.mark.parametrize(("old", "controller"), list(product(NODES, (*NODES, CONTROLLER_NODE))))
    def test_the_controller_is_first_or_last_as_ordered(self, old: int, controller: int) -> None:
        assert waves(Order.CONTROLLER_LAST, NODES.turns(old), controller)[-1] == (controller,)
        assert waves(Order.CONTROLLER_FIRST, NODES.turns(old), controller)[0] == (controller,)
        assert max(map(len, waves(Order.CONTROLLER_LAST, NODES.turns(old), controller))) == 1

    @pytest.mark.parametrize(("old", "controller"), list(product(NODES, (*NODES, CONTROLLER_NODE))))
    def test_two_at_once_are_brokers_and_include_the_failing_one(self, old: int, controller: int) -> None:
        first, *others = waves(Order.TWO_AT_ONCE, NODES.turns(old), controller)
        assert len(first) == 2
        assert old in first
        assert CONTROLLER_NODE not in first
        assert all(len(wave) == 1 for wave in others)
        assert controller not in first or controller == old, "the controller must come later"


def node_requests(name: str, tmp_path: Path) -> list[str]:
    return [
        line
        for line in played(name, tmp_path)
        if line.split()[0] in {"terminate", "start", "begin", "in_sync", "fault_on"}
    ]


def test_the_next_node_stops_when_all_replicas_are_in_sync(tmp_path: Path) -> None:
    requests = node_requests("incident/rolling/controller-last", tmp_path)
    requests.remove(f"fault_on {OLD}")
    assert requests == [
        *("terminate 2", "start 2", "in_sync"),
        *("terminate 1", "start 1", "in_sync"),
        *("terminate 3", "start 3", "in_sync"),
        *("terminate 4", "begin 4", "in_sync"),
    ]


def test_two_at_once_are_down_at_the_same_time(tmp_path: Path) -> None:
    requests = node_requests("incident/rolling/two-at-once", tmp_path)
    requests.remove(f"fault_on {OLD}")
    assert requests[:5] == ["terminate 2", "terminate 1", "start 2", "start 1", "in_sync"]


def test_a_stopped_controller_starts_before_the_brokers(tmp_path: Path) -> None:
    cluster: Any = Cluster(tmp_path)
    cluster.ensemble[0].pid = cluster.brokers[1].pid = None
    target = FaultTarget(cluster=cluster, subjects=[subject()], election_ms=0)
    asyncio.run(all_up(RestartAll(order=Order.CONTROLLER_LAST), target))
    assert [line for line in cluster.told if line.split()[0] in {"begin", "start"}] == ["begin 4", "start 1"]


def placed(*replicas: int) -> Placement:
    return Placement(replicas[0], replicas, replicas)


class TestPlan:
    def test_a_replica_goes_to_a_broker_without_one(self) -> None:
        assert plan({("t", 0): placed(2, 1), ("t", 1): placed(1, 3)}, 2, (1, 3)) == {("t", 0): (1, 3)}

    def test_brokers_with_the_fewest_replicas_take_the_most(self) -> None:
        seen = {("t", number): placed(4, 1) for number in range(4)} | {("u", 0): placed(2, 1), ("u", 1): placed(2, 1)}
        moves = plan(seen, 4, (1, 2, 3))
        assert [to for (name, _), to in moves.items() if name == "t"] == [(1, 3), (1, 3), (1, 2), (1, 3)]

    def test_a_partition_on_all_brokers_loses_a_replica(self) -> None:
        assert plan({("t", 0): placed(2, 3, 1)}, 2, (1, 3)) == {("t", 0): (3, 1)}

    def test_the_leaving_broker_keeps_no_replica(self) -> None:
        seen = {("t", number): placed(*one) for number, one in enumerate(((1, 2, 3), (2, 3), (3, 1), (1,)))}
        for leaving in NODES:
            staying = NODES.others(leaving)
            moves = plan(seen, leaving, staying)
            assert set(moves) == {key for key, one in seen.items() if leaving in one.replicas}
            assert all(leaving not in to and len(set(to)) == len(to) > 0 for to in moves.values())

    def test_the_plan_lists_topics_of_the_trial_first(self) -> None:
        seen = {("__consumer_offsets", 0): placed(2, 3, 1), ("t", 0): placed(2, 1)}
        assert requests_to(seen, plan(seen, 2, (1, 3)), 2) == [
            "plan: 2 partitions leave broker 2, 1 of them to another broker",
            "plan: t-0 (2, 1) -> (1, 3)",
            "plan: __consumer_offsets-0 (2, 3, 1) -> (3, 1)",
        ]

    def test_the_broker_stops_when_it_holds_no_replica(self, tmp_path: Path) -> None:
        found = played("incident/decommissioned", tmp_path)
        assert found.index("reassign t-0 (1, 3)") < found.index(f"terminate {OLD}")
        assert found.index(f"fault_on {OLD}") < found.index("reassign t-0 (1, 3)")
        assert "reassign __consumer_offsets-1 (1, 3)" in found
