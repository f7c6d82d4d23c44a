"""A supervisor that restarts a broker with limited patience, as a service manager with a health check does."""

from __future__ import annotations

import asyncio

from probe.engines.kafka.deadlines import STARTED_S
from probe.engines.kafka.faults import port_mirror
from probe.engines.kafka.faults.brokers import KILLED_S, all_up
from probe.engines.kafka.faults.zookeeper_loss import until_found
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineKind
from probe.scenarios.steps.real_brokers import Supervise

RETRY_S = 1.0
"""Time until a broker that ended by itself is started again."""


async def supervise(step: Supervise, target: FaultTarget) -> None:
    """Start the supervisor in a task."""
    target.cluster.spawn(_supervise(step, target))


async def _supervise(step: Supervise, target: FaultTarget) -> None:
    await asyncio.sleep(step.after_ms / 1000)
    starts = 0
    while True:
        await stop(step, target)
        await until_found(target)
        starts += 1
        if await _serves(step, target, starts):
            return


async def stop(step: Supervise, target: FaultTarget) -> None:
    """Shut the broker down, and kill it when the grace period is over. TimeoutError if it does not end even then."""
    node, cluster = target.old, target.cluster
    broker = cluster.brokers[node]
    if broker.pid is None:
        return
    target.unhealthy.add(node)
    target.leaving.add(node)
    _note(target, f"SIGTERM; SIGKILL follows after {step.grace_ms / 1000:g} s")
    broker.terminate()
    try:
        async with asyncio.timeout(step.grace_ms / 1000):
            await port_mirror.close_with_broker(target, node, step.grace_ms / 1000)
            await broker.ended(step.grace_ms / 1000)
    except TimeoutError:
        _note(target, "the grace is over: SIGKILL")
        cluster.relay.refuse(node)
        broker.kill()
        await broker.ended(KILLED_S)
    target.leaving.discard(node)
    cluster.emit(EngineKind.STOPPED, broker=node, text=f"exit code {broker.exit_code}")
    await cluster.relay.cut(node)


async def _serves(step: Supervise, target: FaultTarget, starts: int) -> bool:
    """Start the broker, and return whether it listens in time."""
    node, cluster = target.old, target.cluster
    broker = cluster.brokers[node]
    await cluster.disk.slow_reads(broker, broker.log_dirs[0], step.read_ms)
    await broker.start()
    _note(target, f"start {starts}; it has to listen within {step.check_ms / 1000:g} s")
    await port_mirror.open_with_broker(target, node, step.check_ms / 1000)
    if broker.pid is None:
        _note(target, f"it ended by itself, exit code {broker.exit_code}")
        await asyncio.sleep(RETRY_S)
        return False
    if not await port_mirror.listens(broker):
        _note(target, f"it does not listen {step.check_ms / 1000:g} s after start {starts}: the check failed")
        return False
    await cluster.disk.mend_dir(broker, broker.log_dirs[0])
    await broker.ready(STARTED_S)
    target.unhealthy.discard(node)
    cluster.emit(EngineKind.RETURNED, broker=node, text=f"it serves after start {starts}")
    return True


async def end(step: Supervise, target: FaultTarget) -> None:
    """End the slow reads, and bring all brokers back."""
    broker = target.cluster.brokers[target.old]
    await target.cluster.disk.mend_dir(broker, broker.log_dirs[0])
    await all_up(step, target)


def _note(target: FaultTarget, text: str) -> None:
    target.cluster.emit(EngineKind.NOTE, broker=target.old, text=text)
