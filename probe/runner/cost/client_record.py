"""One client of a trial of cost: its requests in compact form, and the events by which it is judged."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace

from probe.model import App, AppKind, Closed, Event, Folded, Opened, Request, Response
from probe.ports import Start
from probe.protocol.apis import PRODUCE
from probe.recorder import ENDINGS, SUCCESSES

Wire = Opened | Closed | Request | Response | Folded


class ClientRecord:
    """Everything about one client.

    Its events are kept with the rows of a few partitions, `kept`, and of the first one that the fault hits: a trial
    may have a hundred thousand of these.
    """

    def __init__(self, start: Start, kept: frozenset[int]) -> None:
        """Begin a record of an instance."""
        self.start = start
        self.kept = kept
        self.events: list[Event] = []
        self.frames = array("q")
        """Frames on the wire in the order of their arrival, four numbers each: time in microseconds, API key,
        requests, bytes."""
        self.opened: list[int] = []
        """When connections were accepted, of those on which it sent something."""
        self.served: set[int] = set()
        """Partitions on which an operation succeeded."""
        self.successes: dict[int, list[int]] = {}
        """When operations succeeded, by partition, since `arm`."""
        self.unread: Counter[int] = Counter()
        """Requests, by API key, that had no answer when their connection ended, or that came later: the broker may not
        have read them. A client that closes with answers unread resets the connection to the broker, too."""
        self._unanswered: dict[int, dict[int, int]] = {}
        """API keys of requests without an answer, by connection and correlation id."""
        self._armed = False
        self._hit: int | None = None
        self.late = False
        """The affected partition is kept from its hit on only."""
        self._ended: set[int] = set()
        """Connections that ended."""
        self.silent: int | None = None
        """A broker that reads nothing any more of what the relay reads."""
        self.settings: Mapping[str, str] = {}
        self.ending: App | None = None

    @property
    def name(self) -> str:
        """Instance and client id."""
        return self.start.instance

    def add(self, event: Event) -> None:
        """Record an event of the application. It is a `Sink`."""
        if not isinstance(event, App):
            return
        if event.kind in SUCCESSES and event.partition >= 0:
            self.served.add(event.partition)
            self.successes.setdefault(event.partition, []).append(event.at)
        elif event.kind is AppKind.READY:
            self.settings = event.settings
        elif event.kind in ENDINGS:
            self.ending = self.ending or event
        if event.partition < 0 or event.partition in self.kept:
            self.events.append(event)

    def add_wire(self, event: Wire) -> None:
        """Record an event of one of its connections."""
        if isinstance(event, Request | Response):
            self.frames.extend((event.at, event.api, int(isinstance(event, Request)), event.size))
        elif isinstance(event, Folded):
            self._add_folded(event)
        elif isinstance(event, Opened):
            self.opened.append(event.at)
        else:
            self.unread.update(self._unanswered.pop(event.conn, {}).values())
            self._ended.add(event.conn)
        if isinstance(event, Request) and (event.conn in self._ended or event.broker == self.silent):
            self.unread[event.api] += 1
        elif isinstance(event, Request):
            self._unanswered.setdefault(event.conn, {})[event.corr] = event.api
        elif isinstance(event, Response):
            self._note_hit(event)
            self._unanswered.get(event.conn, {}).pop(event.corr, None)
        self.events.append(self._trimmed(event))

    def arm(self) -> None:
        """Count successes anew, and look out for the first hit: the fault is about to come."""
        self.successes.clear()
        self._armed = True

    def works_at(self, partition: int, since: int) -> int | None:
        """Return when an operation on a partition succeeded first, at `since` or later. None: not yet."""
        return next((at for at in self.successes.get(partition, ()) if at >= since), None)

    def rows(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield time, API key, requests and bytes of all frames."""
        frames = iter(self.frames)
        yield from zip(frames, frames, frames, frames, strict=True)

    def requests(self) -> Counter[int]:
        """Return its requests over the whole trial, by API key."""
        found: Counter[int] = Counter()
        for _, api, count, _ in self.rows():
            found[api] += count
        return +found

    @property
    def affected(self) -> int:
        """The partition about which an answer was an error first, under the fault; without one, the first."""
        return self.start.partitions[0] if self._hit is None else self._hit

    def _note_hit(self, event: Response) -> None:
        """Keep the rows of the partition that the fault hits first, whichever it is."""
        if self._armed and self._hit is None and event.api == PRODUCE:
            self._hit = next((row.partition for row in event.rows if row.code and row.partition >= 0), None)
            if self._hit is not None and self._hit not in self.kept:
                self.kept, self.late = self.kept | {self._hit}, True

    @property
    def sent_late(self) -> frozenset[int]:
        """Sequence numbers of the operations on the affected partition that began since it is kept."""
        return frozenset(
            event.sequence
            for event in self.events
            if isinstance(event, App) and event.kind is AppKind.SENT and event.partition == self.affected
        )

    def _add_folded(self, event: Folded) -> None:
        """Spread folded frames evenly over their span."""
        share = event.bytes // max(1, event.requests)
        step = max(1, (event.until - event.at) // max(1, event.requests))
        for number in range(event.requests):
            self.frames.extend((event.at + number * step, event.api, 1, share))

    def _trimmed(self, event: Wire) -> Event:
        """Return an event without the rows of partitions that are not kept."""
        if isinstance(event, Opened | Closed):
            return event
        kept = tuple(row for row in event.rows if row.partition < 0 or row.partition in self.kept)
        return event if len(kept) == len(event.rows) else replace(event, rows=kept)
