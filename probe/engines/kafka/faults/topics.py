"""Faults of topics: deleted, recreated, replaced, or with added partitions."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from probe.engines.kafka.admin.requests import Partition
from probe.engines.kafka.faults import topic_contents
from probe.engines.kafka.faults.action import topics
from probe.engines.kafka.ports import FaultTarget
from probe.protocol.apis import DISCOVERY_APIS
from probe.scenarios.steps.topics import DeleteTopic, GrowTopic, RecreateTopic, ReplaceTopic

UNSEEN_MS = 1500
"""Time for which answers about leaders are kept back, so that no client reads a new topic before it is filled."""


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


async def replace(step: ReplaceTopic, target: FaultTarget) -> None:
    """Delete the topics of all subjects, and start to create them again when their time has come."""
    placed = await target.cluster.admin.placements(topics(target))
    ends = await topic_contents.log_ends(target, placed) if step.longer_by else {}
    target.mark_fault_on()
    await target.cluster.admin.delete_topics(topics(target))
    target.cluster.spawn(_come_back(step, target, _led_anew(step, target, list(placed)), ends))


def _led_anew(
    step: ReplaceTopic, target: FaultTarget, partitions: Sequence[Partition]
) -> dict[str, dict[int, Sequence[int]]]:
    """Return the replicas of topics that the next broker leads, or again the failing one where the step says so.

    The failing broker has no replica of a topic that is filled: a reader that goes on there would meet an empty log.
    """
    nodes = target.led_anew if step.longer_by else (*target.led_anew, target.old)
    nodes = (target.old, *target.led_anew) if step.same_leader else nodes
    wanted: dict[str, dict[int, Sequence[int]]] = defaultdict(dict)
    for topic, number in partitions:
        wanted[topic][number] = nodes
    return wanted


async def _come_back(
    step: ReplaceTopic,
    target: FaultTarget,
    wanted: Mapping[str, Mapping[int, Sequence[int]]],
    ends: Mapping[Partition, int],
) -> None:
    await asyncio.sleep(step.gone_ms / 1000)
    if not ends:
        await target.cluster.admin.create_topics(wanted)
        return
    target.cluster.relay.hold(DISCOVERY_APIS, UNSEEN_MS)
    try:
        await target.cluster.admin.create_topics(wanted)
        leaders = {(topic, number): nodes[0] for topic, each in wanted.items() for number, nodes in each.items()}
        await topic_contents.fill(target, {key: end + step.longer_by for key, end in ends.items()}, leaders)
    finally:
        target.cluster.relay.hold((), 0)


async def grow(step: GrowTopic, target: FaultTarget) -> None:
    """Add partitions to the topics of all subjects, led by one broker after the other."""
    order = target.turns
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
