"""Requests that a capture and a request log both show, counted once.

The addresses of brokers need not be the same in both: between the two may stand a proxy or a translated address. So a
logged request is the same as a captured one of the same host and client id if API, version and correlation id agree,
at about the same time, and its connection stays the same as one captured connection.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from probe.diagnose.observation import Connection, Source, Wire
from probe.model import Opened, Request, Response

CLOCKS_US = 1_000_000
"""Most by which the times of the same request differ in the two."""


class _Sent(NamedTuple):
    """By what a request is recognised."""

    client: str
    client_id: str
    api: int
    version: int
    corr: int


def counted_once(events: Iterable[Wire], connections: Mapping[int, Connection]) -> Iterator[Wire]:
    """Yield events by time, without those of a log that a capture has, too."""
    doubles = _Doubles(connections)
    waiting: deque[Wire] = deque()
    for event in events:
        doubles.note(event)
        waiting.append(event)
        while waiting[0].at < event.at - CLOCKS_US:
            yield from doubles.passed(waiting.popleft())
    for event in waiting:
        yield from doubles.passed(event)


class _Doubles:
    """Requests of both inputs. Memory is bounded by the connections, and by the requests of `CLOCKS_US`."""

    def __init__(self, connections: Mapping[int, Connection]) -> None:
        self._connections = connections
        self._captured: dict[_Sent, dict[int, int]] = {}
        """Captured requests: connection to time."""
        self._recent: deque[tuple[int, _Sent, int]] = deque()
        self._twins: dict[int, int] = {}
        """Logged connection to the captured one that is the same."""
        self._taken: set[int] = set()
        self._opened: dict[int, Opened] = {}
        """Logged connections without a request so far."""
        self._left_out: set[tuple[int, int]] = set()
        """Connection and correlation id of logged requests that were left out, until their answers."""

    def note(self, event: Wire) -> None:
        """Note a captured request, and forget those that no logged one can be."""
        if isinstance(event, Request) and not self._is_logged(event):
            sent = self._sent(event)
            self._captured.setdefault(sent, {})[event.conn] = event.at
            self._recent.append((event.at, sent, event.conn))
        while self._recent and self._recent[0][0] < event.at - 3 * CLOCKS_US:
            at, sent, conn = self._recent.popleft()
            known = self._captured.get(sent, {})
            if known.get(conn) == at:
                del known[conn]
            if not known:
                self._captured.pop(sent, None)

    def passed(self, event: Wire) -> Iterator[Wire]:
        """Yield an event, unless a capture has it."""
        if not self._is_logged(event):
            yield event
        elif isinstance(event, Opened):
            self._opened[event.conn] = event
        elif not self._is_left_out(event):
            if (opened := self._opened.pop(event.conn, None)) is not None:
                yield opened
            yield event

    def _is_left_out(self, event: Wire) -> bool:
        match event:
            case Request():
                double = self._is_double(event)
                if double and event.acks != 0:
                    self._left_out.add((event.conn, event.corr))
                return double
            case Response():
                known = (event.conn, event.corr) in self._left_out
                self._left_out.discard((event.conn, event.corr))
                return known
            case _:
                return event.conn in self._twins

    def _is_double(self, event: Request) -> bool:
        found = {
            conn for conn, at in self._captured.get(self._sent(event), {}).items() if abs(at - event.at) <= CLOCKS_US
        }
        twin = self._twins.get(event.conn)
        if twin in found:
            return True
        if twin is not None:
            self._taken.discard(self._twins.pop(event.conn))
        twin = next(iter(found - self._taken), None)
        if twin is None:
            return False
        self._twins[event.conn] = twin
        self._taken.add(twin)
        return True

    def _is_logged(self, event: Wire) -> bool:
        return self._connections[event.conn].source is Source.LOG

    def _sent(self, event: Request) -> _Sent:
        client = self._connections[event.conn].client
        return _Sent(client, event.client_id, event.api, event.version, event.corr)
