"""Faults of topics: deleted, recreated, or with added partitions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from probe.engines.kafka.faults.action import topics, turns
from probe.engines.kafka.ports import FaultTarget
from probe.scenarios.steps.topics import DeleteTopic, GrowTopic, RecreateTopic


async def delete(_: DeleteTopic, target: FaultTarget) -> None:
    """Delete the topics of all subjects."""
    target.mark_fault_on()
    await target.cluster.admin.delete_topics(topics(target))


async def recreate(_: RecreateTopic, target: FaultTarget) -> None:
    """Delete the topics of all subjects and create them with the same replicas and leaders.

    All topics are deleted at once, then all created, so that the gap does not depend on the number of members.
    """
    admin = target.cluster.admin
    seen = await _replicas(target)
    target.mark_fault_on()
    await admin.delete_topics(list(seen))
    await admin.create_topics(seen)


async def grow(step: GrowTopic, target: FaultTarget) -> None:
    """Add partitions to the topics of all subjects, led by one broker after the other."""
    order = turns(target.old)
    for topic, replicas in (await _replicas(target)).items():
        for number in range(len(replicas), step.partitions):
            first = number % len(order)
            replicas[number] = (*order[first:], *order[:first])
        await target.cluster.admin.grow_topic(topic, replicas)
    target.mark_fault_on()


async def _replicas(target: FaultTarget) -> dict[str, dict[int, Sequence[int]]]:
    """Return the replicas per partition of the topics of all subjects."""
    found: dict[str, dict[int, Sequence[int]]] = defaultdict(dict)
    for (topic, number), one in (await target.cluster.admin.placements(topics(target))).items():
        found[topic][number] = one.replicas
    return found
