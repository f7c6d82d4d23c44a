"""The first connection of each client for each set of purposes, with what the client sent first on it. Sans-io."""

from __future__ import annotations

from collections.abc import Iterable

from probe.model.handshake import Handshake, Purpose
from probe.protocol.conversation import Conversation

MAX_CLIENTS = 1000
"""Most client ids that are kept; the oldest one is dropped. Each trial of a shared cluster asks at its own end."""

Firsts = dict[tuple[Purpose, ...], Handshake]


class FirstConnections:
    """First requests of clients on connections that have ended."""

    def __init__(self) -> None:
        self._ended: dict[str, Firsts] = {}

    def take(self, conversation: Conversation) -> None:
        """Take a connection that has ended."""
        if (found := conversation.handshake()) is None:
            return
        _keep_earlier(self._ended.setdefault(conversation.client_id, {}), found)
        if len(self._ended) > MAX_CLIENTS:
            del self._ended[next(iter(self._ended))]

    def handshakes(self, client_id: str, still_open: Iterable[Conversation]) -> tuple[Handshake, ...]:
        """Return what this client has sent first, once per set of purposes, by connection."""
        firsts = dict(self._ended.get(client_id, {}))
        for conversation in still_open:
            if conversation.client_id == client_id and (found := conversation.handshake()) is not None:
                _keep_earlier(firsts, found)
        return tuple(sorted(firsts.values(), key=lambda found: found.conn))


def _keep_earlier(firsts: Firsts, found: Handshake) -> None:
    """Keep the connection that began first: connections end in another order than they begin."""
    known = firsts.get(found.purposes)
    if known is None or found.conn < known.conn:
        firsts[found.purposes] = found
