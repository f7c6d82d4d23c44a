"""Topics that go, come again, or grow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from probe.engines.kafka.faults.action import topics, turns
from probe.engines.kafka.ports import FaultTarget
from probe.scenarios.steps.partitions import DeleteTopic, GrowTopic, RecreateTopic


async def delete(_: DeleteTopic, target: FaultTarget) -> None:
    """Delete every cell's topic."""
    target.mark_fault_on()
    await target.cluster.admin.delete_topics(topics(target))


async def recreate(_: RecreateTopic, target: FaultTarget) -> None:
    """Delete every cell's topic, and make it again as it was: the leaders are the same at first.

    All together: how long nobody knows a topic must not depend on how many cells there are.
    """
    admin = target.cluster.admin
    seen = await _laid(target)
    target.mark_fault_on()
    await admin.delete_topics(list(seen))
    await admin.create_topics(seen)


async def grow(step: GrowTopic, target: FaultTarget) -> None:
    """Add partitions to every cell's topic, led by one broker after the other."""
    order = turns(target.old)
    for topic, replicas in (await _laid(target)).items():
        for number in range(len(replicas), step.partitions):
            first = number % len(order)
            replicas[number] = (*order[first:], *order[:first])
        await target.cluster.admin.grow_topic(topic, replicas)
    target.mark_fault_on()


async def _laid(target: FaultTarget) -> dict[str, dict[int, Sequence[int]]]:
    """Return every cell's topic with the replicas of each partition."""
    found: dict[str, dict[int, Sequence[int]]] = defaultdict(dict)
    for (topic, number), one in (await target.cluster.admin.placements(topics(target))).items():
        found[topic][number] = one.replicas
    return found
