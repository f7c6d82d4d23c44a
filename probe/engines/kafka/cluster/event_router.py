"""The event router: assigns events of a cohort's relay to members by client id (docs/engines.md#connections)."""

from __future__ import annotations

from collections.abc import Iterable

from probe.model import Closed, EngineEvent, Event, Folded, Opened, Request, Response
from probe.ports import Sink

Wire = Opened | Closed | Request | Response | Folded
KEPT = 64
"""Number of events that a connection may have before a known client id; after that it belongs to no member."""


class EventRouter:
    """Passes each event of the relay to the sink of its client id."""

    def __init__(self) -> None:
        self._owners: dict[str, Sink] = {}
        self._conns: dict[int, Sink | None] = {}
        self._waiting: dict[int, list[Event]] = {}

    def join(self, name: str, sink: Sink) -> None:
        """Pass events of this client id, and of ids that begin with it and a dash, to a sink."""
        self._owners[name] = sink

    def leave(self, name: str) -> None:
        """Drop events of this client id from now on."""
        sink = self._owners.pop(name, None)
        if sink is not None:
            for conn in [conn for conn, owner in self._conns.items() if owner == sink]:
                self._conns[conn] = None

    def route(self, event: Event) -> None:
        """Assign an event of the relay."""
        if not isinstance(event, Wire | EngineEvent) or event.conn < 0:
            return
        conn = event.conn
        if conn in self._conns:
            owner = self._conns[conn]
            if isinstance(event, Closed):
                del self._conns[conn]
            if owner is not None:
                owner(event)
            return
        held = self._waiting.setdefault(conn, [])
        held.append(event)
        if isinstance(event, Request) and (sink := self._owner(event.client_id)) is not None:
            self._settle(conn, sink)
        elif isinstance(event, Closed):
            del self._waiting[conn]
            if all(isinstance(item, Opened | Closed | EngineEvent) for item in held):
                self._emit_all(held)
        elif len(held) >= KEPT:
            self._settle(conn, None)

    def _emit_all(self, events: Iterable[Event]) -> None:
        """Pass events of a connection that ended without a request to all sinks, as its owner is unknown."""
        for event in events:
            for sink in set(self._owners.values()):
                sink(event)

    def _settle(self, conn: int, sink: Sink | None) -> None:
        self._conns[conn] = sink
        for event in self._waiting.pop(conn):
            if sink is not None:
                sink(event)

    def _owner(self, client_id: str) -> Sink | None:
        """Return the sink of a client id. A second instance appends `-2` or `-b` to the id of the first one."""
        name = client_id
        while name:
            if name in self._owners:
                return self._owners[name]
            name = name.rpartition("-")[0]
        return None
