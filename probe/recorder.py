"""The one mutable object of a trial: it collects events, returns frozen histories and waits for conditions."""

from __future__ import annotations

import asyncio
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
    Opened,
    Request,
    Response,
)
from probe.model.clock import now_us
from probe.model.cluster_history import OLD
from probe.model.questions import CREATE
from probe.protocol.apis import DISCOVERY_APIS, METADATA, OFFSET_COMMIT, PRODUCE

SUCCESSES = (AppKind.ACKED, AppKind.RECEIVED, AppKind.LISTED)
FAILURES = frozenset(
    {AppKind.SEND_ERROR, AppKind.RECEIVE_ERROR, AppKind.COMMIT_ERROR, AppKind.TXN_ERROR, AppKind.LIST_ERROR}
)
ENDINGS = (AppKind.CLOSED, AppKind.FATAL, AppKind.UNSUPPORTED)
TIME = attrgetter("at")


class Recorder:
    """Collects one trial's events.

    `add` is a `probe.ports.Sink`: it never blocks and never raises.
    """

    def __init__(self, *, by_wire: bool = False, commits_by_wire: bool = False) -> None:
        """Create an empty recorder.

        `by_wire` is for applications that report no delivery or commit: answers on the wire are counted instead.
        `commits_by_wire` is for members whose library commits, and need not report it.
        """
        self._by_wire = by_wire
        self._commits_by_wire = by_wire or commits_by_wire
        self._events: list[Event] = []
        """All events. Those that an earlier history contained are in order of time."""
        self._ordered = 0
        """Number of events that are in order."""
        self._awaited: dict[asyncio.Future[None], Callable[[Recorder], bool]] = {}
        """The conditions that callers of `until` wait for."""
        self.successes: Counter[int] = Counter()
        """Operations that succeeded, by partition. The delivery of a record from before the client's time is none."""
        self.reports: Counter[int] = Counter()
        """Events that the application reported, other than starts of operations, by partition. -1 = without a
        partition."""
        self.kinds: Counter[AppKind] = Counter()
        self.created: Counter[AppKind] = Counter()
        """Events of an admin's question whether a topic could be created, by kind."""
        self.engine: dict[EngineKind, int] = {}
        """Time of the last engine event of every kind, in microseconds."""
        self.discovered_at = 0
        """Time at which the last Metadata or FindCoordinator answer was forwarded."""
        self.informed_at = 0
        """Time at which the last Metadata answer with rows of the trial's topic was forwarded."""
        self.failed_at = 0
        """Time of the last error that the application reported."""
        self.settings: Mapping[str, str] = {}
        self.connected = False
        """Whether a client has opened a connection."""
        self.asked: Counter[int] = Counter()
        """Requests of the trial's clients, by API."""
        self.ending: App | None = None
        """The event that ended the instance."""
        self.beside = 0
        """Operations of the bystander's instance that succeeded."""

    def add(self, event: Event) -> None:
        """Record an event."""
        self._events.append(event)
        if isinstance(event, App):
            self._add_app(event)
        elif isinstance(event, EngineEvent):
            self.engine[event.kind] = event.at
        elif isinstance(event, Response):
            self._add_answer(event)
        elif isinstance(event, Request):
            self.asked[event.api] += 1
        elif isinstance(event, Opened):
            self.connected = True
        if self._awaited:
            self._wake()

    def add_beside(self, event: Event) -> None:
        """Record an event of the bystander's instance. It is kept, but says nothing about the client."""
        self._events.append(event)
        self.beside += isinstance(event, App) and event.kind in SUCCESSES and event.sequence != OLD
        if self._awaited:
            self._wake()

    def _add_app(self, event: App) -> None:
        self.kinds[event.kind] += 1
        self.created[event.kind] += event.text == CREATE
        if event.kind is not AppKind.SENT:
            self.reports[event.partition] += 1
        if event.kind in FAILURES:
            self.failed_at = event.at
        if event.kind in SUCCESSES and event.sequence != OLD and event.partition >= 0:
            self.successes[event.partition] += 1
        elif event.kind is AppKind.READY:
            self.settings = event.settings
        elif event.kind in ENDINGS:
            self.ending = self.ending or event

    def _add_answer(self, event: Response) -> None:
        if event.api in DISCOVERY_APIS:
            self.discovered_at = event.at
            if event.api == METADATA and any(row.partition >= 0 for row in event.rows):
                self.informed_at = event.at
        elif event.api == PRODUCE and self._by_wire and not event.code:
            self.successes.update(row.partition for row in event.rows if not row.code)
        elif event.api == OFFSET_COMMIT and self._commits_by_wire and not event.code:
            self.kinds[AppKind.COMMITTED] += sum(not row.code for row in event.rows)

    def mark(self, kind: MarkKind, text: str = "") -> int:
        """Record a milestone of the harness now. Return its time."""
        at = now_us()
        self.add(Mark(at=at, kind=kind, text=text))
        return at

    def history(self, header: Header) -> History:
        """Return all events so far, in order of time. Events of the same time keep the order of arrival."""
        events, since = self._events, self._ordered
        if since < len(events):
            fresh = sorted(events[since:], key=TIME)
            # Events of drivers arrive a little later than those of the wire, so only the end has to be sorted again.
            first = bisect_right(events, fresh[0].at, 0, since, key=TIME)
            events[first:] = sorted(events[first:since] + fresh, key=TIME)
            self._ordered = len(events)
        return History(header, tuple(events))

    async def until(self, test: Callable[[Recorder], bool], timeout_s: float) -> bool:
        """Wait until the test holds, and check after every new event. Return False on timeout.

        `add` makes the check, so that the caller is woken once, and not for every event. The test must not raise.
        """
        if test(self):
            return True
        came = asyncio.get_running_loop().create_future()
        self._awaited[came] = test
        try:
            async with asyncio.timeout(timeout_s):  # wait_for may swallow a cancellation (Python 3.11)
                await came
        except TimeoutError:
            return test(self)
        finally:
            del self._awaited[came]
        return True

    def _wake(self) -> None:
        for came, test in self._awaited.items():
            if not came.done() and test(self):
                came.set_result(None)
