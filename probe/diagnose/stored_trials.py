"""A stored trial as an input: what a capture between its client and the brokers would show (pure).

Node ids become numbers of addresses that no node has, since a capture does not show them. Nothing but wire events is
passed on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from probe.diagnose.observation import Connection, Left, LogZone, Source, Wire
from probe.model import Closed, Folded, History, Opened, Request, Response
from probe.model.handshake import Handshake
from probe.verdict.timeline import EventIndex, find_timeline

ADDRESSES = 100
"""The number of the first address."""
PORT = 9092


class TrialInput:
    """The wire events of a trial up to the end of its window, after which the fault is reverted."""

    def __init__(self, history: History) -> None:
        self._history = history
        self.connections: dict[int, Connection] = {}
        self.names: Mapping[bytes, str] = {}
        self.nodes: Mapping[str, int] = {}
        self.among_brokers: Collection[tuple[str, str]] = ()
        self.log_zone: LogZone | None = None
        self._numbers: dict[int, int] = {}
        self.until = find_timeline(history.header, EventIndex(history.events)).until
        """End of the window, which may be later than the last event."""

    def events(self) -> Iterator[Wire]:
        """Yield the events by time."""
        for event in sorted(self._history.events, key=lambda item: item.at):
            if event.at > self.until:
                break
            if isinstance(event, Opened | Request | Response | Folded | Closed):
                number = self._numbers.setdefault(event.broker, ADDRESSES + len(self._numbers))
                self._connected(event, number)
                yield replace(event, broker=number)

    def watched(self, at: int) -> int:
        """Return the end of the window."""
        return max(at, self.until)

    def handshakes(self) -> dict[int, Handshake]:
        """Return what the client sent first."""
        return {item.conn: item for item in self._history.header.handshakes}

    def left(self) -> tuple[Left, ...]:
        """Return nothing: all was decoded."""
        return ()

    def _connected(self, event: Wire, number: int) -> None:
        if event.conn in self.connections:
            return
        self.connections[event.conn] = Connection(
            conn=event.conn,
            source=Source.CAPTURE,
            file="trial",
            client="client.example",
            client_port=event.conn,
            broker=number,
            broker_address=f"broker{number}.example:{PORT}",
            began=isinstance(event, Opened),
        )
