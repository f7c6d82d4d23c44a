"""Messages on their way to the orchestrator: pongs at once, events in batches."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Awaitable, Callable

from probe.drivers.rpc import driver_pb2 as pb

FLUSH_S = 0.02
"""An event waits so long at most (driver.proto)."""
BATCH = 256
"""Events in one message at most (driver.proto)."""


class Outbox:
    """Takes events from any thread, and pongs from the loop's; a task of the loop drains it.

    To be made on the loop.
    """

    def __init__(self, hello: pb.Hello) -> None:
        self._urgent: deque[pb.FromDriver] = deque([pb.FromDriver(hello=hello)])
        self._events: deque[pb.Event] = deque()
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._woken = False

    def pong(self, ping_id: int, clock_us: int) -> None:
        """Answer a ping ahead of all events."""
        self._urgent.append(pb.FromDriver(pong=pb.Pong(id=ping_id, clock_us=clock_us)))
        self._changed.set()

    def add(self, event: pb.Event) -> None:
        """Queue an event; the drain is woken for the first of a batch and for a full one only."""
        self._events.append(event)
        if not self._woken or len(self._events) == BATCH:
            self._woken = True
            self._loop.call_soon_threadsafe(self._changed.set)

    async def drain(self, write: Callable[[pb.FromDriver], Awaitable[None]]) -> None:
        """Write what is due, until cancelled."""
        due = None
        while True:
            self._changed.clear()
            while self._urgent:
                await write(self._urgent.popleft())
            if due is not None and (due <= time.monotonic() or len(self._events) >= BATCH):
                await write(self._batch())
                due = None
            if not self._events:
                self._woken = False  # before the second look: who adds after it wakes us
            if due is None and self._events:
                due = time.monotonic() + FLUSH_S
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if due is None else due - time.monotonic()):
                    await self._changed.wait()

    def _batch(self) -> pb.FromDriver:
        batch = [self._events.popleft() for _ in range(min(BATCH, len(self._events)))]
        return pb.FromDriver(events=pb.Events(events=batch))
