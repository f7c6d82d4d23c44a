"""The common part of decoders of a connection, whether they read bytes or the lines of a log."""

from __future__ import annotations

from probe.model import Event
from probe.model.handshake import Handshake
from probe.protocol.fold import Fold
from probe.protocol.handshake import FirstRequests
from probe.protocol.rows import Names
from probe.protocol.schemas import Schemas
from probe.protocol.sessions import FetchSessions


class Decoder:
    """A decoder of one connection: its folded events, and what the client has sent first."""

    def __init__(self, conn: int, broker: int, schemas: Schemas, names: Names, sessions: FetchSessions) -> None:
        """Take the numbers of the connection and its broker, and what bodies are read with."""
        self.conn, self.broker = conn, broker
        self.fold = Fold(conn, broker)
        self._schemas, self._names, self._sessions = schemas, names, sessions
        self._first = FirstRequests(schemas)

    def tick(self, at: int, *, final: bool = False) -> list[Event]:
        """Return the folded events that are due, or all of them at the end of the connection."""
        out: list[Event] = []
        self.fold.tick(at, out, final=final)
        return out

    def handshake(self) -> Handshake | None:
        """Return what the client has sent first, None if it has sent no request."""
        return self._first.handshake(self.conn, self.broker)
