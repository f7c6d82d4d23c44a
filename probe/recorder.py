"""The one mutable object of a trial: takes events from everywhere, hands out frozen histories, waits on conditions."""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from operator import attrgetter

from probe.model import (
    App,
    AppKind,
    EngineEvent,
    EngineKind,
    Event,
    Header,
    History,
    Mark,
    MarkKind,
    Response,
)
from probe.model.clock import now_us
from probe.protocol.apis import DISCOVERY_APIS, OFFSET_COMMIT, PRODUCE

SUCCESSES = (AppKind.ACKED, AppKind.RECEIVED, AppKind.LISTED)
ENDINGS = (AppKind.CLOSED, AppKind.FATAL, AppKind.UNSUPPORTED)
COALESCE_S = 0.02
TIME = attrgetter("at")


class Recorder:
    """Collects one trial's events. `add` is a `probe.ports.Sink`: it never blocks and never raises."""

    def __init__(self, *, by_wire: bool = False) -> None:
        """Begin; `by_wire` = the application tells of no delivery or commit, so answers on the wire are counted."""
        self._by_wire = by_wire
        self._events: list[Event] = []
        """All events; those that were handed out before are in order of time."""
        self._ordered = 0
        """So many of them are."""
        self._changed = asyncio.Event()
        self.successes: Counter[int] = Counter()
        """Operations that succeeded, by partition."""
        self.told: Counter[int] = Counter()
        """What the application told but for what it began, by partition; -1 = of no partition."""
        self.kinds: Counter[AppKind] = Counter()
        self.engine: dict[EngineKind, int] = {}
        """When the engine's events of each kind came last, in microseconds."""
        self.discovered_at = 0
        """When the last Metadata or FindCoordinator answer was passed on."""
        self.settings: Mapping[str, str] = {}
        self.ending: App | None = None
        """The event that ended the instance."""
        self.beside = 0
        """Operations of the bystander's instance that succeeded."""

    def add(self, event: Event) -> None:
        """Take an event."""
        self._events.append(event)
        if isinstance(event, App):
            self._add_app(event)
        elif isinstance(event, EngineEvent):
            self.engine[event.kind] = event.at
        elif isinstance(event, Response):
            self._add_answer(event)
        self._changed.set()

    def add_beside(self, event: Event) -> None:
        """Take an event of the bystander's instance: it is kept, and says nothing about the client."""
        self._events.append(event)
        self.beside += isinstance(event, App) and event.kind in SUCCESSES
        self._changed.set()

    def _add_app(self, event: App) -> None:
        self.kinds[event.kind] += 1
        if event.kind is not AppKind.SENT:
            self.told[event.partition] += 1
        if event.kind in SUCCESSES:
            self.successes[event.partition] += 1
        elif event.kind is AppKind.READY:
            self.settings = event.settings
        elif event.kind in ENDINGS:
            self.ending = self.ending or event

    def _add_answer(self, event: Response) -> None:
        if event.api in DISCOVERY_APIS:
            self.discovered_at = event.at
        elif self._by_wire and event.api in {PRODUCE, OFFSET_COMMIT} and not event.code:
            done = [row.partition for row in event.rows if not row.code]
            if event.api == PRODUCE:
                self.successes.update(done)
            else:
                self.kinds[AppKind.COMMITTED] += len(done)

    def mark(self, kind: MarkKind, text: str = "") -> int:
        """Record a milestone of the harness now; return its time."""
        at = now_us()
        self.add(Mark(at=at, kind=kind, text=text))
        return at

    def history(self, header: Header) -> History:
        """Return everything so far, in order of time; what came at one time in the order in which it was told."""
        events, since = self._events, self._ordered
        if since < len(events):
            fresh = sorted(events[since:], key=TIME)
            # drivers tell a little later than the wire: only the end of what was in order has to be looked at again
            first = bisect_right(events, fresh[0].at, 0, since, key=TIME)
            events[first:] = sorted(events[first:since] + fresh, key=TIME)
            self._ordered = len(events)
        return History(header, tuple(events))

    async def until(self, test: Callable[[Recorder], bool], timeout_s: float) -> bool:
        """Wait until the test holds, looking whenever something new came; False when the time is over."""
        deadline = time.monotonic() + timeout_s
        while not test(self):
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            self._changed.clear()
            try:
                async with asyncio.timeout(left):  # wait_for may swallow that the run was cancelled (Python 3.11)
                    await self._changed.wait()
            except TimeoutError:
                continue
            await asyncio.sleep(COALESCE_S)
        return True
