"""Which events belong to the client, and which to the second instance that is the bystander."""

from __future__ import annotations

from probe.model import App, Event, History, Request


def separate(history: History) -> tuple[list[Event], list[Event]]:
    """Separate the client's own events from those of the second instance that is the bystander.

    Connections with another client id are no evidence: they belong to the bystander or to an unrelated client. A client
    that an earlier trial left running may try ports of its own cluster, and this trial may have got one of them.
    """
    subject = history.header.subject
    own, other = subject.client_id, subject.bystander_instance
    theirs = {
        item.conn
        for item in history.events
        if isinstance(item, Request) and (item.client_id == other or not item.client_id.startswith(own))
        if item.client_id
    }
    if not theirs and not other:
        return list(history.events), []
    ours = [
        item
        for item in history.events
        if getattr(item, "conn", None) not in theirs and not (isinstance(item, App) and item.instance == other)
    ]
    requests = (item for item in history.events if isinstance(item, Request))
    beside = {item.conn for item in requests if other and item.client_id == other}
    return ours, [
        item
        for item in history.events
        if getattr(item, "conn", None) in beside or (isinstance(item, App) and item.instance == other)
    ]
