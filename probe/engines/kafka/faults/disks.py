"""Disks that die, are full, or are slow."""

from __future__ import annotations

from pathlib import Path

from probe.engines.kafka.faults.action import turns
from probe.engines.kafka.faults.brokers import restart
from probe.engines.kafka.ports import Scene
from probe.model import EngineKind
from probe.scenarios.steps.partitions import BreakLogDir, Held
from probe.scenarios.steps.real import SlowReads

HALTS_S = 30.0
"""A broker without log dirs halts at its next checkpoint at the latest."""


def hit(step: BreakLogDir, scene: Scene) -> list[tuple[int, Path]]:
    """Return whose log dirs break: the first holds what is affected, the second internal topics."""
    node = turns(scene.old)[1] if step.holds is Held.FOLLOWER else scene.old
    first, second = scene.cluster.brokers[node].log_dirs
    chosen = {Held.COORDINATOR: [second], Held.EVERYTHING: [first, second]}.get(step.holds, [first])
    return [(node, log_dir) for log_dir in chosen]


async def break_log_dir(step: BreakLogDir, scene: Scene) -> None:
    """Break it at the next write; a broker that has no log dir left halts."""
    if step.holds is not Held.FOLLOWER:
        scene.sick.add(scene.old)
    disk = scene.cluster.disk
    for node, log_dir in hit(step, scene):
        await (disk.fill_dir if step.full else disk.break_dir)(scene.cluster.brokers[node], log_dir)
    scene.strike()
    if step.holds is Held.EVERYTHING:
        scene.cluster.spawn(_halts(scene))


async def _halts(scene: Scene) -> None:
    await scene.cluster.brokers[scene.old].ended(HALTS_S)
    scene.cluster.relay.refuse(scene.old)
    await scene.cluster.relay.cut(scene.old)
    scene.cluster.tell(EngineKind.STOPPED, broker=scene.old)


async def mend_log_dir(step: BreakLogDir, scene: Scene) -> None:
    """Repair it, and restart the broker, which gives a log dir that failed no second chance."""
    for node, log_dir in hit(step, scene):
        await scene.cluster.disk.mend_dir(scene.cluster.brokers[node], log_dir)
    for node in {node for node, _ in hit(step, scene)}:
        await restart(scene, node)


async def slow_reads(step: SlowReads, scene: Scene) -> None:
    """Slow down every log dir of a broker."""
    broker = scene.cluster.brokers[turns(scene.old)[step.turn]]
    for log_dir in broker.log_dirs:
        await scene.cluster.disk.slow_reads(broker, log_dir, step.delay_ms)


async def full_speed(step: SlowReads, scene: Scene) -> None:
    """Let them be as quick as before."""
    broker = scene.cluster.brokers[turns(scene.old)[step.turn]]
    for log_dir in broker.log_dirs:
        await scene.cluster.disk.mend_dir(broker, log_dir)
