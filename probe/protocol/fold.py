"""Fold storms: frames beyond a rate become counts, and the history contains these counts."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from probe.model import Event, Folded, Request, Response, Row

SPAN_US = 1_000_000
LASTING, CALM = 2, 100
"""A storm is lasting after `LASTING` seconds in a row. It ends with a second of at most `CALM` frames."""
MAX_KINDS = 64
"""Distinct kinds of frames per span. Frames of further kinds are emitted one by one."""

Wire = Request | Response


def kind_of(event: Wire) -> Hashable:
    """Return the key of frames that are equal for folding: direction, API, code, objects."""
    rows = tuple((row.topic, row.partition, row.key, row.code, row.leader) for row in event.rows)
    code = event.code if isinstance(event, Response) else None
    return (code, event.api, event.version, event.error, rows)


def _without_position(row: Row) -> Hashable:
    """Return all of a row but its offset, size, records and deliveries."""
    return (row.topic, row.partition, row.key, row.key_type, row.code, row.leader, row.epoch)


class _Tally:
    """Counts of one (API, version), for frames that were not emitted one by one."""

    def __init__(self, first: Wire) -> None:
        self.at = self.until = first.at
        self.requests = self.responses = self.bytes = 0
        self._rows: dict[Hashable, Row] = {}
        """Rows of answers by what is the same in all frames of a kind."""

    def add(self, event: Wire) -> None:
        self.at, self.until = min(self.at, event.at), max(self.until, event.at)
        self.bytes += event.size
        if isinstance(event, Request):
            self.requests += 1
        else:
            self.responses += 1
            for row in event.rows:
                self._rows.setdefault(_without_position(row), row)

    @property
    def rows(self) -> tuple[Row, ...]:
        """The distinct rows of answers, without their offset, size, records and deliveries."""
        return tuple(replace(row, offset=None, size=None, records=None, deliveries=None) for row in self._rows.values())


class Fold:
    """The folding of one connection's events.

    The first `limit` frames of a second are emitted as they are. Of the others, the first of every kind is emitted at
    once, and the last one when the second is over. The frames between them are counted: `Folded` counts only frames
    that no other event contains. A second that begins in a storm is folded from its first frame.
    """

    def __init__(self, conn: int, broker: int, *, limit: int = 250) -> None:
        self._conn, self._broker, self._limit = conn, broker, limit
        self._start = 0
        self._count = 0
        self._spans = 0
        """Number of stormy seconds in a row."""
        self.folding = False
        """Events may be held back; `tick` will emit them."""
        self._last: dict[Hashable, Wire | None] = {}
        self._tallies: dict[tuple[int, int], _Tally] = {}

    def take(self, event: Wire, out: list[Event]) -> None:
        """Append to `out` the events that are due now."""
        if event.at - self._start >= SPAN_US:
            self._next_span(event.at, out)
        self._count += 1
        if self._count <= self._limit and not self.folding:
            out.append(event)
            return
        self.folding = True
        kind = kind_of(event)
        if kind not in self._last:
            if len(self._last) < MAX_KINDS:
                self._last[kind] = None
            out.append(event)
            return
        if (before := self._last[kind]) is not None:
            self._tallies.setdefault((before.api, before.version), _Tally(before)).add(before)
        self._last[kind] = event

    @property
    def lasts(self) -> bool:
        """Return whether the storm is lasting."""
        return self._spans >= LASTING

    @property
    def held(self) -> int:
        """Return how many frames are held back."""
        return sum(event is not None for event in self._last.values()) + sum(
            tally.requests + tally.responses for tally in self._tallies.values()
        )

    def tick(self, at: int, out: list[Event], *, final: bool = False) -> None:
        """Emit the held events if their second is over, or at the end of the connection."""
        if self.folding and (final or at - self._start >= SPAN_US):
            self._next_span(at, out)

    def _next_span(self, at: int, out: list[Event]) -> None:
        out += sorted((event for event in self._last.values() if event is not None), key=lambda event: event.at)
        out += [
            Folded(
                at=tally.at,
                until=tally.until,
                conn=self._conn,
                broker=self._broker,
                api=api,
                version=version,
                requests=tally.requests,
                responses=tally.responses,
                bytes=tally.bytes,
                rows=tally.rows,
            )
            for (api, version), tally in self._tallies.items()
        ]
        self._last.clear()
        self._tallies.clear()
        self.folding = self._count > (CALM if self.lasts else self._limit)
        self._spans = self._spans + 1 if self.folding and at - self._start < 2 * SPAN_US else 0
        self._start, self._count = at, 0
