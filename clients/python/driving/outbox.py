"""Messages on their way to the orchestrator: pongs at once, events in batches."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator

from probe.drivers.rpc import driver_pb2 as pb

FLUSH_S = 0.02
"""An event waits so long at most (driver.proto)."""
BATCH = 256
"""Events in one message at most (driver.proto)."""


class Outbox:
    """Takes events and pongs from any thread; one thread drains it by iterating."""

    def __init__(self, hello: pb.Hello) -> None:
        self._urgent: deque[pb.FromDriver] = deque([pb.FromDriver(hello=hello)])
        self._events: deque[pb.Event] = deque()
        self._due = 0.0
        self._closed = False
        self._changed = threading.Condition()

    def pong(self, ping_id: int, clock_us: int) -> None:
        """Answer a ping ahead of all events."""
        with self._changed:
            self._urgent.append(pb.FromDriver(pong=pb.Pong(id=ping_id, clock_us=clock_us)))
            self._changed.notify()

    def add(self, event: pb.Event) -> None:
        """Queue an event; the drain is woken for the first of a batch and for a full one only."""
        with self._changed:
            self._events.append(event)
            if len(self._events) == 1:
                self._due = time.monotonic() + FLUSH_S
                self._changed.notify()
            elif len(self._events) == BATCH:
                self._changed.notify()

    def close(self) -> None:
        """End the iteration."""
        with self._changed:
            self._closed = True
            self._changed.notify()

    def __iter__(self) -> Iterator[pb.FromDriver]:
        """Yield what is due, waiting for it, until closed."""
        while (message := self._next()) is not None:
            yield message

    def _next(self) -> pb.FromDriver | None:
        with self._changed:
            while not self._closed:
                if self._urgent:
                    return self._urgent.popleft()
                wait = self._due - time.monotonic() if self._events else None
                if len(self._events) >= BATCH or (wait is not None and wait <= 0):
                    return self._batch()
                self._changed.wait(wait)
        return None

    def _batch(self) -> pb.FromDriver:
        batch = [self._events.popleft() for _ in range(min(BATCH, len(self._events)))]
        return pb.FromDriver(events=pb.Events(events=batch))
