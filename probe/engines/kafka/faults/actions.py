"""The table of fault actions by kind of step."""

from __future__ import annotations

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
from probe.engines.kafka.faults.action import Action, nothing
from probe.engines.kafka.ports import ActionTable
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
from probe.scenarios.steps.coordinators import (
    FillOffsets,
    LoadCoordinator,
    LoseCoordinator,
    MoveCoordinator,
    RestartBrokers,
    SendUnknownKeys,
)
from probe.scenarios.steps.partitions import BreakLogDir, CutConnections, HoldDiscovery, MoveLeader
from probe.scenarios.steps.real import (
    ConfigureTopics,
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
from probe.scenarios.steps.topics import DeleteTopic, GrowTopic, RecreateTopic, ReplaceTopic

ACTIONS: ActionTable = {
    BreakLogDir: Action(disks.break_log_dir, disks.mend_log_dir),
    SlowReads: Action(disks.slow_reads, disks.full_speed),
    MoveLeader: Action(replicas.move_leader),
    KeepReplicas: Action(replicas.keep_replicas),
    Meanwhile: Action(replicas.meanwhile),
    ConfigureTopics: Action(replicas.configure_topics),
    MoveCoordinator: Action(replicas.move_coordinator),
    LoadCoordinator: Action(coordinators.load, coordinators.loaded),
    LoseCoordinator: Action(coordinators.lose, coordinators.found),
    DeleteTopic: Action(topics.delete),
    RecreateTopic: Action(topics.recreate),
    ReplaceTopic: Action(topics.replace),
    GrowTopic: Action(topics.grow),
    StopBroker: Action(brokers.in_time, brokers.all_up),
    HangBroker: Action(brokers.in_time, brokers.all_up),
    ReturnBroker: Action(brokers.in_time, brokers.all_up),
    Evacuate: Action(brokers.in_time),
    Resign: Action(brokers.resign, brokers.all_up),
    CutConnections: Action(network.cut),
    RefuseConnections: Action(network.refuse, network.accept),
    Blackhole: Action(network.blackhole, network.pass_again),
    SlowDown: Action(network.slow, network.quick),
    HoldDiscovery: Action(network.hold, network.release),
    LoseAnswers: Action(network.lose, network.lose_no_more),
    ManyLogs: Action(filler_partitions.make, filler_partitions.remove),
    LoseZooKeeper: Action(zookeeper_loss.lose, zookeeper_loss.found),
    Supervise: Action(supervisor.supervise, supervisor.end),
    DropFollower: Action(zookeeper_follower.drop_follower),
    DumpLogs: Action(nothing),
    RestartAll: Action(rolling_restart.restart_all, rolling_restart.all_up),
    Decommission: Action(decommission.decommission, brokers.all_up),
    SendUnknownKeys: Action(unknown_api_keys.send),
    FillOffsets: Action(filler_commits.fill),
    RestartBrokers: Action(coordinator_restarts.restart, coordinator_restarts.mend),
    ChangeAddresses: Action(network.change_addresses, brokers.all_up),
}
