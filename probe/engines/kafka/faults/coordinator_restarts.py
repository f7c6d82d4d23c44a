"""Restarts of coordinators: several brokers at once, with long logs to load, or with their logs deleted."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

from probe.engines.kafka.faults import brokers, port_mirror
from probe.engines.kafka.faults.action import in_sync
from probe.engines.kafka.internal_topics import OFFSETS_TOPIC
from probe.engines.kafka.ports import BrokerProcess, FaultTarget
from probe.model import EngineKind
from probe.scenarios.steps.coordinators import RestartBrokers

SEGMENTS = ("*.log", "*.index", "*.timeindex")


async def restart(step: RestartBrokers, target: FaultTarget) -> None:
    """Start the waves of restarts in a task."""
    order = target.turns
    target.cluster.spawn(_waves(step, target, [[order[turn] for turn in wave] for wave in step.waves]))
    await asyncio.sleep(0)


async def _waves(step: RestartBrokers, target: FaultTarget, waves: list[list[int]]) -> None:
    for number, wave in enumerate(waves):
        if number:
            await in_sync(target)
        await _wave(step, target, wave)


async def _wave(step: RestartBrokers, target: FaultTarget, wave: list[int]) -> None:
    """Stop the brokers of a wave, change their logs while they are down, and start them."""
    running = [node for node in wave if target.cluster.brokers[node].pid is not None]
    for node in running:
        target.unhealthy.add(node)
        target.leaving.add(node)
        target.cluster.emit(EngineKind.NOTE, broker=node, text="SIGTERM")
        target.cluster.brokers[node].terminate()
    target.mark_fault_on()
    await asyncio.gather(*(_left(target, node) for node in running))
    for node in wave:
        await _while_down(step, target, target.cluster.brokers[node])
    await asyncio.gather(*(brokers.start(target, node) for node in wave))
    for node in wave:
        target.unhealthy.discard(node)
        target.cluster.emit(EngineKind.RETURNED, broker=node)


async def _left(target: FaultTarget, node: int) -> None:
    """Wait until a broker has ended. One without another broker to hand over to ends late, and is killed."""
    with contextlib.suppress(TimeoutError):
        await port_mirror.close_with_broker(target, node, brokers.LEAVES_S)
    target.cluster.relay.refuse(node)
    await brokers.end(target, node)
    target.cluster.emit(EngineKind.STOPPED, broker=node)
    await target.cluster.relay.cut(node)


async def _while_down(step: RestartBrokers, target: FaultTarget, broker: BrokerProcess) -> None:
    if step.delete_offsets:
        count = sum(1 for folder in offsets_of(broker) for _ in _delete(folder))
        text = f"{count} segments of {OFFSETS_TOPIC} are deleted by hand"
        target.cluster.emit(EngineKind.NOTE, broker=broker.node, text=text)
    if step.offsets_read_ms:
        for path in (path for folder in offsets_of(broker) for path in closed(folder)):
            await target.cluster.disk.slow_reads(broker, path, step.offsets_read_ms)


def offsets_of(broker: BrokerProcess) -> list[Path]:
    """Return a broker's folders of __consumer_offsets, in all its log dirs."""
    return sorted(folder for log_dir in broker.log_dirs for folder in log_dir.glob(f"{OFFSETS_TOPIC}-*"))


def closed(folder: Path) -> list[Path]:
    """Return the closed segments. A coordinator reads them only when it loads.

    Followers read the open segment all the time, so slow reads there would be another fault.
    """
    return sorted(folder.glob("*.log"))[:-1]


def _delete(folder: Path) -> Iterator[Path]:
    """Delete all segments with their indexes; yield the segments."""
    for pattern in SEGMENTS:
        for path in sorted(folder.glob(pattern)):
            path.unlink()
            if path.suffix == ".log":
                yield path


async def mend(step: RestartBrokers, target: FaultTarget) -> None:
    """End slow reads, and bring all brokers back."""
    if step.offsets_read_ms:
        for broker in target.cluster.brokers.values():
            for folder in offsets_of(broker):
                await target.cluster.disk.mend_dir(broker, folder)
    await brokers.all_up(step, target)
