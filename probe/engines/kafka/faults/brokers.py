"""Faults of whole brokers: killed, shut down, hung, restarted, one after the other."""

from __future__ import annotations

import asyncio
import time

from probe.engines.kafka.deadlines import STARTED_S
from probe.engines.kafka.faults import port_mirror
from probe.engines.kafka.faults.action import in_sync
from probe.engines.kafka.faults.replicas import evacuate
from probe.engines.kafka.faults.schedule import Timed, is_ours, is_prelude, later
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineKind
from probe.scenarios.session_timeouts import session_ms
from probe.scenarios.steps.brokers import NOW, HangBroker, Resign, ReturnBroker, StopBroker

KILLED_S = 10.0
LEAVES_S = 30.0
"""A controlled shutdown that takes longer has failed."""


async def in_time(step: Timed, target: FaultTarget) -> None:
    """Inject a step now. The first of the later steps schedules all later steps, one after the other."""
    session = session_ms(target.cluster.line)
    if step.when == NOW:
        if is_ours(step, target.steps, target.election_ms, session):
            await act(step, target)
        return
    coming = later(target.steps, target.election_ms, session)
    if coming and coming[0][1] is step:
        target.cluster.spawn(_one_by_one(coming, target))


async def _one_by_one(coming: list[tuple[int, Timed]], target: FaultTarget) -> None:
    """Inject each step at its time or, if that is later, after the previous one."""
    begin = time.monotonic()
    returned = False
    for after_ms, step in coming:
        await asyncio.sleep(max(0.0, begin + after_ms / 1000 - time.monotonic()))
        if returned and isinstance(step, StopBroker) and not step.listed:
            await in_sync(target)
        await act(step, target)
        returned = returned or isinstance(step, ReturnBroker)


async def act(step: Timed, target: FaultTarget) -> None:
    """Inject a step at once."""
    node = target.turns[step.turn]
    if isinstance(step, StopBroker):
        await (_kill if step.listed else _shut_down)(step, target, node)
    elif isinstance(step, HangBroker):
        await _hang(target, node)
    elif isinstance(step, ReturnBroker):
        await _return(target, node)
    else:
        await evacuate(step, target, node)


async def _kill(step: StopBroker, target: FaultTarget, node: int) -> None:
    """Kill a broker; its port refuses from the same moment."""
    broker, relay = target.cluster.brokers[node], target.cluster.relay
    if broker.pid is None:
        return
    target.unhealthy.add(node)
    relay.refuse(node)
    broker.kill()
    _mark_fault_on(step, target)
    await broker.ended(KILLED_S)
    target.cluster.emit(EngineKind.STOPPED, broker=node)
    await relay.cut(node)


async def _shut_down(step: StopBroker, target: FaultTarget, node: int) -> None:
    """Shut a broker down and wait until it has ended."""
    broker = target.cluster.brokers[node]
    if broker.pid is None:
        return
    _terminate(target, node)
    _mark_fault_on(step, target)
    await _leave(target, node)


def _mark_fault_on(step: StopBroker, target: FaultTarget) -> None:
    if not is_prelude(step, target.steps):
        target.mark_fault_on()


def _terminate(target: FaultTarget, node: int) -> None:
    target.unhealthy.add(node)
    target.leaving.add(node)
    target.cluster.brokers[node].terminate()


async def _leave(target: FaultTarget, node: int) -> None:
    """Emit STOPPED when the broker refuses connections; its process may take some seconds more to end."""
    await port_mirror.close_with_broker(target, node, LEAVES_S)
    target.cluster.emit(EngineKind.STOPPED, broker=node)
    await target.cluster.brokers[node].ended(LEAVES_S)
    target.leaving.discard(node)
    await target.cluster.relay.cut(node)


async def resign(_: Resign, target: FaultTarget) -> None:
    """Start a controlled shutdown of the failing broker and return at once."""
    _terminate(target, target.old)
    target.mark_fault_on()
    target.cluster.spawn(_leave(target, target.old))


async def _hang(target: FaultTarget, node: int) -> None:
    """Pause a broker. A broker that is down is started instead, and its relay port opens when it listens."""
    broker = target.cluster.brokers[node]
    target.unhealthy.add(node)
    if broker.pid is None:
        await broker.start()
        target.cluster.spawn(port_mirror.open_with_broker(target, node, STARTED_S))
    else:
        broker.pause()
        target.mark_fault_on()


async def _return(target: FaultTarget, node: int) -> None:
    """Resume or start a broker; clients reach it as soon as it listens."""
    broker = target.cluster.brokers[node]
    if broker.pid is None:
        await start(target, node)
    elif broker.paused:
        broker.resume()
    target.unhealthy.discard(node)
    target.cluster.emit(EngineKind.RETURNED, broker=node)


async def start(target: FaultTarget, node: int) -> None:
    """Start a broker and open its relay port when it listens; brokers without named listeners use that port, too."""
    try:
        await asyncio.gather(
            target.cluster.start_broker(node, STARTED_S), port_mirror.open_with_broker(target, node, STARTED_S)
        )
    except TimeoutError as late:
        raise TimeoutError(str(late) or f"broker {node} was not back within {STARTED_S:.0f} s") from None


async def all_up(_: object, target: FaultTarget) -> None:
    """Resume paused brokers, await those that shut down and start those that are down; the relay accepts for all."""
    brokers = target.cluster.brokers
    paused = [node for node, broker in brokers.items() if broker.pid is not None and broker.paused]
    for node in paused:
        brokers[node].resume()
    for node in sorted(target.leaving):
        await end(target, node)
    down = [node for node, broker in brokers.items() if broker.pid is None]
    await asyncio.gather(*(start(target, node) for node in down))
    for node, broker in brokers.items():
        await broker.ready(STARTED_S)
        target.cluster.relay.accept(node)
    for node in (*paused, *down):
        target.cluster.emit(EngineKind.RETURNED, broker=node)
    target.unhealthy.clear()


async def end(target: FaultTarget, node: int) -> None:
    """Wait until a broker in controlled shutdown has ended; kill it if it is late."""
    broker = target.cluster.brokers[node]
    try:
        await broker.ended(LEAVES_S)
    except TimeoutError:
        broker.kill()
        await broker.ended(KILLED_S)
    target.leaving.discard(node)


async def restart(target: FaultTarget, node: int) -> None:
    """Shut a broker down in a controlled way, if it runs, and start it."""
    broker = target.cluster.brokers[node]
    if broker.pid is not None:
        broker.resume()
        broker.terminate()
        await end(target, node)
    await start(target, node)
    target.cluster.emit(EngineKind.RETURNED, broker=node)
    target.unhealthy.discard(node)
