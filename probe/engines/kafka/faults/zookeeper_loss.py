"""Loss of ZooKeeper: no server answers for a time."""

from __future__ import annotations

import asyncio
import time

from probe.engines.kafka.ports import FaultTarget
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.real_brokers import LoseZooKeeper

LOOK_S = 0.05
FOUND_S = 120.0


async def lose(step: LoseZooKeeper, target: FaultTarget) -> None:
    """Pause all ZooKeeper servers for a time. EngineError if there are none."""
    if target.cluster.kraft:
        raise EngineError(f"Kafka {target.cluster.version} runs without ZooKeeper here")
    for server in target.cluster.ensemble:
        server.pause()
    target.mark_fault_on()
    target.cluster.emit(EngineKind.NOTE, text="ZooKeeper answers nobody")
    target.cluster.spawn(_return(step, target))


async def _return(step: LoseZooKeeper, target: FaultTarget) -> None:
    await asyncio.sleep(step.for_ms / 1000)
    await found(step, target)


async def found(_: LoseZooKeeper, target: FaultTarget) -> None:
    """Resume the ZooKeeper servers, if they are paused."""
    if _silent(target):
        for server in target.cluster.ensemble:
            server.resume()
        target.cluster.emit(EngineKind.NOTE, text="ZooKeeper answers again")


async def until_found(target: FaultTarget) -> None:
    """Wait until ZooKeeper answers. TimeoutError if the fault does not end in time."""
    end = time.monotonic() + FOUND_S
    while _silent(target):
        if time.monotonic() > end:
            raise TimeoutError(f"ZooKeeper was silent for {FOUND_S:.0f} s")
        await asyncio.sleep(LOOK_S)


def _silent(target: FaultTarget) -> bool:
    return any(server.paused for server in target.cluster.ensemble)
