"""Decommissioning: a broker hands over its replicas by a plan, and then shuts down."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from probe.engines.kafka.faults.action import topics
from probe.engines.kafka.faults.brokers import act
from probe.engines.kafka.faults.replicas import Partition, rearrange
from probe.engines.kafka.internal_topics import INTERNAL
from probe.engines.kafka.ports import FaultTarget, Placement
from probe.model import EngineKind
from probe.scenarios.steps.brokers import StopBroker
from probe.scenarios.steps.real_brokers import Decommission

REQUESTED = 3
"""Number of moves of a plan that are reported one by one."""


def plan(seen: Mapping[Partition, Placement], leaving: int, staying: Sequence[int]) -> dict[Partition, tuple[int, ...]]:
    """Return the new replicas of all partitions with a replica on the leaving broker.

    Its place goes to the broker with the fewest replicas that has none of this partition. Replicas that stay come
    first, so one of them leads at once. If all other brokers have a replica, the partition has one less afterwards.
    """
    load = Counter(node for one in seen.values() for node in one.replicas)
    found: dict[Partition, tuple[int, ...]] = {}
    for key, one in sorted(seen.items()):
        if leaving not in one.replicas:
            continue
        kept = tuple(node for node in one.replicas if node != leaving)
        free = sorted((node for node in staying if node not in kept), key=lambda node: (load[node], node))
        load.update(free[:1])
        found[key] = (*kept, *free[:1])
    return found


async def decommission(_: Decommission, target: FaultTarget) -> None:
    """Make the plan and start to carry it out; the broker shuts down when it has no replicas any more."""
    seen = await target.cluster.admin.placements([*topics(target), *INTERNAL])
    moves = plan(seen, target.old, [node for node in target.cluster.brokers if node != target.old])
    for text in requests_to(seen, moves, target.old):
        target.cluster.emit(EngineKind.NOTE, text=text)
    target.mark_fault_on()
    target.cluster.spawn(_carry_out(moves, target))


def requests_to(
    seen: Mapping[Partition, Placement], moves: Mapping[Partition, Sequence[int]], leaving: int
) -> list[str]:
    """Return a plan as text: the number of moves, and the first of them."""
    copied = sum(len(to) == len(seen[key].replicas) for key, to in moves.items())
    ours = sorted(moves, key=lambda key: (key[0] in INTERNAL, key))[:REQUESTED]
    return [
        f"plan: {len(moves)} partitions leave broker {leaving}, {copied} of them to another broker",
        *(
            f"plan: {name}-{number} {seen[name, number].replicas} -> {tuple(moves[name, number])}"
            for name, number in ours
        ),
    ]


async def _carry_out(moves: Mapping[Partition, Sequence[int]], target: FaultTarget) -> None:
    await rearrange(target, moves)
    target.cluster.emit(EngineKind.NOTE, text=f"broker {target.old} has no replicas any more, and shuts down")
    await act(StopBroker(listed=False), target)
