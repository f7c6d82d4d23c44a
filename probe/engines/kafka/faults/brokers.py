"""Whole brokers: killed, shut down, hung, back again, one after the other."""

from __future__ import annotations

import asyncio
import time

from probe.engines.kafka.faults import port_mirror
from probe.engines.kafka.faults.action import in_sync, turns
from probe.engines.kafka.faults.replicas import evacuate
from probe.engines.kafka.faults.schedule import Timed, is_ours, is_prelude, later
from probe.engines.kafka.ports import Scene
from probe.model import EngineKind
from probe.scenarios.session_timeouts import session_ms
from probe.scenarios.steps.brokers import NOW, HangBroker, Resign, ReturnBroker, StopBroker

KILLED_S = 10.0
LEAVES_S = 30.0
"""A controlled shutdown that takes longer has failed; a real one took 1 to 3 s."""
START_S = 90.0


async def in_time(step: Timed, scene: Scene) -> None:
    """Do a step now; the first of those that come later takes all of them along, one after the other."""
    session = session_ms(scene.cluster.line)
    if step.when == NOW:
        if is_ours(step, scene.steps, scene.election_ms, session):
            await act(step, scene)
        return
    coming = later(scene.steps, scene.election_ms, session)
    if coming and coming[0][1] is step:
        scene.cluster.spawn(_one_by_one(coming, scene))


async def _one_by_one(coming: list[tuple[int, Timed]], scene: Scene) -> None:
    """Do each step at its time or, if that is later, when the one before it is done."""
    begin = time.monotonic()
    returned = False
    for after_ms, step in coming:
        await asyncio.sleep(max(0.0, begin + after_ms / 1000 - time.monotonic()))
        if returned and isinstance(step, StopBroker) and not step.listed:
            await in_sync(scene)
        await act(step, scene)
        returned = returned or isinstance(step, ReturnBroker)


async def act(step: Timed, scene: Scene) -> None:
    """Do a step."""
    node = turns(scene.old)[step.turn]
    if isinstance(step, StopBroker):
        await (_kill if step.listed else _shut_down)(step, scene, node)
    elif isinstance(step, HangBroker):
        await _hang(scene, node)
    elif isinstance(step, ReturnBroker):
        await _return(scene, node)
    else:
        await evacuate(step, scene, node)


async def _kill(step: StopBroker, scene: Scene, node: int) -> None:
    """Kill it: its port refuses from the same moment on."""
    broker, relay = scene.cluster.brokers[node], scene.cluster.relay
    if broker.pid is None:
        return
    scene.sick.add(node)
    relay.refuse(node)
    broker.kill()
    _strike(step, scene)
    await broker.ended(KILLED_S)
    scene.cluster.tell(EngineKind.STOPPED, broker=node)
    await relay.cut(node)


async def _shut_down(step: StopBroker, scene: Scene, node: int) -> None:
    """Tell it to end, and wait until it has."""
    broker = scene.cluster.brokers[node]
    if broker.pid is None:
        return
    _tell_to_end(scene, node)
    _strike(step, scene)
    await _leave(scene, node)


def _strike(step: StopBroker, scene: Scene) -> None:
    if not is_prelude(step, scene.steps):
        scene.strike()


def _tell_to_end(scene: Scene, node: int) -> None:
    scene.sick.add(node)
    scene.leaving.add(node)
    scene.cluster.brokers[node].terminate()


async def _leave(scene: Scene, node: int) -> None:
    """Tell that it stopped when it refuses; its process may take some seconds more to end."""
    await port_mirror.shut_with(scene, node, LEAVES_S)
    scene.cluster.tell(EngineKind.STOPPED, broker=node)
    await scene.cluster.brokers[node].ended(LEAVES_S)
    scene.leaving.discard(node)
    await scene.cluster.relay.cut(node)


async def resign(_: Resign, scene: Scene) -> None:
    """Begin a controlled shutdown of the broker that fails; the rest of it follows."""
    _tell_to_end(scene, scene.old)
    scene.strike()
    scene.cluster.spawn(_leave(scene, scene.old))


async def _hang(scene: Scene, node: int) -> None:
    """Pause it; one that is down is started, and will not get far."""
    broker = scene.cluster.brokers[node]
    scene.sick.add(node)
    if broker.pid is None:
        await broker.start()
        scene.cluster.spawn(port_mirror.open_with(scene, node, START_S))
    else:
        broker.pause()
        scene.strike()


async def _return(scene: Scene, node: int) -> None:
    """Let it go on, or start it; clients reach it as soon as it listens."""
    broker = scene.cluster.brokers[node]
    if broker.pid is None:
        await start(scene, node)
    elif broker.paused:
        broker.resume()
    scene.sick.discard(node)
    scene.cluster.tell(EngineKind.RETURNED, broker=node)


async def start(scene: Scene, node: int) -> None:
    """Start a broker, whose port opens when it listens: before listeners had names, brokers meet there, too."""
    try:
        await asyncio.gather(scene.cluster.start_broker(node, START_S), port_mirror.open_with(scene, node, START_S))
    except TimeoutError as late:
        raise TimeoutError(str(late) or f"broker {node} was not back within {START_S:.0f} s") from None


async def all_up(_: object, scene: Scene) -> None:
    """Wake, await and start whoever is not there; the relay accepts for all."""
    brokers = scene.cluster.brokers
    paused = [node for node, broker in brokers.items() if broker.pid is not None and broker.paused]
    for node in paused:
        brokers[node].resume()
    for node in sorted(scene.leaving):
        await end(scene, node)
    down = [node for node, broker in brokers.items() if broker.pid is None]
    await asyncio.gather(*(start(scene, node) for node in down))
    for node, broker in brokers.items():
        await broker.ready(START_S)
        scene.cluster.relay.accept(node)
    for node in (*paused, *down):
        scene.cluster.tell(EngineKind.RETURNED, broker=node)
    scene.sick.clear()


async def end(scene: Scene, node: int) -> None:
    """Wait until a broker that was told to end has; kill it if it does not."""
    broker = scene.cluster.brokers[node]
    try:
        await broker.ended(LEAVES_S)
    except TimeoutError:
        broker.kill()
        await broker.ended(KILLED_S)
    scene.leaving.discard(node)


async def restart(scene: Scene, node: int) -> None:
    """Stop a broker as it should be, if it runs, and start it."""
    broker = scene.cluster.brokers[node]
    if broker.pid is not None:
        broker.resume()
        broker.terminate()
        await end(scene, node)
    await start(scene, node)
    scene.cluster.tell(EngineKind.RETURNED, broker=node)
    scene.sick.discard(node)
