"""Another cluster at the brokers' addresses."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from probe.engines.kafka.faults.action import topics
from probe.engines.kafka.faults.network import all_gone
from probe.engines.kafka.ports import FaultTarget, Placement
from probe.model import EngineKind
from probe.scenarios.steps.brokers import ReplaceCluster


async def replace(_: ReplaceCluster, target: FaultTarget) -> None:
    """Kill all brokers, and start another cluster at their addresses.

    Real brokers take longer for their start than the pause of the step.
    """
    placed = await target.cluster.admin.placements(topics(target))
    await all_gone(target)
    target.unhealthy.update(target.cluster.nodes)
    target.cluster.spawn(_others_come(target, placed))


async def _others_come(target: FaultTarget, placed: Mapping[tuple[str, int], Placement]) -> None:
    wanted: dict[str, dict[int, Sequence[int]]] = defaultdict(dict)
    for (topic, number), one in placed.items():
        wanted[topic][number] = one.replicas
    first = target.subjects[0]
    await target.cluster.replace(wanted, (first.affected, first.bystander))
    target.cluster.emit(EngineKind.REPLACED)
    target.unhealthy.clear()
    for node in target.cluster.nodes.addresses:
        target.cluster.relay.accept(node)


async def restore(_: ReplaceCluster, target: FaultTarget) -> None:
    """Start the former cluster again, for the read-back. Its ports refuse until its next cohort."""
    await all_gone(target)
    await target.cluster.restore()
    target.unhealthy.clear()
