"""Who stops a broker and starts it, and what it takes for a broker that is well."""

from __future__ import annotations

import asyncio

from probe.engines.kafka.faults import port_mirror
from probe.engines.kafka.faults.brokers import KILLED_S, START_S, all_up
from probe.engines.kafka.faults.zookeeper_loss import until_found
from probe.engines.kafka.ports import Scene
from probe.model import EngineKind
from probe.scenarios.steps.real import Supervise

AGAIN_S = 1.0
"""A broker that ended by itself is started again so much later."""


async def supervise(step: Supervise, scene: Scene) -> None:
    """Begin; the rest comes beside the watch."""
    scene.cluster.spawn(_supervise(step, scene))


async def _supervise(step: Supervise, scene: Scene) -> None:
    await asyncio.sleep(step.after_ms / 1000)
    starts = 0
    while True:
        await stop(step, scene)
        await until_found(scene)
        starts += 1
        if await _serves(step, scene, starts):
            return


async def stop(step: Supervise, scene: Scene) -> None:
    """Tell it to end, and kill it when the grace is over. TimeoutError if even that does not help."""
    node, cluster = scene.old, scene.cluster
    broker = cluster.brokers[node]
    if broker.pid is None:
        return
    scene.sick.add(node)
    scene.leaving.add(node)
    _note(scene, f"SIGTERM; SIGKILL follows after {step.grace_ms / 1000:g} s")
    broker.terminate()
    try:
        async with asyncio.timeout(step.grace_ms / 1000):
            await port_mirror.shut_with(scene, node, step.grace_ms / 1000)
            await broker.ended(step.grace_ms / 1000)
    except TimeoutError:
        _note(scene, "the grace is over: SIGKILL")
        cluster.relay.refuse(node)
        broker.kill()
        await broker.ended(KILLED_S)
    scene.leaving.discard(node)
    cluster.tell(EngineKind.STOPPED, broker=node, text=f"exit code {broker.exit_code}")
    await cluster.relay.cut(node)


async def _serves(step: Supervise, scene: Scene, starts: int) -> bool:
    """Start it, and say whether it listens in time."""
    node, cluster = scene.old, scene.cluster
    broker = cluster.brokers[node]
    await cluster.disk.slow_reads(broker, broker.log_dirs[0], step.read_ms)
    await broker.start()
    _note(scene, f"start {starts}; it has to listen within {step.check_ms / 1000:g} s")
    await port_mirror.open_with(scene, node, step.check_ms / 1000)
    if broker.pid is None:
        _note(scene, f"it ended by itself, exit code {broker.exit_code}")
        await asyncio.sleep(AGAIN_S)
        return False
    if not await port_mirror.listens(broker):
        _note(scene, f"it does not listen {step.check_ms / 1000:g} s after start {starts}: the check failed")
        return False
    await cluster.disk.mend_dir(broker, broker.log_dirs[0])
    await broker.ready(START_S)
    scene.sick.discard(node)
    cluster.tell(EngineKind.RETURNED, broker=node, text=f"it serves after start {starts}")
    return True


async def end(step: Supervise, scene: Scene) -> None:
    """Let the disk be as quick as before, and the broker serve."""
    broker = scene.cluster.brokers[scene.old]
    await scene.cluster.disk.mend_dir(broker, broker.log_dirs[0])
    await all_up(step, scene)


def _note(scene: Scene, text: str) -> None:
    scene.cluster.tell(EngineKind.NOTE, broker=scene.old, text=text)
