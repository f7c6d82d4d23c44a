"""The servers of one cluster, with their configuration and readiness checks."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from probe.engines.kafka.admin import requests as ask
from probe.engines.kafka.admin.wire import line_to
from probe.engines.kafka.cluster import data_folders, properties
from probe.engines.kafka.cluster.java_command import KAFKA, ZOOKEEPER, Java, write_logging
from probe.engines.kafka.cluster.properties import Addresses
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.cluster.server import OnLine, Server
from probe.engines.kafka.cluster.workspace import free_addresses
from probe.engines.kafka.zookeeper import ensemble
from probe.engines.kafka.zookeeper.ensemble import QuorumProxies
from probe.errors import EngineError
from probe.model.cluster import Nodes
from probe.model.endpoint import Endpoint
from probe.model.release_lines import Since, has

DIAL_S = 2.0
NODES = Nodes((1, 2, 3))
"""The brokers of every cluster that we start; `properties.CONTROLLER` is the id of a controller of its own."""


class Broker(Server):
    """A broker; implements `probe.engines.kafka.ports.BrokerProcess`."""

    log_dirs: Sequence[Path] = ()
    internal: Endpoint
    external: Endpoint


def addresses(version: str, advertised: Mapping[int, Endpoint], zookeepers: int = 1) -> Addresses:
    """Choose the addresses of all servers. EngineError if there are no free ports."""
    free = free_addresses()
    external = {node: next(free) for node in NODES}
    named = properties.has_listener_names(version)
    internal = {node: next(free) for node in NODES} if named else external
    members = ensemble.members(free, zookeepers) if zookeepers > 1 else ()
    quorum = tuple(member.client for member in members) or (next(free),)
    return Addresses(external=external, advertised=advertised, internal=internal, quorum=quorum, members=members)


def quorum(release: Release, where: Addresses, root: Path, cluster_id: str, on_line: OnLine) -> Server:
    """Return the KRaft controller or the ZooKeeper server, not started yet."""
    name, node = ("controller", properties.CONTROLLER) if release.kraft else ("zookeeper", 1)
    folder = root / name
    folder.mkdir()
    write_logging(folder)
    if release.kraft:
        settings, main = properties.controller(where, folder), KAFKA
        data_folders.make_controller(release, folder, cluster_id)
    else:
        settings, main = properties.zookeeper(where.quorum[0], folder), ZOOKEEPER
        (folder / "data").mkdir()
    serves = functools.partial(_accepts, where.quorum[0])
    return Server(name, node, folder, _argv(release, main, folder), settings, serves, on_line)


def zookeepers(
    release: Release, where: Addresses, root: Path, proxies: QuorumProxies, listener: Callable[[str], OnLine]
) -> list[Server]:
    """Return the servers of an ensemble, not started yet; `listener` returns the receiver of a member's log by name."""
    found = []
    for member in where.members:
        name = f"zookeeper {member.node}"
        folder = root / f"zookeeper-{member.node}"
        (folder / "data").mkdir(parents=True)
        (folder / "data" / "myid").write_text(f"{member.node}\n")
        write_logging(folder)
        settings = properties.zookeeper(member.client, folder)
        settings |= ensemble.properties(member, where.members, proxies.addresses)
        serves = functools.partial(ensemble.serves, member.client)
        argv = _argv(release, ZOOKEEPER, folder)
        found.append(Server(name, member.node, folder, argv, settings, serves, listener(name)))
    return found


def broker(release: Release, where: Addresses, root: Path, cluster_id: str, node: int, on_line: OnLine) -> Broker:
    """Return a broker, not started yet."""
    folder = root / f"broker-{node}"
    folder.mkdir()
    release.broker_logging(folder)
    log_dirs = data_folders.make_broker(folder, cluster_id, node, kraft=release.kraft)
    settings = properties.broker(release.version, node, where, log_dirs, kraft=release.kraft)
    old = not has(release.version, Since.API_VERSIONS)
    serves = functools.partial(_answers, where.internal[node], old=old)
    made = Broker(f"broker {node}", node, folder, _argv(release, KAFKA, folder), settings, serves, on_line)
    made.log_dirs, made.internal, made.external = log_dirs, where.internal[node], where.external[node]
    return made


def _argv(release: Release, main: str, folder: Path) -> functools.partial[list[str]]:
    java = Java(release.java, release.jars, release.options, release.archive)
    return functools.partial(java.argv, main, folder, folder / "server.properties")


async def _accepts(address: Endpoint) -> None:
    async with line_to(address, DIAL_S):
        pass


async def _answers(address: Endpoint, *, old: bool) -> None:
    """Return if a broker lists brokers in Metadata; otherwise raise EngineError or OSError."""
    async with line_to(address, DIAL_S) as line:
        answer = await ask.metadata(line, ["none-of-this-name"], old=old)
    if not answer.brokers:
        raise EngineError("it knows of no broker yet")
