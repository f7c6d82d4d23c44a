"""Topics that go, come again, or grow."""

from __future__ import annotations

from collections.abc import Sequence

from probe.engines.deeds.deed import topics, turns
from probe.engines.kafka_ports import Scene
from probe.scenarios.steps import DeleteTopic, GrowTopic, RecreateTopic


async def delete(_: DeleteTopic, scene: Scene) -> None:
    """Delete every cell's topic."""
    scene.strike()
    await scene.cluster.admin.delete_topics(topics(scene))


async def recreate(_: RecreateTopic, scene: Scene) -> None:
    """Delete every cell's topic, and make it again as it was: the leaders are the same at first.

    All together: how long nobody knows a topic must not depend on how many cells there are.
    """
    admin = scene.cluster.admin
    seen = await admin.placements(topics(scene))
    again: dict[str, dict[int, Sequence[int]]] = {topic: {} for topic in topics(scene)}
    for (topic, number), one in seen.items():
        again[topic][number] = one.replicas
    scene.strike()
    await admin.delete_topics(list(again))
    await admin.create_topics(again)


async def grow(step: GrowTopic, scene: Scene) -> None:
    """Add partitions to every cell's topic, led by one broker after the other."""
    admin = scene.cluster.admin
    seen = await admin.placements(topics(scene))
    order = turns(scene.old)
    for topic in topics(scene):
        replicas = {number: one.replicas for (name, number), one in seen.items() if name == topic}
        for number in range(len(replicas), step.partitions):
            first = number % len(order)
            replicas[number] = (*order[first:], *order[:first])
        await admin.grow_topic(topic, replicas)
    scene.strike()
