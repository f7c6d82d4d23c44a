"""How each step of a scenario is done on real brokers, and undone: a table; and what cannot be done, and why."""

from __future__ import annotations

from collections.abc import Mapping

from probe.engines.deeds import (
    brokers,
    commits,
    coordinators,
    decommission,
    disks,
    many_logs,
    network,
    replicas,
    restarts,
    rolling,
    supervisor,
    topics,
    unknown_keys,
    zookeeper_gone,
    zookeeper_rejoin,
)
from probe.engines.deeds.deed import Done, nothing
from probe.engines.kafka_ports import DeedTable
from probe.scenarios.broker_steps import (
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
from probe.scenarios.coordinator_steps import FillOffsets, RestartBrokers, SendUnknownKeys
from probe.scenarios.real_steps import (
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
from probe.scenarios.steps import (
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
    ManyLogs: Done(many_logs.make, many_logs.remove),
    LoseZooKeeper: Done(zookeeper_gone.lose, zookeeper_gone.found),
    Supervise: Done(supervisor.supervise, supervisor.end),
    DropFollower: Done(zookeeper_rejoin.drop_follower),
    DumpLogs: Done(nothing),
    RestartAll: Done(rolling.restart_all, rolling.all_up),
    Decommission: Done(decommission.decommission, brokers.all_up),
    SendUnknownKeys: Done(unknown_keys.send),
    FillOffsets: Done(commits.fill),
    RestartBrokers: Done(restarts.restart, restarts.mend),
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
