"""The network between clients and brokers: the relay plays it, as for the embedded engine."""

from __future__ import annotations

import asyncio

from probe.engines.kafka.faults.brokers import START_S, end
from probe.engines.kafka.ports import Scene
from probe.model import EngineKind
from probe.model.cluster import BOOTSTRAP, BROKERS
from probe.protocol.apis import DISCOVERY_APIS
from probe.scenarios.steps.brokers import Blackhole, ChangeAddresses, LoseAnswers, RefuseConnections, SlowDown
from probe.scenarios.steps.partitions import CutConnections, HoldDiscovery


async def cut(_: CutConnections, scene: Scene) -> None:
    """Reset what is established."""
    scene.strike()
    await scene.cluster.relay.cut(scene.old)


async def refuse(step: RefuseConnections, scene: Scene) -> None:
    """Refuse, at once or once somebody has tried."""
    relay = scene.cluster.relay
    (relay.turn_away if step.once_tried else relay.refuse)(scene.old)
    scene.strike()
    await relay.cut(scene.old)


async def accept(_: RefuseConnections, scene: Scene) -> None:
    """Accept again."""
    scene.cluster.relay.accept(scene.old)


async def blackhole(_: Blackhole, scene: Scene) -> None:
    """Pass nothing on."""
    scene.cluster.relay.blackhole(scene.old)
    scene.strike()


async def pass_again(_: Blackhole, scene: Scene) -> None:
    """Pass everything on; connections that lost bytes are reset."""
    scene.cluster.relay.blackhole(scene.old, on=False)


async def slow(step: SlowDown, scene: Scene) -> None:
    """Hold every answer back."""
    scene.cluster.relay.slow(scene.old, step.delay_ms)
    scene.strike()


async def quick(_: SlowDown, scene: Scene) -> None:
    """Hold nothing back."""
    scene.cluster.relay.slow(scene.old, 0)


async def hold(step: HoldDiscovery, scene: Scene) -> None:
    """Hold back who tells where things are."""
    scene.cluster.relay.hold(DISCOVERY_APIS, step.hold_ms)


async def release(_: HoldDiscovery, scene: Scene) -> None:
    """Hold nothing back."""
    scene.cluster.relay.hold((), 0)


async def lose(step: LoseAnswers, scene: Scene) -> None:
    """Cut a connection in the place of an answer, so many times for each client."""
    scene.cluster.relay.lose(scene.old, step.apis, step.times)
    scene.strike()


async def lose_no_more(_: LoseAnswers, scene: Scene) -> None:
    """Pass all answers."""
    scene.cluster.relay.lose(scene.old, (), 0)


async def change_addresses(step: ChangeAddresses, scene: Scene) -> None:
    """Stop all brokers and start them with other addresses of the relay's."""
    relay = scene.cluster.relay
    for node in (BOOTSTRAP, *BROKERS):
        relay.refuse(node)
    scene.strike()
    for node in (BOOTSTRAP, *BROKERS):
        await relay.cut(node)
    scene.cluster.spawn(_return_elsewhere(step, scene))


async def _return_elsewhere(step: ChangeAddresses, scene: Scene) -> None:
    relay, brokers = scene.cluster.relay, scene.cluster.brokers
    scene.leaving.update(brokers)
    for broker in brokers.values():
        broker.terminate()
    await asyncio.gather(*(end(scene, node) for node in brokers))
    await asyncio.sleep(step.down_ms / 1000)
    for node, broker in brokers.items():
        before, after = relay.address(node), relay.move(node)
        for key, value in broker.settings.items():
            broker.settings[key] = value.replace(str(before), str(after))
    await asyncio.gather(*(scene.cluster.start_broker(node, START_S) for node in brokers))
    relay.accept(BOOTSTRAP)
    scene.cluster.tell(EngineKind.ANNOUNCED)
