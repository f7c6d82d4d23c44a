"""Network faults between clients and brokers; the relay plays them, as for the embedded engine."""

from __future__ import annotations

import asyncio

from probe.engines.kafka.deadlines import STARTED_S
from probe.engines.kafka.faults.brokers import KILLED_S, end
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineKind
from probe.model.endpoint import Endpoint
from probe.protocol.apis import DISCOVERY_APIS
from probe.scenarios.steps.brokers import (
    Blackhole,
    ChangeAddress,
    ChangeAddresses,
    ExpireIdle,
    LoseAnswers,
    RefuseConnections,
    SlowDown,
    SwapAddresses,
)
from probe.scenarios.steps.partitions import CutConnections, HoldDiscovery


async def cut(_: CutConnections, target: FaultTarget) -> None:
    """Reset established connections."""
    target.mark_fault_on()
    await target.cluster.relay.cut(target.old)


async def refuse(step: RefuseConnections, target: FaultTarget) -> None:
    """Refuse connections, at once or after the first attempt."""
    relay = target.cluster.relay
    (relay.refuse_after_attempt if step.once_tried else relay.refuse)(target.old)
    target.mark_fault_on()
    await relay.cut(target.old)


async def accept(_: RefuseConnections, target: FaultTarget) -> None:
    """Accept connections again."""
    target.cluster.relay.accept(target.old)


async def blackhole(_: Blackhole, target: FaultTarget) -> None:
    """Forward no bytes."""
    target.cluster.relay.blackhole(target.old)
    target.mark_fault_on()


async def pass_again(_: Blackhole, target: FaultTarget) -> None:
    """Forward bytes again; connections that lost bytes are reset."""
    target.cluster.relay.blackhole(target.old, on=False)


async def slow(step: SlowDown, target: FaultTarget) -> None:
    """Delay all answers."""
    target.cluster.relay.slow(target.old, step.delay_ms)
    target.mark_fault_on()


async def quick(_: SlowDown, target: FaultTarget) -> None:
    """End the delay of answers."""
    target.cluster.relay.slow(target.old, 0)


async def hold(step: HoldDiscovery, target: FaultTarget) -> None:
    """Hold back answers of the discovery APIs."""
    target.cluster.relay.hold(DISCOVERY_APIS, step.hold_ms)


async def release(_: HoldDiscovery, target: FaultTarget) -> None:
    """Hold back no answers any more."""
    target.cluster.relay.hold((), 0)


async def lose(step: LoseAnswers, target: FaultTarget) -> None:
    """Cut a connection instead of an answer, `step.times` times per client."""
    target.cluster.relay.lose(target.old, step.apis, step.times)
    target.mark_fault_on()


async def lose_no_more(_: LoseAnswers, target: FaultTarget) -> None:
    """Forward all answers again."""
    target.cluster.relay.lose(target.old, (), 0)


async def expire_idle(step: ExpireIdle, target: FaultTarget) -> None:
    """Close or forget idle connections."""
    target.cluster.relay.expire_idle(step.after_ms, forgotten=step.forgotten)
    target.mark_fault_on()


async def expire_no_more(_: ExpireIdle, target: FaultTarget) -> None:
    """Leave idle connections alone; those that were forgotten stay so."""
    target.cluster.relay.expire_idle(0)


async def all_gone(target: FaultTarget) -> None:
    """Let all ports refuse, and reset all connections."""
    relay = target.cluster.relay
    for node in target.cluster.nodes.addresses:
        relay.refuse(node)
    target.mark_fault_on()
    for node in target.cluster.nodes.addresses:
        await relay.cut(node)


async def change_addresses(step: ChangeAddresses, target: FaultTarget) -> None:
    """Stop all brokers and start them with other addresses of the relay."""
    await all_gone(target)
    target.cluster.spawn(_return_elsewhere(step, target))


async def _return_elsewhere(step: ChangeAddresses, target: FaultTarget) -> None:
    relay, brokers = target.cluster.relay, target.cluster.brokers
    await _shut_down(target, *brokers)
    await asyncio.sleep(step.down_ms / 1000)
    for node in brokers:
        _advertise(target, node, relay.address(node), relay.move(node))
    await asyncio.gather(*(target.cluster.start_broker(node, STARTED_S) for node in brokers))
    relay.accept(target.cluster.nodes.bootstrap)
    target.cluster.emit(EngineKind.ANNOUNCED)


def _advertise(target: FaultTarget, node: int, before: Endpoint, after: Endpoint) -> None:
    settings = target.cluster.brokers[node].settings
    for key, value in settings.items():
        settings[key] = value.replace(str(before), str(after))


async def change_address(step: ChangeAddress, target: FaultTarget) -> None:
    """Shut the failing broker down, and start it with another address of the relay.

    Its new port refuses until it is back. The old one refuses for good, or is silent with its connections half open.
    """
    node, relay = target.old, target.cluster.relay
    before = relay.address(node)
    target.mark_fault_on()
    if not step.silent:
        relay.refuse(node)
        await relay.cut(node)
        target.cluster.emit(EngineKind.STOPPED, broker=node)
    after = relay.move(node, silent=step.silent)
    relay.refuse(node)
    target.unhealthy.add(node)
    target.cluster.spawn(_one_returns_elsewhere(step, target, before, after))


async def _one_returns_elsewhere(step: ChangeAddress, target: FaultTarget, before: Endpoint, after: Endpoint) -> None:
    node = target.old
    await _shut_down(target, node)
    await asyncio.sleep(step.down_ms / 1000)
    _advertise(target, node, before, after)
    await _back(target, node)
    _report_return(target, node)


async def _shut_down(target: FaultTarget, *nodes: int) -> None:
    target.leaving.update(nodes)
    for node in nodes:
        target.cluster.brokers[node].terminate()
    await asyncio.gather(*(end(target, node) for node in nodes))


async def _back(target: FaultTarget, node: int) -> None:
    """Start a broker, and accept connections to it."""
    await target.cluster.start_broker(node, STARTED_S)
    target.cluster.relay.accept(node)
    target.unhealthy.discard(node)
    target.cluster.emit(EngineKind.RETURNED, broker=node)


def _report_return(target: FaultTarget, node: int) -> None:
    """Report that a broker leads again what nobody took over, which no broker's Metadata shows as a move."""
    target.cluster.emit(EngineKind.MOVED, broker=node)
    target.cluster.emit(EngineKind.ANNOUNCED, broker=node)


async def swap_addresses(step: SwapAddresses, target: FaultTarget) -> None:
    """Kill two brokers, and start them with each other's address of the relay."""
    relay, nodes = target.cluster.relay, (target.old, target.turns[step.turn])
    for node in nodes:
        relay.refuse(node)
    target.mark_fault_on()
    for node in nodes:
        await relay.cut(node)
    target.unhealthy.update(nodes)
    target.cluster.spawn(_two_swap(target, *nodes))


async def _two_swap(target: FaultTarget, old: int, other: int) -> None:
    """Real brokers take longer for their start than the pauses of the step."""
    relay, brokers = target.cluster.relay, target.cluster.brokers
    for node in (old, other):
        brokers[node].kill()
        await brokers[node].ended(KILLED_S)
        target.cluster.emit(EngineKind.STOPPED, broker=node)
    before = {node: relay.address(node) for node in (old, other)}
    relay.swap(old, other)
    for node, address in before.items():
        _advertise(target, node, address, relay.address(node))
    await _back(target, other)
    await _back(target, old)
    _report_return(target, old)
