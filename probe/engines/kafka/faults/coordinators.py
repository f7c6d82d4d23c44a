"""Coordinators that load for a long time or are unavailable."""

from __future__ import annotations

from pathlib import Path

from probe.engines.kafka.faults.brokers import all_up, resign
from probe.engines.kafka.faults.filler_entries import add_filler
from probe.engines.kafka.faults.replicas import coordinated, move_coordinator, rearrange
from probe.engines.kafka.ports import BrokerProcess, FaultTarget
from probe.scenarios.steps.brokers import Resign
from probe.scenarios.steps.coordinators import LoadCoordinator, LoseCoordinator, MoveCoordinator

EACH_READ_MS = 200
"""Delay of each read. A broker makes few reads before its election, and hundreds while it loads."""


async def load(_: LoadCoordinator, target: FaultTarget) -> None:
    """Move the coordinator to a broker whose log is long and slow to read."""
    new = target.cluster.brokers[target.successor]
    partitions = await coordinated(target)
    for topic, number in partitions:
        total = len(await target.cluster.admin.placements([topic]))
        await add_filler(target.cluster.brokers[target.old].internal, topic, number, total)
    for path in _logs(new, partitions):
        await target.cluster.disk.slow_reads(new, path, EACH_READ_MS)
    await move_coordinator(MoveCoordinator(), target)


async def loaded(_: LoadCoordinator, target: FaultTarget) -> None:
    """End the slow reads."""
    new = target.cluster.brokers[target.successor]
    for path in _logs(new, await coordinated(target)):
        await target.cluster.disk.mend_dir(new, path)


def _logs(broker: BrokerProcess, partitions: list[tuple[str, int]]) -> list[Path]:
    """Return the broker's folders of internal partitions, in all its log dirs."""
    folders = [log_dir / f"{topic}-{number}" for log_dir in broker.log_dirs for topic, number in partitions]
    return [folder for folder in folders if folder.exists()]


async def lose(_: LoseCoordinator, target: FaultTarget) -> None:
    """Remove all replicas except that on the coordinator's broker, and shut this broker down."""
    await rearrange(target, dict.fromkeys(await coordinated(target), (target.old,)))
    await resign(Resign(), target)


async def found(step: LoseCoordinator, target: FaultTarget) -> None:
    """Start the broker, and give the internal partitions their replicas back."""
    await all_up(step, target)
    everywhere = target.cluster.nodes.beginning(target.old)
    await target.cluster.give_back(dict.fromkeys(await coordinated(target), everywhere))
