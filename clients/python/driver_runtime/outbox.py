"""Messages to the orchestrator: pongs at once, events in batches."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

from probe.driver_contract import driver_pb2 as pb

FLUSH_S = 0.02
"""Longest delay of an event in seconds (driver.proto)."""
BATCH = 256
"""Most events in one message (driver.proto)."""


class Outbox:
    """Takes events from any thread, and pongs from the loop's thread; a task of the loop sends them.

    It must be created on the loop.
    """

    def __init__(self, hello: pb.Hello) -> None:
        self._urgent: deque[pb.FromDriver] = deque([pb.FromDriver(hello=hello)])
        self._events: deque[pb.Event] = deque()
        self._loop = asyncio.get_running_loop()
        self._changed = asyncio.Event()
        self._woken = False
        self._timer: asyncio.TimerHandle | None = None
        self._due = False

    def pong(self, ping_id: int, clock_us: int) -> None:
        """Answer a ping ahead of all events."""
        self._urgent.append(pb.FromDriver(pong=pb.Pong(id=ping_id, clock_us=clock_us)))
        self._changed.set()

    def add(self, event: pb.Event) -> None:
        """Queue an event; the loop is woken for the first event of a batch and for a full batch only."""
        self._events.append(event)
        if not self._woken or len(self._events) == BATCH:
            self._woken = True
            self._loop.call_soon_threadsafe(self._schedule)

    async def drain(self, write: Callable[[pb.FromDriver], Awaitable[None]]) -> None:
        """Write due messages until cancelled."""
        while True:
            self._changed.clear()
            while self._urgent:
                await write(self._urgent.popleft())
            if self._due or len(self._events) >= BATCH:
                await write(self._batch())
            if not self._events:
                self._woken = False  # before the second check: a later event wakes the task
            if self._events:
                self._schedule()
            await self._changed.wait()

    def _schedule(self) -> None:
        """Schedule the batch, or wake the task at once if the batch is full."""
        if self._timer is None:
            self._timer = self._loop.call_later(FLUSH_S, self._make_due)
        if len(self._events) >= BATCH:
            self._changed.set()

    def _make_due(self) -> None:
        self._due = True
        self._changed.set()

    def _batch(self) -> pb.FromDriver:
        if self._timer is not None:
            self._timer.cancel()
        self._timer, self._due = None, False
        batch = [self._events.popleft() for _ in range(min(BATCH, len(self._events)))]
        return pb.FromDriver(events=pb.Events(events=batch))
