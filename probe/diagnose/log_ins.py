"""Log-ins (SASL) of a client: whether it was let in, and how long its sessions last (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from probe.diagnose.clients import ClientState, Link
from probe.diagnose.objects import LISTENER, LOG_IN
from probe.diagnose.observation import Connection, LogIn
from probe.model import Response
from probe.protocol.apis import SASL_APIS


def let_in(client: ClientState, link: Link, event: Response) -> None:
    """Note an answer to something else than a log-in: the client was let in."""
    if event.api in SASL_APIS or (link.log_in and event.sent_at < link.log_in):
        return
    link.served = bool(link.log_in)
    for item in (LOG_IN, LISTENER) if client.troubled else ():
        state = client.items.get(item)
        if state is not None and state.trouble is not None and (item is LISTENER or link.log_in):
            state.add_success(event.sent_at, event.at, event.broker, event.api)


def session_over(link: Link | None, connection: Connection | None, at: int) -> bool:
    """Return whether the session of a log-in was over when a broker ended the connection (KIP-368)."""
    granted = connection.log_in.session_ms if connection is not None and connection.log_in is not None else 0
    return link is not None and 0 < granted * 1000 <= at - link.log_in


def latest(known: Mapping[int, Connection], conns: Iterable[int]) -> LogIn | None:
    """Return the latest log-in of some connections, with a session if any was granted; None if none was seen."""
    found = [one for conn in conns if conn in known and (one := known[conn].log_in) is not None]
    return max(reversed(found), key=lambda one: bool(one.session_ms), default=None)
