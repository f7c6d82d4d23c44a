"""ZooKeeper, when nobody reaches it."""

from __future__ import annotations

import asyncio
import time

from probe.engines.kafka.ports import FaultTarget
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.real import LoseZooKeeper

LOOK_S = 0.05
FOUND_S = 120.0


async def lose(step: LoseZooKeeper, target: FaultTarget) -> None:
    """Pause it, for a time. EngineError where there is none."""
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
    """Let it answer, if it does not."""
    if _silent(target):
        for server in target.cluster.ensemble:
            server.resume()
        target.cluster.emit(EngineKind.NOTE, text="ZooKeeper answers again")


async def until_found(target: FaultTarget) -> None:
    """Wait until it answers. TimeoutError: whoever made it silent did not see to the end of that."""
    end = time.monotonic() + FOUND_S
    while _silent(target):
        if time.monotonic() > end:
            raise TimeoutError(f"ZooKeeper was silent for {FOUND_S:.0f} s")
        await asyncio.sleep(LOOK_S)


def _silent(target: FaultTarget) -> bool:
    return any(server.paused for server in target.cluster.ensemble)
