"""Rolling restart of all nodes, in an order relative to the controller: one at a time, or two together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from probe.engines.kafka.deadlines import STARTED_S
from probe.engines.kafka.faults.action import in_sync
from probe.engines.kafka.faults.brokers import act
from probe.engines.kafka.faults.brokers import all_up as brokers_up
from probe.engines.kafka.ports import FaultTarget, ServerProcess
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker
from probe.scenarios.steps.real_brokers import Order, RestartAll

ENDS_S = 30.0

Wave = tuple[int, ...]
"""Nodes that are down at the same time."""


def waves(order: Order, turns: Sequence[int], controller: int) -> list[Wave]:
    """Return the waves of a restart.

    The failing broker, the first of `turns`, is restarted as early as the order permits. A controller that is not a
    broker (KRaft) is restarted alone.

    >>> waves(Order.CONTROLLER_LAST, (2, 1, 3), 2), waves(Order.CONTROLLER_FIRST, (2, 1, 3), 4)
    ([(1,), (3,), (2,)], [(4,), (2,), (1,), (3,)])
    >>> waves(Order.TWO_AT_ONCE, (2, 1, 3), 1), waves(Order.TWO_AT_ONCE, (2, 1, 3), 4)
    ([(2, 3), (1,)], [(2, 1), (3,), (4,)])
    """
    others = [node for node in turns if node != controller]
    if order is Order.CONTROLLER_FIRST:
        return [(controller,), *((node,) for node in others)]
    if order is Order.CONTROLLER_LAST:
        return [*((node,) for node in others), (controller,)]
    first, second, *left = sorted((*others, controller), key=lambda node: (node != turns[0], node == controller))
    return [(first, second), *((node,) for node in left)]


async def restart_all(step: RestartAll, target: FaultTarget) -> None:
    """Start the rolling restart in a task."""
    controllers = target.cluster.ensemble if target.cluster.kraft else ()
    controller = controllers[0].node if controllers else await target.cluster.admin.controller()
    coming = waves(step.order, target.turns, controller)
    listed = ", then ".join(" and ".join(map(str, wave)) for wave in coming)
    kind = "a node of its own" if controllers else "a broker"
    target.cluster.emit(EngineKind.NOTE, text=f"node {controller}, {kind}, is the controller; restarted are {listed}")
    target.cluster.spawn(_roll(step, coming, target))


async def _roll(step: RestartAll, coming: Sequence[Wave], target: FaultTarget) -> None:
    """Restart all waves. EngineError if the observation ends earlier: half of a restart is another fault."""
    left = [node for wave in coming for node in wave]
    try:
        for wave in coming:
            await asyncio.gather(*(_stop(target, node) for node in wave))
            await asyncio.sleep(step.down_ms / 1000)
            await asyncio.gather(*(_start(target, node) for node in wave))
            left = [node for node in left if node not in wave]
            await in_sync(target)
            target.cluster.emit(EngineKind.NOTE, text="everything is in sync")
    except asyncio.CancelledError:
        if not left:
            raise
        raise EngineError(f"the observation ended before these were restarted: {', '.join(map(str, left))}") from None
    if not target.cluster.kraft:
        now = await target.cluster.admin.controller()
        target.cluster.emit(EngineKind.NOTE, text=f"all are back; broker {now} is the controller")


def _controller(target: FaultTarget, node: int) -> ServerProcess | None:
    """Return the node if it is a controller and not a broker."""
    return None if node in target.cluster.brokers else next(one for one in target.cluster.ensemble if one.node == node)


async def _stop(target: FaultTarget, node: int) -> None:
    if (controller := _controller(target, node)) is None:
        return await act(StopBroker(turn=target.turns.index(node), listed=False), target)
    controller.terminate()
    target.mark_fault_on()
    await controller.ended(ENDS_S)
    target.cluster.emit(EngineKind.NOTE, text=f"{controller.name} has ended")
    return None


async def _start(target: FaultTarget, node: int) -> None:
    if (controller := _controller(target, node)) is None:
        return await act(ReturnBroker(turn=target.turns.index(node)), target)
    await controller.start()
    await controller.ready(STARTED_S)
    target.cluster.emit(EngineKind.NOTE, text=f"{controller.name} serves again")
    return None


async def all_up(step: RestartAll, target: FaultTarget) -> None:
    """Start all nodes that are down, controllers before brokers."""
    for server in target.cluster.ensemble:
        if server.pid is None:
            await server.start()
            await server.ready(STARTED_S)
    await brokers_up(step, target)
