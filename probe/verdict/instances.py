"""Which events belong to the client, and which to the other instances of a trial."""

from __future__ import annotations

from probe.model import App, Event, History, Request, Subject


def others(subject: Subject) -> frozenset[str]:
    """Return the names (and client ids) of the instances beside the client's own one."""
    return frozenset(filter(None, (subject.bystander_instance, subject.successor)))


def separate(history: History) -> tuple[list[Event], list[Event], list[Event]]:
    """Separate the client's own events from those of the bystander's instance and of the successor, in this order.

    Connections with another client id are no evidence: they belong to other instances or to an unrelated client. A
    client that an earlier trial left running may try ports of its own cluster, and this trial may have got one of them.
    """
    subject = history.header.subject
    own, beside = subject.client_id, others(subject)
    theirs = {
        item.conn
        for item in history.events
        if isinstance(item, Request) and (item.client_id in beside or not item.client_id.startswith(own))
        if item.client_id
    }
    if not theirs and not beside:
        return list(history.events), [], []
    ours = [
        item
        for item in history.events
        if getattr(item, "conn", None) not in theirs and not (isinstance(item, App) and item.instance in beside)
    ]
    return ours, _of(history, subject.bystander_instance), _of(history, subject.successor)


def _of(history: History, name: str) -> list[Event]:
    """Return the events of another instance; none without a name."""
    if not name:
        return []
    conns = {item.conn for item in history.events if isinstance(item, Request) and item.client_id == name}
    return [
        item
        for item in history.events
        if getattr(item, "conn", None) in conns or (isinstance(item, App) and item.instance == name)
    ]
