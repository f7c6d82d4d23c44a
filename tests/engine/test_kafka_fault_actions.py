"""Every step has an action on real brokers or a reason. Actions send the right requests in the right order."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import pytest

from probe.catalogue.scenarios import default_scenarios
from probe.engines.kafka.admin.partitioner import java_hash, partition_of
from probe.engines.kafka.cluster.nodes import NODES
from probe.engines.kafka.faults.actions import ACTIONS
from probe.engines.kafka.faults.filler_entries import named
from probe.engines.kafka.faults.replicas import without
from probe.engines.kafka.faults.schedule import is_ours, later
from probe.engines.kafka.faults.unsupported_steps import UNSUPPORTED_STEPS
from probe.errors import EngineError
from probe.model import Engine, Role
from probe.scenarios.session_timeouts import session_ms
from probe.scenarios.steps.brokers import Evacuate, HangBroker, StopBroker
from probe.scenarios.steps.controller import LoseController, MoveController
from probe.scenarios.steps.step import Step
from tests.support.scripted_kafka import KRAFT_MS, OLD, inject, part, played

pytestmark = pytest.mark.usefixtures("no_waiting")


def test_every_step_has_an_action_or_a_reason() -> None:
    steps = set(get_args(Step))
    assert set(ACTIONS) | set(UNSUPPORTED_STEPS) == steps
    assert not set(ACTIONS) & set(UNSUPPORTED_STEPS)
    assert all(len(reason) > 20 for reason in UNSUPPORTED_STEPS.values())


def test_scenarios_of_this_engine_have_actions_for_all_steps() -> None:
    for name, item in default_scenarios().items():
        if Engine.KAFKA not in item.engines:
            continue
        for role in item.roles:
            found = item.variant(role, Engine.KAFKA)
            if found is not None:
                assert not {type(step) for step in found.steps} & set(UNSUPPORTED_STEPS), name


def test_scenarios_of_the_embedded_engine_have_no_real_steps() -> None:
    """A scenario of the embedded engine has no step that only real brokers can take."""
    only_real = {kind.__name__ for kind in ACTIONS} & {"KeepReplicas", "Meanwhile", "ConfigureTopics", "SlowReads"}
    for name, item in default_scenarios().items():
        if Engine.EMBEDDED in item.engines:
            assert not {type(step).__name__ for found in item.variants for step in found.steps} & only_real, name


@pytest.mark.parametrize(
    "name", [name for name, item in default_scenarios().items() if Engine.KAFKA in item.engines and "/" in name]
)
def test_every_scenario_can_be_injected_and_reverted(name: str, tmp_path: Path) -> None:
    roles = [role for role in default_scenarios()[name].roles if default_scenarios()[name].variant(role, Engine.KAFKA)]
    calls = played(name, tmp_path, roles[0])
    assert calls.count(f"fault_on {OLD}") == 1
    if part(name, roles[0]).steps:
        assert "in_sync" in played(name, tmp_path, roles[0], undone=True)[-3:]


class TestStepsThatBrokersTakeThemselves:
    @pytest.mark.parametrize(
        ("name", "own"),
        [
            ("broker/kill", ["StopBroker"]),
            ("broker/hang", ["HangBroker"]),
            ("broker/shutdown", ["Resign"]),
            ("broker/shutdown-hung", ["HangBroker", "Evacuate"]),
            ("broker/decommissioned", ["Evacuate", "StopBroker"]),
            ("net/refused", ["RefuseConnections", "Evacuate"]),
            ("net/blackhole", ["Blackhole", "HangBroker"]),
        ],
    )
    def test_only_some_steps_need_the_engine(self, name: str, own: list[str]) -> None:
        found = part(name)
        election_ms = KRAFT_MS if found.by_session else found.expectation.election_ms or 0
        ours = [step for step in found.steps if is_ours(step, found.steps, election_ms, KRAFT_MS)]
        assert [type(step).__name__ for step in ours] == own

    def test_later_steps_are_in_order_of_time(self) -> None:
        steps = part("broker/rolling").steps
        coming = later(steps, 0, session_ms("3.9"))
        assert [after for after, _ in coming] == sorted(after for after, _ in coming)
        assert [type(step).__name__ for _, step in coming] == ["StopBroker", "ReturnBroker"] * 3
        assert not any(isinstance(step, Evacuate) for _, step in coming)

    def test_an_early_election_needs_the_engine(self) -> None:
        steps = (HangBroker(), Evacuate())
        assert is_ours(steps[1], steps, 0, KRAFT_MS)
        assert not is_ours(StopBroker(listed=False), part("broker/shutdown").steps, 150, KRAFT_MS)


class TestActions:
    def test_a_kill_refuses_connections_and_cuts_links(self, tmp_path: Path) -> None:
        assert played("broker/kill", tmp_path) == [
            f"refuse {OLD}",
            f"kill {OLD}",
            f"fault_on {OLD}",
            f"stopped {OLD}",
            f"cut {OLD}",
        ]
        assert played("broker/kill", tmp_path, undone=True)[0] == f"start {OLD}"

    def test_a_follower_is_held_back_by_its_own_writes(self, tmp_path: Path) -> None:
        calls = played("follower/lagging", tmp_path, Role.CONSUMER)
        assert calls == [f"hold_writes {OLD} t-0", f"fault_on {OLD}"]
        assert played("follower/lagging", tmp_path, Role.CONSUMER, undone=True)[0] == f"mend_dir {OLD} t-0"

    def test_a_shutdown_is_one_signal(self, tmp_path: Path) -> None:
        calls = played("broker/shutdown", tmp_path)
        assert calls[:2] == [f"terminate {OLD}", f"fault_on {OLD}"]
        assert calls.count(f"terminate {OLD}") == 1
        assert calls[-2:] == [f"stopped {OLD}", f"cut {OLD}"]

    def test_a_replaced_topic_is_filled_before_clients_learn_who_leads_it(self, tmp_path: Path) -> None:
        calls = played("topic/replaced", tmp_path)
        assert [line.split()[0] for line in calls] == [
            *("fault_on", "delete_topics", "hold", "create_topics", "fill", "fill", "hold")
        ]
        assert [line for line in calls if line.startswith("fill")] == ["fill t-0 80 at 3", "fill t-1 80 at 3"]
        assert calls[-1] == "hold () 0"
        assert str(OLD) not in calls[3].partition("{")[2]

    def test_a_topic_that_comes_back_empty_is_not_held_back(self, tmp_path: Path) -> None:
        calls = played("topic/absent", tmp_path)
        assert [line.split()[0] for line in calls] == ["fault_on", "delete_topics", "create_topics"]

    def test_a_rolling_restart_waits_for_every_broker_to_be_in_sync(self, tmp_path: Path) -> None:
        calls = [
            line for line in played("broker/rolling", tmp_path) if line.split()[0] in {"terminate", "start", "in_sync"}
        ]
        assert calls == [
            *("terminate 2", "start 2", "in_sync"),
            *("terminate 1", "start 1", "in_sync"),
            *("terminate 3", "start 3"),
        ]

    def test_a_restart_loop_starts_and_kills(self, tmp_path: Path) -> None:
        calls = [line for line in played("broker/restart-loop", tmp_path) if line.split()[0] in {"kill", "begin"}]
        assert calls == [f"kill {OLD}", *([f"begin {OLD}", f"kill {OLD}"] * 5)]

    def test_the_replicas_of_a_hung_broker_are_removed(self, tmp_path: Path) -> None:
        calls = played("broker/shutdown-hung", tmp_path)
        assert calls[:2] == [f"pause {OLD}", f"fault_on {OLD}"]
        assert "reassign t-0 (3, 1)" in calls
        assert not any(line.startswith("elect") for line in calls)

    def test_an_unreachable_broker_hands_over_and_follows(self, tmp_path: Path) -> None:
        calls = played("net/refused", tmp_path)
        assert calls[:3] == [f"refuse {OLD}", f"fault_on {OLD}", f"cut {OLD}"]
        assert "reassign t-0 (3, 1, 2)" in calls
        assert "elect t-0,t-1,__consumer_offsets-1" in calls

    def test_elections_and_reassignments_are_requested(self, tmp_path: Path) -> None:
        assert played("leader/elected", tmp_path) == ["reassign t-0 (3, 1, 2)", f"fault_on {OLD}", "elect t-0"]
        assert played("leader/reassigned", tmp_path) == [f"fault_on {OLD}", "reassign t-0 (3, 1)"]

    @pytest.mark.parametrize(
        ("name", "role", "broken"),
        [
            ("disk/storage-error", Role.PRODUCER, ["break_dir 2 d0"]),
            ("disk/full", Role.PRODUCER, ["fill_dir 2 d0"]),
            ("disk/follower", Role.PRODUCER, ["break_dir 1 d0"]),
            ("disk/offsets-storage-error", Role.GROUP, ["break_dir 2 d1"]),
        ],
    )
    def test_a_disk_fault_is_injected_and_reverted_with_a_restart(
        self, name: str, role: Role, broken: list[str], tmp_path: Path
    ) -> None:
        assert played(name, tmp_path, role) == [*broken, f"fault_on {OLD}"]
        node = broken[0].split()[1]
        assert played(name, tmp_path, role, undone=True)[:3] == [
            f"mend_dir {node} {broken[0].split()[2]}",
            f"terminate {node}",
            f"start {node}",
        ]

    def test_a_broker_is_restarted_while_its_disk_is_broken(self, tmp_path: Path) -> None:
        calls = played("disk/storage-error-restart", tmp_path)
        assert [
            line.split()[0] for line in calls if line.split()[0] in {"break_dir", "terminate", "start", "mend_dir"}
        ] == [
            "break_dir",
            "terminate",
            "start",
        ]

    def test_a_coordinator_move_moves_its_internal_partition(self, tmp_path: Path) -> None:
        number = partition_of("g1", 3)
        calls = played("coordinator/moved", tmp_path, Role.GROUP)
        assert calls == [
            f"reassign __consumer_offsets-{number} (3, 1, 2)",
            f"fault_on {OLD}",
            f"elect __consumer_offsets-{number}",
        ]

    def test_a_controller_resigns_until_another_is_elected(self, tmp_path: Path) -> None:
        calls = played("controller/moved", tmp_path, Role.ADMIN)
        assert calls == [f"fault_on {OLD}", "resign 1", "resign 1", "moved 3", "announced 3"]

    def test_the_kraft_controller_is_paused_until_reverted(self, tmp_path: Path) -> None:
        assert played("controller/gone", tmp_path, Role.ADMIN)[:2] == ["pause 4", f"fault_on {OLD}"]

    @pytest.mark.parametrize(("step", "kraft"), [(MoveController(), True), (LoseController(), False)])
    def test_a_controller_that_is_kept_otherwise_is_left_alone(self, step: Step, kraft: bool, tmp_path: Path) -> None:
        with pytest.raises(EngineError, match="ZooKeeper here"):
            inject(step, tmp_path, kraft=kraft)

    def test_a_lost_coordinator_gets_its_replicas_back(self, tmp_path: Path) -> None:
        number = partition_of("g1", 3)
        calls = played("coordinator/gone", tmp_path, Role.GROUP)
        assert calls[:2] == [f"reassign __consumer_offsets-{number} (2,)", f"terminate {OLD}"]
        reverted = played("coordinator/gone", tmp_path, Role.GROUP, undone=True)
        assert f"give back __consumer_offsets-{number} (2, 3, 1)" in reverted

    def test_an_unclean_election_is_prepared_before_the_fault(self, tmp_path: Path) -> None:
        calls = played("broker/unclean-election", tmp_path)
        assert calls.index("terminate 1") < calls.index(f"kill {OLD}") < calls.index(f"fault_on {OLD}")
        assert "reassign t-0 (2, 1)" in calls
        assert "reassign t-1 (3,)" in calls
        assert calls.index(f"fault_on {OLD}") < calls.index("start 1")

    def test_too_few_replicas_is_a_stopped_follower(self, tmp_path: Path) -> None:
        calls = played("topic/too-few-replicas", tmp_path)
        configured = "configure_topic t {'min.insync.replicas': '2'}"
        assert calls.index("terminate 1") < calls.index("stopped 1") < calls.index(configured), "no write is under way"
        assert calls.index(f"fault_on {OLD}") == calls.index(configured) - 1

    def test_a_quota_is_set_and_removed(self, tmp_path: Path) -> None:
        calls = played("quota/throttled", tmp_path)
        assert calls == ["set_quota ['me'] producer_byte_rate 700", f"fault_on {OLD}"]
        reverted = played("quota/throttled", tmp_path, undone=True)
        assert reverted == ["set_quota ['me'] producer_byte_rate None", "in_sync"]

    def test_another_cluster_is_reachable_once_it_serves(self, tmp_path: Path) -> None:
        calls = played("cluster/replaced", tmp_path)
        at = calls.index("replace ['t'] (0, 1)")
        assert [line.split()[0] for line in calls[:at]] == [*("refuse",) * 4, "fault_on", *("cut",) * 4]
        assert [line.split()[0] for line in calls[at + 1 :]] == ["replaced", *("accept",) * 4]

    def test_no_client_reaches_a_cluster_that_is_started_again_for_the_read_back(self, tmp_path: Path) -> None:
        reverted = played("cluster/replaced", tmp_path, undone=True)
        assert reverted[-2:] == ["restore", "in_sync"]
        assert not any(line.startswith("accept") for line in reverted)

    @pytest.mark.parametrize(
        ("name", "gone"),
        [("broker/address-changed", ["refuse", "cut", "stopped"]), ("broker/address-changed/silent", [])],
    )
    def test_a_broker_that_moves_leaves_its_old_port_refusing_or_silent(
        self, name: str, gone: list[str], tmp_path: Path
    ) -> None:
        calls = played(name, tmp_path)
        calls = [line.split()[0] for line in calls[calls.index(f"fault_on {OLD}") :]]
        back = ["start", "accept", "returned", "moved", "announced"]
        assert calls == ["fault_on", *gone, "refuse", "terminate", *back]

    def test_responses_are_lost_at_the_relay(self, tmp_path: Path) -> None:
        assert played("net/response-lost", tmp_path) == [f"lose {OLD} (0,) 3", f"fault_on {OLD}"]


def test_keys_are_in_the_partitions_that_java_computes() -> None:
    assert [java_hash(text) for text in ("", "a", "group", "polygenelubricants")] == [0, 97, 98629247, 0]
    assert java_hash("g-sarama-group-1") == 1064185843  # Java says -1064185843
    assert without(NODES, (1, 2, 3), 3) == (1, 2)
    assert [partition_of(named(number, 6), 6) for number in range(6)] == [0, 1, 2, 3, 4, 5]
