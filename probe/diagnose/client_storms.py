"""Storms of a client as a whole: connections and questions beyond the bounds of docs/verdicts.md#storm (pure)."""

from __future__ import annotations

from probe.diagnose.clients import ClientState
from probe.diagnose.objects import Kind
from probe.verdict.storms import allowed_connects, allowed_discoveries

MOST, PER_SECOND = 100, 5.0
"""Connections of a client that is not let in, and their rate, from which on it storms: clients wait for up to a second
between two (`reconnect.backoff.max.ms` of Kafka's own)."""


def storm_of(client: ClientState, back_off_ms: int, *, let_in: bool) -> str:
    """Return which connections or questions of a client are too many, as a clause; empty if they are not."""
    if connects_too_often(client, back_off_ms):
        return f"opened {client.most_connects} connections to one broker within two seconds"
    seconds = (client.last_at - client.first_at) / 1e6
    if not let_in and client.opened >= MOST and client.opened > PER_SECOND * seconds:
        return f"opened {client.opened} connections in {seconds:.0f} s without being let in"
    return _questions(client, allowed_discoveries(back_off_ms))


def connects_too_often(client: ClientState, back_off_ms: int) -> bool:
    """Return whether a client opens too many connections (bound c)."""
    return client.most_connects > allowed_connects(back_off_ms)


def _questions(client: ClientState, allowed: float) -> str:
    """Return which questions are too many of a client that does more than to ask (bound b); empty if they are not.

    They are so whether anything refused the client or not: an input may begin after that.
    """
    most = {item: count for item, count in client.most_asked.items() if client.works_on(item)}
    item = max(most, key=lambda one: most[one], default=None)
    if item is None or most[item] <= allowed:
        return ""
    what = "leads" if item.kind is Kind.PARTITION else f"coordinates its {item.kind}"
    return f"asked {most[item]} times within two seconds on one connection who {what}"
