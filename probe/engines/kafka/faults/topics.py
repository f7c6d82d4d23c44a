"""Topics that go, come again, or grow."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from probe.engines.kafka.faults.action import topics, turns
from probe.engines.kafka.ports import Scene
from probe.scenarios.steps.partitions import DeleteTopic, GrowTopic, RecreateTopic


async def delete(_: DeleteTopic, scene: Scene) -> None:
    """Delete every cell's topic."""
    scene.strike()
    await scene.cluster.admin.delete_topics(topics(scene))


async def recreate(_: RecreateTopic, scene: Scene) -> None:
    """Delete every cell's topic, and make it again as it was: the leaders are the same at first.

    All together: how long nobody knows a topic must not depend on how many cells there are.
    """
    admin = scene.cluster.admin
    seen = await _laid(scene)
    scene.strike()
    await admin.delete_topics(list(seen))
    await admin.create_topics(seen)


async def grow(step: GrowTopic, scene: Scene) -> None:
    """Add partitions to every cell's topic, led by one broker after the other."""
    order = turns(scene.old)
    for topic, replicas in (await _laid(scene)).items():
        for number in range(len(replicas), step.partitions):
            first = number % len(order)
            replicas[number] = (*order[first:], *order[:first])
        await scene.cluster.admin.grow_topic(topic, replicas)
    scene.strike()


async def _laid(scene: Scene) -> dict[str, dict[int, Sequence[int]]]:
    """Return every cell's topic with the replicas of each partition."""
    found: dict[str, dict[int, Sequence[int]]] = defaultdict(dict)
    for (topic, number), one in (await scene.cluster.admin.placements(topics(scene))).items():
        found[topic][number] = one.replicas
    return found
