"""Whose connection is it? One relay serves a whole cohort; its events go to cells by client id (SEMANTICS 3)."""

from __future__ import annotations

from collections.abc import Iterable

from probe.model import Closed, EngineEvent, Event, Folded, Opened, Request, Response
from probe.ports import Sink

Wire = Opened | Closed | Request | Response | Folded
KEPT = 64
"""So many events of a connection wait for a client id that we know; then it is nobody's."""


class EventRouter:
    """Takes the relay's events and gives each cell its own."""

    def __init__(self) -> None:
        self._owners: dict[str, Sink] = {}
        self._conns: dict[int, Sink | None] = {}
        self._waiting: dict[int, list[Event]] = {}

    def join(self, name: str, sink: Sink) -> None:
        """Give events of this client id, and of those that begin with it and a dash, to a sink."""
        self._owners[name] = sink

    def leave(self, name: str) -> None:
        """Give its events to nobody any more."""
        sink = self._owners.pop(name, None)
        if sink is not None:
            for conn in [conn for conn, owner in self._conns.items() if owner == sink]:
                self._conns[conn] = None

    def route(self, event: Event) -> None:
        """Take an event of the relay."""
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
            if all(isinstance(item, Opened | Closed) for item in held):
                self._emit_all(held)
        elif len(held) >= KEPT:
            self._settle(conn, None)

    def _emit_all(self, events: Iterable[Event]) -> None:
        """Tell everybody of a connection that ended without a word: nobody knows whose it was."""
        for event in events:
            for sink in set(self._owners.values()):
                sink(event)

    def _settle(self, conn: int, sink: Sink | None) -> None:
        self._conns[conn] = sink
        for event in self._waiting.pop(conn):
            if sink is not None:
                sink(event)

    def _owner(self, client_id: str) -> Sink | None:
        """Return who has this client id: a second instance's is its first one's with `-2` or `-b` behind it."""
        name = client_id
        while name:
            if name in self._owners:
                return self._owners[name]
            name = name.rpartition("-")[0]
        return None
