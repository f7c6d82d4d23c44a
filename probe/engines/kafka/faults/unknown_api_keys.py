"""Requests with an API key that a broker does not know, and a monitor that polls the broker meanwhile.

Such a request throws an exception in the network thread of Kafka 0.9. Later requests that were received in the same
poll are dropped without an answer. Connections whose answers were sent in that poll are not read again.
"""

from __future__ import annotations

import asyncio
import contextlib
import struct
import time

from probe.engines.kafka.admin import requests as ask
from probe.engines.kafka.admin.wire import Writer, line_to
from probe.engines.kafka.ports import FaultTarget
from probe.errors import EngineError
from probe.model import EngineKind
from probe.scenarios.steps.coordinators import SendUnknownKeys

BURST_S = 2.0
"""Deadline of a burst."""
PART = 100
"""Requests of a burst that are sent at once."""
NO_TOPIC = "none-of-this-name"
SENDER = "newer-client"
MONITOR_S, LOOK_S = 1.0, 0.05
"""The monitor's deadline for an answer, and its pause between two requests."""
AFTERWARDS_S = 3.0
"""Time for which the monitor goes on after the last burst."""


async def send(step: SendUnknownKeys, target: FaultTarget) -> None:
    """Start the bursts of requests in a task."""
    target.mark_fault_on()
    target.cluster.spawn(_bursts(step, target))


def frames(key: int, count: int) -> bytes:
    """Return `count` requests of version 0 without a body, like ApiVersions."""
    bodies = (Writer().pack("hhi", key, 0, number).string(SENDER).data for number in range(1, count + 1))
    return b"".join(struct.pack(">i", len(body)) + body for body in bodies)


async def _bursts(step: SendUnknownKeys, target: FaultTarget) -> None:
    begin = time.monotonic()
    monitor = asyncio.create_task(_watch(target))
    try:
        for number in range(step.until_ms // step.every_ms + 1):
            await asyncio.sleep(max(0.0, begin + number * step.every_ms / 1000 - time.monotonic()))
            await _burst(step, target)
        target.cluster.emit(EngineKind.NOTE, broker=target.old, text="the newer client is gone")
        await asyncio.sleep(AFTERWARDS_S)
    finally:
        monitor.cancel()


async def _burst(step: SendUnknownKeys, target: FaultTarget) -> None:
    """Send requests on one connection until the broker has taken them for `lasts_ms`. OSError if it cannot connect.

    Each request needs a poll of the broker's network thread, so a fast broker takes more of them in the same time. The
    question after each part has an answer: the broker has taken the part when it comes.
    """
    target.cluster.emit(
        EngineKind.NOTE, broker=target.old, text=f"a newer client sends requests with API key {step.key}"
    )
    begin, sent = time.monotonic(), 0
    with contextlib.suppress(TimeoutError, EngineError):  # the answer was lost like those of other clients
        async with line_to(target.cluster.brokers[target.old].internal, BURST_S) as line:
            begin = time.monotonic()
            while time.monotonic() - begin < step.lasts_ms / 1000:
                line.send(frames(step.key, PART))
                sent += PART
                await ask.metadata(line, [NO_TOPIC], old=True)
    text = f"it sent {sent} requests in {(time.monotonic() - begin) * 1000:.0f} ms"
    target.cluster.emit(EngineKind.NOTE, broker=target.old, text=text)


async def _watch(target: FaultTarget) -> None:
    """Ask for Metadata on a new connection every time. Emit a note when that begins to fail or to work again."""
    was_answered = True
    while True:
        answered = await _answers(target)
        if answered != was_answered:
            text = "a monitor is answered again" if answered else f"a monitor has no answer for {MONITOR_S:.0f} s"
            target.cluster.emit(EngineKind.NOTE, broker=target.old, text=text)
        was_answered = answered
        await asyncio.sleep(LOOK_S)


async def _answers(target: FaultTarget) -> bool:
    with contextlib.suppress(OSError, EngineError):
        async with line_to(target.cluster.brokers[target.old].internal, MONITOR_S) as line:
            await ask.metadata(line, [NO_TOPIC], old=True)
            return True
    return False
