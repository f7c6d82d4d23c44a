"""A follower that falls behind: its writes to the affected partitions wait until the fault is reverted.

The thread that copies from the leader waits inside the first of them, for all partitions that it copies. Reads go on.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from probe.engines.kafka.faults.action import topics
from probe.engines.kafka.ports import FaultTarget
from probe.scenarios.steps.partitions import HoldFollowerBack

LEAVES_ISR_S = 60.0
"""Deadline for the follower to leave the ISR: brokers wait for 30 s (replica.lag.time.max.ms)."""
LOOK_S = 0.1


def logs(target: FaultTarget) -> list[Path]:
    """Return the folders of the affected partitions at the follower (docs/engines.md#placement)."""
    first = target.cluster.brokers[target.old].log_dirs[0]
    return [first / f"{topic}-{partition}" for topic, partition in target.affected]


async def hold_back(_: HoldFollowerBack, target: FaultTarget) -> None:
    """Hold the follower's writes; the fault begins when it is in no affected partition's ISR. TimeoutError."""
    broker = target.cluster.brokers[target.old]
    for log in logs(target):
        await target.cluster.disk.hold_writes(broker, log)
    try:
        async with asyncio.timeout(LEAVES_ISR_S):
            await _left(target)
    except TimeoutError:
        raise TimeoutError(f"{broker.name} was in sync for {LEAVES_ISR_S:.0f} s without a write") from None
    target.mark_fault_on()


async def _left(target: FaultTarget) -> None:
    """Wait until the follower is in no affected partition's ISR."""
    while True:
        seen = await target.cluster.admin.placements(topics(target))
        if all(key in seen and target.old not in seen[key].in_sync for key in target.affected):
            return
        await asyncio.sleep(LOOK_S)


async def let_go(_: HoldFollowerBack, target: FaultTarget) -> None:
    """Let the follower write again."""
    broker = target.cluster.brokers[target.old]
    for log in logs(target):
        await target.cluster.disk.mend_dir(broker, log)
