"""Faults of disks: dead, full or slow."""

from __future__ import annotations

from pathlib import Path

from probe.engines.kafka.faults.brokers import restart
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineKind
from probe.scenarios.steps.partitions import BreakLogDir, Held
from probe.scenarios.steps.real_brokers import SlowReads

HALTS_S = 30.0
"""Deadline for the halt of a broker without log dirs; it halts at its next checkpoint at the latest."""


def hit(step: BreakLogDir, target: FaultTarget) -> list[tuple[int, Path]]:
    """Return the log dirs to break, with their brokers.

    Affected partitions lie in the first log dir, internal topics in the second (docs/engines.md#placement).
    """
    node = target.turns[1] if step.holds is Held.FOLLOWER else target.old
    first, second = target.cluster.brokers[node].log_dirs
    chosen = {Held.COORDINATOR: [second], Held.EVERYTHING: [first, second]}.get(step.holds, [first])
    return [(node, log_dir) for log_dir in chosen]


async def break_log_dir(step: BreakLogDir, target: FaultTarget) -> None:
    """Break the log dirs of a step. A broker that has no log dir left halts."""
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
    """Repair the log dirs and restart the broker, which uses a failed log dir again only after a restart (KIP-112)."""
    for node, log_dir in hit(step, target):
        await target.cluster.disk.mend_dir(target.cluster.brokers[node], log_dir)
    for node in {node for node, _ in hit(step, target)}:
        await restart(target, node)


async def slow_reads(step: SlowReads, target: FaultTarget) -> None:
    """Delay reads in all log dirs of a broker."""
    broker = target.cluster.brokers[target.turns[step.turn]]
    for log_dir in broker.log_dirs:
        await target.cluster.disk.slow_reads(broker, log_dir, step.delay_ms)


async def full_speed(step: SlowReads, target: FaultTarget) -> None:
    """End the delay of reads."""
    broker = target.cluster.brokers[target.turns[step.turn]]
    for log_dir in broker.log_dirs:
        await target.cluster.disk.mend_dir(broker, log_dir)
