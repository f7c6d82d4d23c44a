"""Faults of the controller: another one is elected, or the only one is paused."""

from __future__ import annotations

import asyncio
import time

from probe.engines.kafka.ports import FaultTarget
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.controller import LoseController, MoveController

ELECTED_S, LOOK_S = 30.0, 0.02


async def move(_: MoveController, target: FaultTarget) -> None:
    """Let brokers with ZooKeeper elect another controller. EngineError without ZooKeeper, TimeoutError if none is."""
    if target.cluster.kraft:
        raise EngineError(f"Kafka {target.cluster.version} runs without ZooKeeper here")
    admin, end = target.cluster.admin, time.monotonic() + ELECTED_S
    old = await admin.controller()
    target.mark_fault_on()
    new = old
    while new in {old, -1}:
        if time.monotonic() > end:
            raise TimeoutError(f"broker {old} was elected controller again and again for {ELECTED_S:.0f} s")
        new = await admin.resign_controller()
    target.cluster.emit(EngineKind.MOVED, broker=new)
    target.cluster.spawn(_announce(target, new))


async def _announce(target: FaultTarget, new: int) -> None:
    """Report when every broker names the new controller. TimeoutError."""
    end = time.monotonic() + ELECTED_S
    for node in target.cluster.brokers:
        while await target.cluster.admin.controller(at=node) != new:
            if time.monotonic() > end:
                raise TimeoutError(f"broker {node} did not name controller {new} within {ELECTED_S:.0f} s")
            await asyncio.sleep(LOOK_S)
    target.cluster.emit(EngineKind.ANNOUNCED, broker=new)


async def lose(_: LoseController, target: FaultTarget) -> None:
    """Pause the KRaft controller. EngineError with ZooKeeper, where a broker is the controller."""
    if not target.cluster.kraft:
        raise EngineError(f"Kafka {target.cluster.version} runs with ZooKeeper here")
    for server in target.cluster.ensemble:
        server.pause()
    target.mark_fault_on()
    target.cluster.emit(EngineKind.NOTE, text="the controller is paused")


async def found(_: LoseController, target: FaultTarget) -> None:
    """Resume the KRaft controller."""
    for server in target.cluster.ensemble:
        if server.paused:
            server.resume()
