"""The libraries of an input's clients, by what their connections sent first."""

from __future__ import annotations

from probe.diagnose.client_identity import NOBODY, Library, Whose
from probe.diagnose.clients import ClientKey, ClientState
from probe.diagnose.observation import Input


class Libraries:
    """Names the library of each client, again when it has opened another connection."""

    def __init__(self, source: Input, whose: Whose) -> None:
        self._source, self._whose = source, whose
        self._known: dict[ClientKey, tuple[int, Library]] = {}
        """With the number of connections that show it."""

    def of(self, client: ClientState, *, complete: bool = False) -> Library:
        """Return whose client it is, by what its connections sent first.

        While the input is read, an answer holds until the client opens another connection.
        """
        known = self._known.get(client.key)
        if known is not None and known[0] == len(client.conns) and not complete:
            return known[1]
        seen = self._source.handshakes()
        connections = [one for conn in client.conns if (one := self._source.connections.get(conn)) is not None]
        reported = next((one.software for one in connections if one.software), None)
        began = frozenset(one.conn for one in connections if one.began)
        found = self._whose([seen[conn] for conn in client.conns if conn in seen], began, reported) or NOBODY
        self._known[client.key] = (len(client.conns), found)
        return found
