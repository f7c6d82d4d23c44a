"""A broker that is taken out of the cluster: the plan by which it hands over its replicas, and its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from probe.engines.kafka.faults.action import INTERNAL, topics
from probe.engines.kafka.faults.brokers import act
from probe.engines.kafka.faults.replicas import Partition, rearrange
from probe.engines.kafka.ports import FaultTarget, Placement
from probe.model import EngineKind
from probe.scenarios.steps.brokers import StopBroker
from probe.scenarios.steps.real import Decommission

REQUESTED = 3
"""So many moves of a plan are told one by one."""


def plan(seen: Mapping[Partition, Placement], leaving: int, staying: Sequence[int]) -> dict[Partition, tuple[int, ...]]:
    """Return the new replicas of all that the leaving broker holds: its place goes to who holds least, and has none.

    Those that stay come first, so that one of them leads at once. Where everybody else has a replica already, the
    partition has one less from then on.
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
    """Make the plan and begin to carry it out; the broker ends when it holds nothing any more."""
    seen = await target.cluster.admin.placements([*topics(target), *INTERNAL])
    moves = plan(seen, target.old, [node for node in target.cluster.brokers if node != target.old])
    for text in requests_to(seen, moves, target.old):
        target.cluster.emit(EngineKind.NOTE, text=text)
    target.mark_fault_on()
    target.cluster.spawn(_carry_out(moves, target))


def requests_to(
    seen: Mapping[Partition, Placement], moves: Mapping[Partition, Sequence[int]], leaving: int
) -> list[str]:
    """Return a plan in words: how many move, and the first of them."""
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
    target.cluster.emit(EngineKind.NOTE, text=f"broker {target.old} holds nothing any more, and is told to end")
    await act(StopBroker(listed=False), target)
