"""Messages on their way to the orchestrator: pongs at once, events in batches."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from probe.driver_contract import driver_pb2 as pb

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
        self._gathering: asyncio.TimerHandle | None = None
        self._ripe = False

    def pong(self, ping_id: int, clock_us: int) -> None:
        """Answer a ping ahead of all events."""
        self._urgent.append(pb.FromDriver(pong=pb.Pong(id=ping_id, clock_us=clock_us)))
        self._changed.set()

    def add(self, event: pb.Event) -> None:
        """Queue an event; the loop is woken for the first of a batch and for a full one only."""
        self._events.append(event)
        if not self._woken or len(self._events) == BATCH:
            self._woken = True
            self._loop.call_soon_threadsafe(self._gather)

    async def drain(self, write: Callable[[pb.FromDriver], Awaitable[None]]) -> None:
        """Write what is due, until cancelled."""
        while True:
            self._changed.clear()
            while self._urgent:
                await write(self._urgent.popleft())
            if self._ripe or len(self._events) >= BATCH:
                await write(self._batch())
            if not self._events:
                self._woken = False  # before the second look: who adds after it wakes us
            if self._events:
                self._gather()
            await self._changed.wait()

    def _gather(self) -> None:
        """Have the drain woken when the batch is due, or at once if it is full."""
        if self._gathering is None:
            self._gathering = self._loop.call_later(FLUSH_S, self._ripen)
        if len(self._events) >= BATCH:
            self._changed.set()

    def _ripen(self) -> None:
        self._ripe = True
        self._changed.set()

    def _batch(self) -> pb.FromDriver:
        if self._gathering is not None:
            self._gathering.cancel()
        self._gathering, self._ripe = None, False
        batch = [self._events.popleft() for _ in range(min(BATCH, len(self._events)))]
        return pb.FromDriver(events=pb.Events(events=batch))
