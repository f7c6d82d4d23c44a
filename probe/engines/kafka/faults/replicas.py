"""Faults of leadership: elections, reassignments, and moves of coordinators."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence

from probe.engines.kafka.admin.partitioner import partition_of
from probe.engines.kafka.faults.action import in_sync, topics
from probe.engines.kafka.internal_topics import INTERNAL, OFFSETS_TOPIC, TRANSACTIONS_TOPIC
from probe.engines.kafka.ports import FaultTarget
from probe.model.cluster import Nodes
from probe.scenarios.steps.brokers import Evacuate
from probe.scenarios.steps.coordinators import MoveCoordinator
from probe.scenarios.steps.partitions import MoveLeader
from probe.scenarios.steps.real_brokers import ConfigureTopics, KeepReplicas, Meanwhile

REASSIGNED_S = 30.0
LOOK_S = 0.05
SETTLES_S = 6.0
"""Wait after replicas were removed: longer than clients refrain from a metadata refresh (franz-go: 5 s)."""

Partition = tuple[str, int]


async def move_leader(step: MoveLeader, target: FaultTarget) -> None:
    """Elect the next broker, or remove the replica of the failing broker."""
    if step.drop_replica:
        target.mark_fault_on()
        await target.cluster.admin.reassign(dict.fromkeys(target.affected, target.led_anew))
    else:
        await elect(target, dict.fromkeys(target.affected, (*target.led_anew, target.old)))


async def elect(target: FaultTarget, wanted: Mapping[Partition, Sequence[int]]) -> None:
    """Elect the first of these replicas; the set of replicas stays the same."""
    await rearrange(target, wanted)
    target.mark_fault_on()
    await target.cluster.admin.elect_preferred(list(wanted))


async def rearrange(target: FaultTarget, wanted: Mapping[Partition, Sequence[int]]) -> None:
    """Reassign partitions to these replicas, in this order, and wait for completion. TimeoutError."""
    admin = target.cluster.admin
    await admin.reassign(wanted)
    names = sorted({topic for topic, _ in wanted})
    end = time.monotonic() + REASSIGNED_S
    while True:
        seen = await admin.placements(names)
        missing = [key for key, nodes in wanted.items() if key not in seen or seen[key].replicas != tuple(nodes)]
        if not missing:
            return
        if time.monotonic() > end:
            raise TimeoutError(f"{missing[0][0]}-{missing[0][1]} was not reassigned within {REASSIGNED_S:.0f} s")
        await asyncio.sleep(LOOK_S)


async def evacuate(step: Evacuate, target: FaultTarget, node: int) -> None:
    """Move the leaders of a broker away; also its replicas if the step says so or if the broker is paused."""
    brokers, seen = target.cluster.nodes, await target.cluster.admin.placements([*topics(target), *INTERNAL])
    if step.drop_replicas or target.cluster.brokers[node].paused:
        held = {key: one.replicas for key, one in seen.items() if node in one.replicas and len(one.replicas) > 1}
        target.mark_fault_on()
        await target.cluster.admin.reassign({key: without(brokers, nodes, node) for key, nodes in held.items()})
    else:
        led = {key: one.replicas for key, one in seen.items() if one.leader == node and len(one.replicas) > 1}
        await elect(target, {key: (*without(brokers, nodes, node), node) for key, nodes in led.items()})


def without(nodes: Nodes, replicas: Collection[int], node: int) -> tuple[int, ...]:
    """Return the other replicas, starting with the first one after this node.

    >>> without(Nodes((1, 2, 3)), (1, 2, 3), 2)
    (3, 1)
    """
    return tuple(one for one in nodes.beginning(node)[1:] if one in replicas)


async def coordinated(target: FaultTarget) -> list[Partition]:
    """Return the internal partitions of the affected keys of all subjects."""
    keys = {
        (TRANSACTIONS_TOPIC, one.transactional_id) if one.transactional_id else (OFFSETS_TOPIC, one.group)
        for one in target.subjects
        if one.transactional_id or one.group
    }
    names = sorted({topic for topic, _ in keys})
    seen = await target.cluster.admin.placements(names)
    counts = {name: sum(topic == name for topic, _ in seen) for name in names}
    return sorted({(topic, partition_of(key, counts[topic])) for topic, key in keys})


async def move_coordinator(_: MoveCoordinator, target: FaultTarget) -> None:
    """Elect the next broker as leader of the internal partitions."""
    await elect(target, dict.fromkeys(await coordinated(target), (*target.led_anew, target.old)))


async def keep_replicas(step: KeepReplicas, target: FaultTarget) -> None:
    """Remove replicas before the fault, and wait until every client is ready to refresh its metadata again."""
    order = target.turns
    wanted = {key: tuple(order[turn] for turn in step.affected) for key in target.affected}
    if step.bystander:
        nodes = tuple(order[turn] for turn in step.bystander)
        wanted |= {(one.topic, one.bystander): nodes for one in target.subjects}
    await rearrange(target, wanted)
    await target.cluster.admin.elect_preferred(list(wanted))
    await in_sync(target)
    await _configure(step.config, target)
    await asyncio.sleep(SETTLES_S)


async def meanwhile(step: Meanwhile, _: FaultTarget) -> None:
    """Wait for the time of the step."""
    await asyncio.sleep(step.ms / 1000)


async def configure_topics(step: ConfigureTopics, target: FaultTarget) -> None:
    """Set configurations of all subjects' topics."""
    target.mark_fault_on()
    await _configure(step.config, target)


async def _configure(config: Sequence[tuple[str, str]], target: FaultTarget) -> None:
    if config:
        for topic in topics(target):
            await target.cluster.admin.configure_topic(topic, dict(config))
