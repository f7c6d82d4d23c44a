"""Coordinators that load for long, or are not there at all."""

from __future__ import annotations

from pathlib import Path

from probe.engines.kafka.faults.brokers import all_up, resign
from probe.engines.kafka.faults.filler_entries import lengthen
from probe.engines.kafka.faults.replicas import coordinated, move_coordinator, rearrange, without
from probe.engines.kafka.ports import BrokerProcess, Scene
from probe.model.cluster import next_broker
from probe.scenarios.steps.brokers import Resign
from probe.scenarios.steps.partitions import LoadCoordinator, LoseCoordinator, MoveCoordinator

EACH_READ_MS = 200
"""Some reads are made before a broker is elected, hundreds while it loads."""


async def load(_: LoadCoordinator, scene: Scene) -> None:
    """Move the coordinator to a broker that finds its log slow to read, and long."""
    new = scene.cluster.brokers[next_broker(scene.old)]
    partitions = await coordinated(scene)
    for topic, number in partitions:
        total = len(await scene.cluster.admin.placements([topic]))
        await lengthen(scene.cluster.brokers[scene.old].internal, topic, number, total)
    for path in _logs(new, partitions):
        await scene.cluster.disk.slow_reads(new, path, EACH_READ_MS)
    await move_coordinator(MoveCoordinator(), scene)


async def loaded(_: LoadCoordinator, scene: Scene) -> None:
    """Let it read."""
    new = scene.cluster.brokers[next_broker(scene.old)]
    for path in _logs(new, await coordinated(scene)):
        await scene.cluster.disk.mend_dir(new, path)


def _logs(broker: BrokerProcess, partitions: list[tuple[str, int]]) -> list[Path]:
    """Return the folders of internal partitions, in whatever log dir they are."""
    folders = [log_dir / f"{topic}-{number}" for log_dir in broker.log_dirs for topic, number in partitions]
    return [folder for folder in folders if folder.exists()]


async def lose(_: LoseCoordinator, scene: Scene) -> None:
    """Leave the coordinator's broker the only replica, and shut it down."""
    await rearrange(scene, dict.fromkeys(await coordinated(scene), (scene.old,)))
    await resign(Resign(), scene)


async def found(step: LoseCoordinator, scene: Scene) -> None:
    """Start the broker, and give the internal partitions their replicas again."""
    await all_up(step, scene)
    everybody = (scene.old, *without(tuple(scene.cluster.brokers), scene.old))
    await scene.cluster.give_back(dict.fromkeys(await coordinated(scene), everybody))
