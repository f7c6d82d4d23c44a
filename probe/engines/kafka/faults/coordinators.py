"""Coordinators that load for long, or are not there at all."""

from __future__ import annotations

from pathlib import Path

from probe.engines.kafka.faults.brokers import all_up, resign
from probe.engines.kafka.faults.filler_entries import add_filler
from probe.engines.kafka.faults.replicas import coordinated, move_coordinator, rearrange, without
from probe.engines.kafka.ports import BrokerProcess, FaultTarget
from probe.model.cluster import next_broker
from probe.scenarios.steps.brokers import Resign
from probe.scenarios.steps.partitions import LoadCoordinator, LoseCoordinator, MoveCoordinator

EACH_READ_MS = 200
"""Some reads are made before a broker is elected, hundreds while it loads."""


async def load(_: LoadCoordinator, target: FaultTarget) -> None:
    """Move the coordinator to a broker that finds its log slow to read, and long."""
    new = target.cluster.brokers[next_broker(target.old)]
    partitions = await coordinated(target)
    for topic, number in partitions:
        total = len(await target.cluster.admin.placements([topic]))
        await add_filler(target.cluster.brokers[target.old].internal, topic, number, total)
    for path in _logs(new, partitions):
        await target.cluster.disk.slow_reads(new, path, EACH_READ_MS)
    await move_coordinator(MoveCoordinator(), target)


async def loaded(_: LoadCoordinator, target: FaultTarget) -> None:
    """Let it read."""
    new = target.cluster.brokers[next_broker(target.old)]
    for path in _logs(new, await coordinated(target)):
        await target.cluster.disk.mend_dir(new, path)


def _logs(broker: BrokerProcess, partitions: list[tuple[str, int]]) -> list[Path]:
    """Return the folders of internal partitions, in whatever log dir they are."""
    folders = [log_dir / f"{topic}-{number}" for log_dir in broker.log_dirs for topic, number in partitions]
    return [folder for folder in folders if folder.exists()]


async def lose(_: LoseCoordinator, target: FaultTarget) -> None:
    """Leave the coordinator's broker the only replica, and shut it down."""
    await rearrange(target, dict.fromkeys(await coordinated(target), (target.old,)))
    await resign(Resign(), target)


async def found(step: LoseCoordinator, target: FaultTarget) -> None:
    """Start the broker, and give the internal partitions their replicas again."""
    await all_up(step, target)
    everybody = (target.old, *without(tuple(target.cluster.brokers), target.old))
    await target.cluster.give_back(dict.fromkeys(await coordinated(target), everybody))
