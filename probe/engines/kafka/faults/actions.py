"""How each step of a scenario is done on real brokers, and undone: a table; and what cannot be done, and why."""

from __future__ import annotations

from collections.abc import Mapping

from probe.engines.kafka.faults import (
    brokers,
    coordinator_restarts,
    coordinators,
    decommission,
    disks,
    filler_commits,
    filler_partitions,
    network,
    replicas,
    rolling_restart,
    supervisor,
    topics,
    unknown_api_keys,
    zookeeper_follower,
    zookeeper_loss,
)
from probe.engines.kafka.faults.action import Done, nothing
from probe.engines.kafka.ports import DeedTable
from probe.scenarios.steps.brokers import (
    Blackhole,
    ChangeAddresses,
    Evacuate,
    HangBroker,
    LoseAnswers,
    RefuseConnections,
    Resign,
    ReturnBroker,
    SlowDown,
    StopBroker,
)
from probe.scenarios.steps.coordinators import FillOffsets, RestartBrokers, SendUnknownKeys
from probe.scenarios.steps.partitions import (
    AnswerError,
    BreakLogDir,
    CutConnections,
    DeleteTopic,
    ForgetTopic,
    GrowTopic,
    HoldDiscovery,
    LagMetadata,
    LoadCoordinator,
    LoseCoordinator,
    LoseLeader,
    MoveCoordinator,
    MoveLeader,
    RecreateTopic,
    Rejoin,
    RollBack,
    Step,
)
from probe.scenarios.steps.real import (
    Decommission,
    DropFollower,
    DumpLogs,
    KeepReplicas,
    LoseZooKeeper,
    ManyLogs,
    Meanwhile,
    RestartAll,
    SlowReads,
    Supervise,
)

DEEDS: DeedTable = {
    BreakLogDir: Done(disks.break_log_dir, disks.mend_log_dir),
    SlowReads: Done(disks.slow_reads, disks.full_speed),
    MoveLeader: Done(replicas.move_leader),
    KeepReplicas: Done(replicas.keep_replicas),
    Meanwhile: Done(replicas.meanwhile),
    MoveCoordinator: Done(replicas.move_coordinator),
    LoadCoordinator: Done(coordinators.load, coordinators.loaded),
    LoseCoordinator: Done(coordinators.lose, coordinators.found),
    DeleteTopic: Done(topics.delete),
    RecreateTopic: Done(topics.recreate),
    GrowTopic: Done(topics.grow),
    StopBroker: Done(brokers.in_time, brokers.all_up),
    HangBroker: Done(brokers.in_time, brokers.all_up),
    ReturnBroker: Done(brokers.in_time, brokers.all_up),
    Evacuate: Done(brokers.in_time),
    Resign: Done(brokers.resign, brokers.all_up),
    CutConnections: Done(network.cut),
    RefuseConnections: Done(network.refuse, network.accept),
    Blackhole: Done(network.blackhole, network.pass_again),
    SlowDown: Done(network.slow, network.quick),
    HoldDiscovery: Done(network.hold, network.release),
    LoseAnswers: Done(network.lose, network.lose_no_more),
    ManyLogs: Done(filler_partitions.make, filler_partitions.remove),
    LoseZooKeeper: Done(zookeeper_loss.lose, zookeeper_loss.found),
    Supervise: Done(supervisor.supervise, supervisor.end),
    DropFollower: Done(zookeeper_follower.drop_follower),
    DumpLogs: Done(nothing),
    RestartAll: Done(rolling_restart.restart_all, rolling_restart.all_up),
    Decommission: Done(decommission.decommission, brokers.all_up),
    SendUnknownKeys: Done(unknown_api_keys.send),
    FillOffsets: Done(filler_commits.fill),
    RestartBrokers: Done(coordinator_restarts.restart, coordinator_restarts.mend),
    ChangeAddresses: Done(network.change_addresses, brokers.all_up),
}

UNPLAYED: Mapping[type[Step], str] = {
    AnswerError: "a real broker answers what it means; the state behind an error is a scenario of its own",
    ForgetTopic: "a real broker knows its topics again within moments of its return (broker/slow-recovery)",
    LagMetadata: "real metadata is as late as it is; it cannot be held back for so long",
    LoseLeader: "a real cluster elects whoever is in sync; who is left is stopped (leader/election-slow)",
    Rejoin: "a real coordinator asks for it when a member comes or goes, of which there is one",
    RollBack: "brokers of two versions do not take each other's place on the same log dirs",
}
"""Scenarios with these steps are the embedded engine's alone."""
