"""Every node restarted, in an order that is about the controller: one at a time, or two together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from probe.engines.kafka.faults.action import in_sync, turns
from probe.engines.kafka.faults.brokers import act
from probe.engines.kafka.faults.brokers import all_up as brokers_up
from probe.engines.kafka.ports import Scene, ServerProcess
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.brokers import ReturnBroker, StopBroker
from probe.scenarios.steps.real import Order, RestartAll

ENDS_S, SERVES_S = 30.0, 90.0

Wave = tuple[int, ...]
"""Nodes that are down at the same time."""


def waves(order: Order, old: int, controller: int) -> list[Wave]:
    """Return who is restarted together, one wave after the other.

    The broker that leads what is affected goes as early as the order allows. A controller that is no broker (KRaft) is
    restarted alone.

    >>> waves(Order.CONTROLLER_LAST, old=2, controller=2), waves(Order.CONTROLLER_FIRST, old=2, controller=4)
    ([(1,), (3,), (2,)], [(4,), (2,), (1,), (3,)])
    >>> waves(Order.TWO_AT_ONCE, old=2, controller=1), waves(Order.TWO_AT_ONCE, old=2, controller=4)
    ([(2, 3), (1,)], [(2, 1), (3,), (4,)])
    """
    others = [node for node in turns(old) if node != controller]
    if order is Order.CONTROLLER_FIRST:
        return [(controller,), *((node,) for node in others)]
    if order is Order.CONTROLLER_LAST:
        return [*((node,) for node in others), (controller,)]
    first, second, *left = sorted((*others, controller), key=lambda node: (node != old, node == controller))
    return [(first, second), *((node,) for node in left)]


async def restart_all(step: RestartAll, scene: Scene) -> None:
    """Begin; the rest goes on beside the watch."""
    controllers = scene.cluster.ensemble if scene.cluster.kraft else ()
    controller = controllers[0].node if controllers else await scene.cluster.admin.controller()
    coming = waves(step.order, scene.old, controller)
    told = ", then ".join(" and ".join(map(str, wave)) for wave in coming)
    kind = "a node of its own" if controllers else "a broker"
    scene.cluster.tell(EngineKind.NOTE, text=f"node {controller}, {kind}, is the controller; restarted are {told}")
    scene.cluster.spawn(_roll(step, coming, scene))


async def _roll(step: RestartAll, coming: Sequence[Wave], scene: Scene) -> None:
    """Restart all. EngineError when the watch ends before that: whoever saw half of it has not seen it."""
    left = [node for wave in coming for node in wave]
    try:
        for wave in coming:
            await asyncio.gather(*(_stop(scene, node) for node in wave))
            await asyncio.sleep(step.down_ms / 1000)
            await asyncio.gather(*(_start(scene, node) for node in wave))
            left = [node for node in left if node not in wave]
            await in_sync(scene)
            scene.cluster.tell(EngineKind.NOTE, text="everything is in sync")
    except asyncio.CancelledError:
        if not left:
            raise
        raise EngineError(f"the watch ended before these were restarted: {', '.join(map(str, left))}") from None
    if not scene.cluster.kraft:
        now = await scene.cluster.admin.controller()
        scene.cluster.tell(EngineKind.NOTE, text=f"all are back; broker {now} is the controller")


def _controller(scene: Scene, node: int) -> ServerProcess | None:
    """Return the node if it is a controller and no broker."""
    return None if node in scene.cluster.brokers else next(one for one in scene.cluster.ensemble if one.node == node)


async def _stop(scene: Scene, node: int) -> None:
    if (controller := _controller(scene, node)) is None:
        return await act(StopBroker(turn=turns(scene.old).index(node), listed=False), scene)
    controller.terminate()
    scene.strike()
    await controller.ended(ENDS_S)
    scene.cluster.tell(EngineKind.NOTE, text=f"{controller.name} has ended")
    return None


async def _start(scene: Scene, node: int) -> None:
    if (controller := _controller(scene, node)) is None:
        return await act(ReturnBroker(turn=turns(scene.old).index(node)), scene)
    await controller.start()
    await controller.ready(SERVES_S)
    scene.cluster.tell(EngineKind.NOTE, text=f"{controller.name} serves again")
    return None


async def all_up(step: RestartAll, scene: Scene) -> None:
    """Start whoever is not there, the controller before the brokers."""
    for server in scene.cluster.ensemble:
        if server.pid is None:
            await server.start()
            await server.ready(SERVES_S)
    await brokers_up(step, scene)
