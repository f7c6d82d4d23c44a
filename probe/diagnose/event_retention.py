"""Kept events of a client: a few seconds before a trouble, its beginning and its end; else counts."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import replace

from probe.diagnose.observation import Wire
from probe.model import Closed, Folded, Opened, Request, Response, Row
from probe.verdict.apis import DISCOVERY

LEAD_US = 10_000_000
"""Time before a trouble of which events are kept."""
LEAD = 1_500
"""Most events that are kept of it."""
FIRST = 8_000
"""Events of a trouble that are kept from its beginning on."""
LAST = 2_000
"""Events that are kept of its end."""
KINDS = 512
"""Different kinds of events between the two that are counted one by one."""


class Kept:
    """The events of one client, in bounded memory.

    Events between the first and the last ones of a trouble become `Folded` counts, as those of a storm do
    (docs/verdicts.md#stormy-connections).
    """

    def __init__(self) -> None:
        self._lead: deque[Wire] = deque(maxlen=LEAD)
        self._first: list[Wire] = []
        self._last: deque[Wire] = deque()
        self._between: dict[Hashable, _Count] = {}
        self._active = False

    def add(self, event: Wire) -> None:
        """Keep an event."""
        if not self._active:
            lead = self._lead
            lead.append(event)
            while lead[0].at < event.at - LEAD_US:
                lead.popleft()
        elif len(self._first) < FIRST:
            self._first.append(event)
        else:
            self._last.append(event)
            if len(self._last) > LAST:
                self._count(self._last.popleft())

    def begin(self) -> None:
        """Begin a trouble with the event that was added last."""
        self._active = True

    def end(self) -> None:
        """End a trouble: what was kept of it has been used."""
        recent = [*self._first[-LEAD:], *self._last]
        self._lead.extend(recent)
        self._first, self._last, self._between, self._active = [], deque(), {}, False

    def replace_events(self, named: Callable[[Wire], Wire]) -> None:
        """Replace every event that is kept by what a function makes of it."""
        self._lead = deque(map(named, self._lead), maxlen=LEAD)
        self._first = [named(event) for event in self._first]
        self._last = deque(map(named, self._last))
        counted = [named(count.folded()) for count in self._between.values()]
        self._between = {}
        for event in counted:
            self._count(event)

    def events(self) -> list[Wire]:
        """Return what is kept, by time."""
        found: list[Wire] = [*self._lead, *self._first, *(item.folded() for item in self._between.values())]
        return sorted([*found, *self._last], key=lambda event: event.at)

    def _count(self, event: Wire) -> None:
        kind = _kind(event)
        found = self._between.get(kind)
        if found is None and len(self._between) >= KINDS:
            kind = (event.conn, type(event).__name__)
            found = self._between.get(kind)
        if found is None:
            found = self._between[kind] = _Count(event)
        found.add(event)


class _Count:
    """Events of one kind as counts."""

    def __init__(self, first: Wire) -> None:
        self._first = first
        self.until = first.at
        self.requests = self.responses = self.bytes = 0
        self.rows: dict[Row, None] = {}

    def add(self, event: Wire) -> None:
        self.until = max(self.until, event.until if isinstance(event, Folded) else event.at)
        if isinstance(event, Folded):
            self.requests, self.responses = self.requests + event.requests, self.responses + event.responses
            self.bytes += event.bytes
            self.rows.update(dict.fromkeys(event.rows))
        elif isinstance(event, Request | Response):
            self.requests += isinstance(event, Request)
            self.responses += isinstance(event, Response)
            self.bytes += event.size
            self.rows.update((replace(row, offset=None, size=None, epoch=None), None) for row in event.rows[:KINDS])

    def folded(self) -> Wire:
        """Return the counts as one event; a connection that was opened or closed stays as it is."""
        first = self._first
        if isinstance(first, Opened | Closed):
            return first
        return Folded(
            at=first.at,
            until=self.until,
            conn=first.conn,
            broker=first.broker,
            api=first.api,
            version=first.version,
            requests=self.requests,
            responses=self.responses,
            bytes=self.bytes,
            rows=tuple(self.rows),
        )


def _kind(event: Wire) -> Hashable:
    """Return the key under which events are counted: discoveries by answer, work by object and code."""
    if isinstance(event, Opened | Closed):
        return (event.conn, type(event).__name__)
    rows = tuple((row.topic, row.partition, row.key, row.code, row.leader) for row in event.rows[:8])
    if isinstance(event, Request) and event.api in DISCOVERY:
        rows = ()
    return (event.conn, event.api, rows)
