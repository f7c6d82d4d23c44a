"""A class-data archive per Kafka version and Java, with which servers start in half the time.

A broker with `-XX:ArchiveClassesAtExit` (JEP 350) creates it once: it serves for a moment and shuts down.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from probe.engines.kafka.admin.admin import KafkaAdmin
from probe.engines.kafka.cluster import nodes, properties
from probe.engines.kafka.cluster.java_command import java_version
from probe.engines.kafka.cluster.release import Release
from probe.engines.kafka.cluster.server import Server
from probe.engines.kafka.zookeeper.admin import ZooKeeper
from probe.errors import EngineError
from probe.files.atomic_writes import beside, put_file
from probe.processes.temporary_folders import temporary_folder

READY_S, END_S = 90.0, 60.0
NODE = 1


def place(cache: Path, release: Release) -> Path:
    """Return the path of the archive of this version and this Java, whether it exists or not."""
    inputs = [java_version(release.java), *map(str, release.jars), *release.options]
    mark = hashlib.sha256("\n".join(inputs).encode()).hexdigest()[:12]
    return cache / "archives" / f"kafka-{release.version}-{mark}.jsa"


async def ensure(release: Release) -> Release:
    """Return the release with an existing archive, or without one if its creation fails: servers start without, too."""
    if release.archive is None or release.archive.exists():
        return release
    try:
        await _make(release, release.archive)
    except (OSError, EngineError):  # TimeoutError is an OSError
        return replace(release, archive=None)
    return release if release.archive.exists() else replace(release, archive=None)


async def _make(release: Release, archive: Path) -> None:
    archive.parent.mkdir(exist_ok=True)
    aside = beside(archive)
    plain = replace(release, archive=None, options=release.options)
    async with temporary_folder() as root:
        where = nodes.addresses(release.version, {})
        where = replace(where, advertised=where.external)
        identity = properties.new_id()
        quorum = nodes.quorum(plain, where, root, identity, _no_listener)
        archiving = replace(plain, options=(*release.options, f"-XX:ArchiveClassesAtExit={aside}"))
        broker = nodes.broker(archiving, where, root, identity, NODE, _no_listener)
        async with contextlib.AsyncExitStack() as stack:
            for server in (quorum, broker):
                stack.push_async_callback(server.close)
                await server.start()
            await broker.ready(READY_S)
            await _work(release, where, {NODE: broker})
            await _end(broker)
    if aside.exists():
        put_file(aside, archive)


async def _work(release: Release, where: properties.Addresses, brokers: Mapping[int, nodes.Broker]) -> None:
    """Create a topic, so that the broker loads the classes for it."""
    zookeeper = None if release.kraft else ZooKeeper(where.quorum)
    with contextlib.suppress(OSError, EngineError):
        await KafkaAdmin(release.version, brokers, zookeeper).create_topic("archive", {0: [NODE]})


async def _end(broker: Server) -> None:
    broker.terminate()
    await broker.ended(END_S)


def _no_listener(_: int, __: str) -> None:
    """Ignore a line."""
