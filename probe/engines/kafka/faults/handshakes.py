"""TLS handshakes that fail because of what real brokers present, or of whom they trust."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
import time
from collections.abc import AsyncIterator
from pathlib import Path

from probe.access import RIGHT
from probe.engines.kafka import tls_stores
from probe.engines.kafka.admin.broker_requests import alter_broker
from probe.engines.kafka.admin.wire import line_to
from probe.engines.kafka.ports import BrokerProcess, FaultTarget
from probe.errors import EngineError
from probe.scenarios.steps.handshakes import Flaw, SpoilHandshakes
from probe.scenarios.steps.logins import CutAllConnections

SERVED_S, ASK_S = 30.0, 10.0
"""Longest time until a broker presents another certificate, and deadline of one request."""
THREADS_TWICE = 6
"""Connections in a row that meet it, with the client's certificate where brokers ask for one: each of a listener's
three network threads (`num.network.threads`) takes it by itself, one after the other, and they take new connections in
turn."""


async def spoil(step: SpoilHandshakes, target: FaultTarget) -> None:
    """Let all brokers present, or trust, what the flaw says; or lead clients to their listeners without TLS."""
    if step.by is Flaw.CLOSED:
        _lead(target, plain=True)
    else:
        await _present(target, step.by)
    target.cluster.relay.passage.meant = True
    target.mark_fault_on()


async def mend(step: SpoilHandshakes, target: FaultTarget) -> None:
    """Let all brokers present and trust what is right."""
    if step.by is Flaw.CLOSED:
        _lead(target, plain=False)
    else:
        await _present(target, RIGHT)
    target.cluster.relay.passage.meant = False


async def cut_all(_: CutAllConnections, target: FaultTarget) -> None:
    """Reset all connections of clients."""
    for node in target.cluster.nodes.addresses:
        await target.cluster.relay.cut(node)


def _lead(target: FaultTarget, *, plain: bool) -> None:
    """Lead clients to the listeners of the brokers for each other, which have no TLS, or to their own."""
    nodes = target.cluster.nodes
    for node in nodes.addresses:
        broker = target.cluster.brokers[nodes.at(0) if node == nodes.bootstrap else node]
        target.cluster.relay.forward(node, broker.internal if plain else broker.external)


async def _present(target: FaultTarget, name: str) -> None:
    brokers = target.cluster.brokers
    await asyncio.gather(*(_take(node, broker, name) for node, broker in brokers.items()))


async def _take(node: int, broker: BrokerProcess, name: str) -> None:
    """Let a running broker take its stores of this name, and wait until both are in force. EngineError."""
    async with line_to(broker.internal, ASK_S) as line:
        await alter_broker(line, node, tls_stores.locations(broker.folder, name))
    chain = tls_stores.client(broker.folder)
    trusted = chain is None or tls_stores.trusts_clients(broker.folder, name)
    wanted = tls_stores.certificate(broker.folder, name)
    end, times = time.monotonic() + SERVED_S, 0
    while times < THREADS_TWICE:
        if time.monotonic() > end:
            raise EngineError(f"broker {node} did not take its other certificates within {SERVED_S:.0f} s")
        in_force = await _presented(broker) == wanted and (chain is None or await _accepts(broker, chain) is trusted)
        times = times + 1 if in_force else 0


async def _presented(broker: BrokerProcess) -> bytes:
    """Return the certificate that a broker presents, empty while it presents none."""
    with contextlib.suppress(OSError):
        async with _connected(broker, _anyone()) as writer:
            return bytes(writer.get_extra_info("ssl_object").getpeercert(binary_form=True) or b"")
    return b""


async def _accepts(broker: BrokerProcess, chain: Path) -> bool:
    """Return whether a broker accepts a client's certificate.

    By TLS 1.2, whose handshake ends with the broker's answer to it; by TLS 1.3 a client learns it later.
    """
    client = _anyone()
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    client.load_cert_chain(chain)
    with contextlib.suppress(OSError):
        async with _connected(broker, client):
            return True
    return False


def _anyone() -> ssl.SSLContext:
    """Return the TLS of a client that accepts every broker."""
    found = ssl.create_default_context()
    found.check_hostname, found.verify_mode = False, ssl.CERT_NONE
    return found


@contextlib.asynccontextmanager
async def _connected(broker: BrokerProcess, tls: ssl.SSLContext) -> AsyncIterator[asyncio.StreamWriter]:
    """Connect to the listener for clients. OSError if the handshake fails, TimeoutError if it takes too long."""
    async with asyncio.timeout(ASK_S):
        _, writer = await asyncio.open_connection(broker.external.host, broker.external.port, ssl=tls)
    try:
        yield writer
    finally:
        writer.transport.abort()
