"""The port mirror: the relay's port refuses while the broker's own port is closed."""

from __future__ import annotations

import asyncio
import contextlib
import time

from probe.engines.kafka.ports import BrokerProcess, FaultTarget

LOOK_S = 0.03
DIAL_S = 2.0


async def listens(broker: BrokerProcess) -> bool:
    """Return whether a broker accepts connections. A paused broker may: the kernel accepts for it."""
    address = broker.internal
    with contextlib.suppress(OSError):
        async with asyncio.timeout(DIAL_S):
            _, writer = await asyncio.open_connection(address.host, address.port)
        writer.transport.abort()
        return True
    return False


async def close_with_broker(target: FaultTarget, node: int, deadline_s: float) -> None:
    """Let the relay refuse as soon as a broker in shutdown no longer listens. TimeoutError."""
    broker = target.cluster.brokers[node]
    end = time.monotonic() + deadline_s
    while broker.pid is not None and await listens(broker):
        if time.monotonic() > end:
            raise TimeoutError(f"{broker.name} still listens {deadline_s:.0f} s after SIGTERM")
        await asyncio.sleep(LOOK_S)
    target.cluster.relay.refuse(node)


async def open_with_broker(target: FaultTarget, node: int, deadline_s: float) -> None:
    """Let the relay accept as soon as a starting broker listens; give up if the broker ends or is late."""
    broker = target.cluster.brokers[node]
    end = time.monotonic() + deadline_s
    started = False
    while time.monotonic() < end and not (started and broker.pid is None):
        started = started or broker.pid is not None
        if started and await listens(broker):
            target.cluster.relay.accept(node)
            return
        await asyncio.sleep(LOOK_S)
