"""Properties of Kafka and ZooKeeper nodes, by release line. Pure.

All settings except addresses and folders are in tables with their reasons. All other properties keep Kafka's defaults,
so that brokers behave as usual.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.engines.kafka.zookeeper.ensemble import Member
from probe.model.endpoint import Endpoint, as_text
from probe.model.rack import rack_of
from probe.model.release_lines import Since, has

CONTROLLER = 4

INTERNAL_PARTITIONS = 6
"""Number of partitions of an internal topic. The broker at place n % 3 leads partition n.

Each broker leads one partition for affected keys and one for bystanders.
"""

BROKER: Mapping[str, str] = {
    # internal topics are on all brokers, and few partitions load quickly
    "offsets.topic.replication.factor": "3",
    "offsets.topic.num.partitions": str(INTERNAL_PARTITIONS),
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.num.partitions": str(INTERNAL_PARTITIONS),
    # topics and leaders change only by the scenario
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "delete.topic.enable": "true",
    # as in the properties that Kafka ships: otherwise the first member of a group waits for 3 s
    "group.initial.rebalance.delay.ms": "0",
    # small, so that a broker needs little memory
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.segment.bytes": "1048576",
    # many partitions move at once here: a follower that fetches before the new leader leads would back off for a
    # second, which clients of a usual cluster hardly ever observe
    "replica.fetch.backoff.ms": "100",
    # topics of finished trials are deleted at once
    "log.segment.delete.delay.ms": "1000",
}
LOADING: Mapping[str, str] = {
    # many small reads, so that a slow disk makes loading slow
    "offsets.load.buffer.size": "1024",
    "transaction.state.log.load.buffer.size": "1024",
}
SHARE_STATE: Mapping[str, str] = {"share.coordinator.state.topic.num.partitions": str(INTERNAL_PARTITIONS)}
"""As many partitions as other internal topics have. Brokers place a key by this number, not by the topic's own."""
RACK_AWARE: Mapping[str, str] = {
    "replica.selector.class": "org.apache.kafka.common.replica.RackAwareReplicaSelector",
}
"""Leaders send readers to the follower in their rack (KIP-392); by default each reader stays at the leader."""
QUORUM_IDLE: Mapping[str, str] = {"metadata.max.idle.interval.ms": "5000"}
"""Longer interval of the no-op records of KRaft (KIP-835): the default is twice per second, which costs CPU time."""
ZOOKEEPER_SESSION: Mapping[str, str] = {"zookeeper.session.timeout.ms": "6000"}
"""The default up to 2.4, for all release lines."""
ZOOKEEPER: Mapping[str, str] = {"maxClientCnxns": "0", "admin.enableServer": "false", "tickTime": "1000"}

Properties = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Addresses of the nodes of one cluster, all on loopback."""

    external: Mapping[int, Endpoint]
    """By broker: address to which the relay forwards."""
    advertised: Mapping[int, Endpoint]
    """By broker: the relay's address, which brokers advertise to clients."""
    internal: Mapping[int, Endpoint]
    """By broker: address for other brokers and the harness. Without named listeners, the same as `external`."""
    quorum: tuple[Endpoint, ...]
    """Address of the controller, or of all ZooKeeper servers."""
    members: tuple[Member, ...] = ()
    """Members of a ZooKeeper ensemble; empty if there is at most one server."""


def has_listener_names(version: str) -> bool:
    """Return whether brokers can have a listener for each other in addition to the one for clients."""
    return has(version, Since.LISTENER_NAMES)


def broker(version: str, node: int, where: Addresses, log_dirs: Sequence[Path], *, kraft: bool) -> Properties:
    """Return a broker's properties."""
    properties = {**BROKER, "log.dirs": ",".join(map(str, log_dirs)), **_listeners(version, node, where, kraft=kraft)}
    if has(version, Since.LARGE_BATCHES_LOAD):
        properties |= LOADING
    if has(version, Since.SHARE_GROUPS):
        properties |= SHARE_STATE
    if kraft:
        properties |= {"node.id": str(node), "process.roles": "broker", **_quorum(where)}
        properties["metadata.log.dir"] = str(metadata_dir(log_dirs))
    else:
        properties |= {"broker.id": str(node), "zookeeper.connect": as_text(where.quorum), **ZOOKEEPER_SESSION}
    return properties


def racks(node: int) -> Properties:
    """Return the properties by which a broker has a rack, and knows what racks are for."""
    return {"broker.rack": rack_of(node), **RACK_AWARE}


def metadata_dir(log_dirs: Sequence[Path]) -> Path:
    """Return a KRaft broker's folder for metadata, which is outside of the log dirs that break."""
    return log_dirs[0].parent / "meta"


def controller(where: Addresses, folder: Path) -> Properties:
    """Return the properties of the only KRaft controller. It is not a broker, so faults of brokers do not hit it."""
    return {
        "node.id": str(CONTROLLER),
        "process.roles": "controller",
        "listeners": f"CTL://{where.quorum[0]}",
        "listener.security.protocol.map": "CTL:PLAINTEXT,EXT:PLAINTEXT,INT:PLAINTEXT",
        "log.dirs": str(folder / "meta"),
        **_quorum(where),
    }


def zookeeper(address: Endpoint, folder: Path) -> Properties:
    """Return the properties of a ZooKeeper server with this client address."""
    listens = {"clientPort": str(address.port), "clientPortAddress": address.host}
    return {**ZOOKEEPER, "dataDir": str(folder / "data"), **listens}


def meta_properties(cluster_id: str, node: int) -> str:
    """Return the file that marks a log dir of a KRaft node as formatted (version 1, KIP-631; directory.id, KIP-858).

    `kafka.tools.StorageTool` writes the same, but needs a Java process per node. What else it writes: `formatting`.
    """
    return f"version=1\ncluster.id={cluster_id}\nnode.id={node}\ndirectory.id={new_id()}\n"


def new_id() -> str:
    """Return a random id in Kafka's format: 22 characters, of which the first is not a dash."""
    while (text := base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass
    return text


def _listeners(version: str, node: int, where: Addresses, *, kraft: bool) -> Properties:
    if not has_listener_names(version):
        return {
            "listeners": f"PLAINTEXT://{where.external[node]}",
            "advertised.listeners": f"PLAINTEXT://{where.advertised[node]}",
        }
    return {
        "listeners": f"EXT://{where.external[node]},INT://{where.internal[node]}",
        "advertised.listeners": f"EXT://{where.advertised[node]},INT://{where.internal[node]}",
        "listener.security.protocol.map": "EXT:PLAINTEXT,INT:PLAINTEXT" + (",CTL:PLAINTEXT" if kraft else ""),
        "inter.broker.listener.name": "INT",
    }


def _quorum(where: Addresses) -> Properties:
    voters = {"controller.quorum.voters": f"{CONTROLLER}@{where.quorum[0]}", "controller.listener.names": "CTL"}
    return {**voters, **QUORUM_IDLE}
