"""What Kafka and ZooKeeper nodes are told: their properties, by Kafka line. Pure.

Every setting that is not a matter of addresses and folders stands in a table with its reason beside it; whatever is
not there is Kafka's default, so that the brokers behave as brokers do.
"""

from __future__ import annotations

import base64
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from probe.engines.kafka.zookeeper.ensemble import Member
from probe.model.endpoint import Endpoint, as_text

CONTROLLER = 4
LISTENER_NAMES_SINCE = (0, 10, 2)
"""Listeners have names of their own from here on (KIP-103)."""

INTERNAL_PARTITIONS = 6
"""Of each internal topic; partition n is led by broker n % 3 + 1: one for what is affected, one for bystanders."""

BROKER: Mapping[str, str] = {
    # internal topics: on all brokers, with few partitions, which load quickly
    "offsets.topic.replication.factor": "3",
    "offsets.topic.num.partitions": str(INTERNAL_PARTITIONS),
    "transaction.state.log.replication.factor": "3",
    "transaction.state.log.num.partitions": str(INTERNAL_PARTITIONS),
    # nothing happens that the scenario does not do
    "auto.create.topics.enable": "false",
    "auto.leader.rebalance.enable": "false",
    "delete.topic.enable": "true",
    # as in the properties that Kafka ships: a first member is not kept waiting for 3 s, which no client can help
    "group.initial.rebalance.delay.ms": "0",
    # small: one broker lives in 170 MB
    "log.cleaner.dedupe.buffer.size": "2097152",
    "log.segment.bytes": "1048576",
    # dozens of partitions move at once here: a follower that asks the new leader before that has come to its partition
    # would wait for a second, which clients of a quiet cluster hardly ever see
    "replica.fetch.backoff.ms": "100",
    # topics of finished trials go at once
    "log.segment.delete.delay.ms": "1000",
}
LOADING: Mapping[str, str] = {
    # many small reads, so that a slow disk shows while they are loaded
    "offsets.load.buffer.size": "1024",
    "transaction.state.log.load.buffer.size": "1024",
}
LOADING_SINCE = (1, 1)
"""Older brokers never get beyond a batch that is larger."""
QUORUM_IDLE: Mapping[str, str] = {"metadata.max.idle.interval.ms": "5000"}
"""Of KRaft nodes (KIP-835): else the controller writes a record that says nothing twice a second, which every broker
reads, on each of several clusters."""
ZOOKEEPER_SESSION: Mapping[str, str] = {"zookeeper.session.timeout.ms": "6000"}
"""As it was by default up to 2.4, on all lines."""
ZOOKEEPER: Mapping[str, str] = {"maxClientCnxns": "0", "admin.enableServer": "false", "tickTime": "1000"}

Properties = dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Addresses:
    """Where the nodes of one cluster listen, all on loopback."""

    external: Mapping[int, Endpoint]
    """Per broker: where the relay finds it."""
    advertised: Mapping[int, Endpoint]
    """Per broker: the relay's own address, which clients are told."""
    internal: Mapping[int, Endpoint]
    """Per broker: for other brokers and for us. Before listeners had names it is `external`."""
    quorum: tuple[Endpoint, ...]
    """The controller's, or those of all ZooKeepers."""
    members: tuple[Member, ...] = ()
    """The ZooKeepers, where there are several."""


def line_key(version: str) -> tuple[int, ...]:
    """Return a version as numbers, for comparing."""
    return tuple(int(part) for part in version.split("."))


def has_listener_names(version: str) -> bool:
    """Say whether brokers can have a listener for each other beside the one for clients."""
    return line_key(version) >= LISTENER_NAMES_SINCE


def broker(version: str, node: int, where: Addresses, log_dirs: Sequence[Path], *, kraft: bool) -> Properties:
    """Return a broker's properties."""
    properties = {**BROKER, "log.dirs": ",".join(map(str, log_dirs)), **_listeners(version, node, where, kraft=kraft)}
    if line_key(version) >= LOADING_SINCE:
        properties |= LOADING
    if kraft:
        properties |= {"node.id": str(node), "process.roles": "broker", **_quorum(where)}
        properties["metadata.log.dir"] = str(metadata_dir(log_dirs))
    else:
        properties |= {"broker.id": str(node), "zookeeper.connect": as_text(where.quorum), **ZOOKEEPER_SESSION}
    return properties


def metadata_dir(log_dirs: Sequence[Path]) -> Path:
    """Return where a KRaft broker keeps its copy of the metadata: a broken log dir must not take that along."""
    return log_dirs[0].parent / "meta"


def controller(where: Addresses, folder: Path) -> Properties:
    """Return the properties of the one KRaft controller. It is no broker, so no fault of a broker hits it."""
    return {
        "node.id": str(CONTROLLER),
        "process.roles": "controller",
        "listeners": f"CTL://{where.quorum[0]}",
        "listener.security.protocol.map": "CTL:PLAINTEXT,EXT:PLAINTEXT,INT:PLAINTEXT",
        "log.dirs": str(folder / "meta"),
        **_quorum(where),
    }


def zookeeper(address: Endpoint, folder: Path) -> Properties:
    """Return the properties of a ZooKeeper that listens there."""
    listens = {"clientPort": str(address.port), "clientPortAddress": address.host}
    return {**ZOOKEEPER, "dataDir": str(folder / "data"), **listens}


def meta_properties(cluster_id: str, node: int) -> str:
    """Return the file by which a KRaft node knows a log dir as formatted (version 1, KIP-631; directory.id, KIP-858).

    `kafka.tools.StorageTool` writes the same, at the price of a Java process per node.
    """
    return f"version=1\ncluster.id={cluster_id}\nnode.id={node}\ndirectory.id={new_id()}\n"


def new_id() -> str:
    """Return a random id as Kafka writes them: 22 characters, not beginning with a dash."""
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
