"""Network faults between clients and brokers; the relay plays them, as for the embedded engine."""

from __future__ import annotations

import asyncio

from probe.engines.kafka.faults.brokers import START_S, end
from probe.engines.kafka.ports import FaultTarget
from probe.model import EngineKind
from probe.model.cluster import BOOTSTRAP, BROKERS
from probe.protocol.apis import DISCOVERY_APIS
from probe.scenarios.steps.brokers import (
    Blackhole,
    ChangeAddresses,
    ExpireIdle,
    LoseAnswers,
    RefuseConnections,
    SlowDown,
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


async def change_addresses(step: ChangeAddresses, target: FaultTarget) -> None:
    """Stop all brokers and start them with other addresses of the relay."""
    relay = target.cluster.relay
    for node in (BOOTSTRAP, *BROKERS):
        relay.refuse(node)
    target.mark_fault_on()
    for node in (BOOTSTRAP, *BROKERS):
        await relay.cut(node)
    target.cluster.spawn(_return_elsewhere(step, target))


async def _return_elsewhere(step: ChangeAddresses, target: FaultTarget) -> None:
    relay, brokers = target.cluster.relay, target.cluster.brokers
    target.leaving.update(brokers)
    for broker in brokers.values():
        broker.terminate()
    await asyncio.gather(*(end(target, node) for node in brokers))
    await asyncio.sleep(step.down_ms / 1000)
    for node, broker in brokers.items():
        before, after = relay.address(node), relay.move(node)
        for key, value in broker.settings.items():
            broker.settings[key] = value.replace(str(before), str(after))
    await asyncio.gather(*(target.cluster.start_broker(node, START_S) for node in brokers))
    relay.accept(BOOTSTRAP)
    target.cluster.emit(EngineKind.ANNOUNCED)
