"""ZooKeeper, when nobody reaches it."""

from __future__ import annotations

import asyncio
import time

from probe.engines.kafka.ports import Scene
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.real import LoseZooKeeper

LOOK_S = 0.05
FOUND_S = 120.0


async def lose(step: LoseZooKeeper, scene: Scene) -> None:
    """Pause it, for a time. EngineError where there is none."""
    if scene.cluster.kraft:
        raise EngineError(f"Kafka {scene.cluster.version} runs without ZooKeeper here")
    for server in scene.cluster.ensemble:
        server.pause()
    scene.strike()
    scene.cluster.tell(EngineKind.NOTE, text="ZooKeeper answers nobody")
    scene.cluster.spawn(_return(step, scene))


async def _return(step: LoseZooKeeper, scene: Scene) -> None:
    await asyncio.sleep(step.for_ms / 1000)
    await found(step, scene)


async def found(_: LoseZooKeeper, scene: Scene) -> None:
    """Let it answer, if it does not."""
    if _silent(scene):
        for server in scene.cluster.ensemble:
            server.resume()
        scene.cluster.tell(EngineKind.NOTE, text="ZooKeeper answers again")


async def until_found(scene: Scene) -> None:
    """Wait until it answers. TimeoutError: whoever made it silent did not see to the end of that."""
    end = time.monotonic() + FOUND_S
    while _silent(scene):
        if time.monotonic() > end:
            raise TimeoutError(f"ZooKeeper was silent for {FOUND_S:.0f} s")
        await asyncio.sleep(LOOK_S)


def _silent(scene: Scene) -> bool:
    return any(server.paused for server in scene.cluster.ensemble)
