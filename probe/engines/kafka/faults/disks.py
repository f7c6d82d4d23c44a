"""Disks that die, are full, or are slow."""

from __future__ import annotations

from pathlib import Path

from probe.engines.kafka.faults.action import turns
from probe.engines.kafka.faults.brokers import restart
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineKind
from probe.scenarios.steps.partitions import BreakLogDir, Held
from probe.scenarios.steps.real import SlowReads

HALTS_S = 30.0
"""A broker without log dirs halts at its next checkpoint at the latest."""


def hit(step: BreakLogDir, target: FaultTarget) -> list[tuple[int, Path]]:
    """Return whose log dirs break: the first holds what is affected, the second internal topics."""
    node = turns(target.old)[1] if step.holds is Held.FOLLOWER else target.old
    first, second = target.cluster.brokers[node].log_dirs
    chosen = {Held.COORDINATOR: [second], Held.EVERYTHING: [first, second]}.get(step.holds, [first])
    return [(node, log_dir) for log_dir in chosen]


async def break_log_dir(step: BreakLogDir, target: FaultTarget) -> None:
    """Break it at the next write; a broker that has no log dir left halts."""
    if step.holds is not Held.FOLLOWER:
        target.unhealthy.add(target.old)
    disk = target.cluster.disk
    for node, log_dir in hit(step, target):
        await (disk.fill_dir if step.full else disk.break_dir)(target.cluster.brokers[node], log_dir)
    target.mark_fault_on()
    if step.holds is Held.EVERYTHING:
        target.cluster.spawn(_halts(target))


async def _halts(target: FaultTarget) -> None:
    await target.cluster.brokers[target.old].ended(HALTS_S)
    target.cluster.relay.refuse(target.old)
    await target.cluster.relay.cut(target.old)
    target.cluster.emit(EngineKind.STOPPED, broker=target.old)


async def mend_log_dir(step: BreakLogDir, target: FaultTarget) -> None:
    """Repair it, and restart the broker, which gives a log dir that failed no second chance."""
    for node, log_dir in hit(step, target):
        await target.cluster.disk.mend_dir(target.cluster.brokers[node], log_dir)
    for node in {node for node, _ in hit(step, target)}:
        await restart(target, node)


async def slow_reads(step: SlowReads, target: FaultTarget) -> None:
    """Slow down every log dir of a broker."""
    broker = target.cluster.brokers[turns(target.old)[step.turn]]
    for log_dir in broker.log_dirs:
        await target.cluster.disk.slow_reads(broker, log_dir, step.delay_ms)


async def full_speed(step: SlowReads, target: FaultTarget) -> None:
    """Let them be as quick as before."""
    broker = target.cluster.brokers[turns(target.old)[step.turn]]
    for log_dir in broker.log_dirs:
        await target.cluster.disk.mend_dir(broker, log_dir)
