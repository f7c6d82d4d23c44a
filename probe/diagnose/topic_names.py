"""Names for topics of which the input gave only ids at first, as Produce and Fetch do from version 13 on.

A capture that begins in the middle of a connection shows the answer that names a topic only when the client asks again,
which may be long after its work was seen. What was noted under the id until then is the same object.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from probe.diagnose.clients import ClientState
from probe.diagnose.findings import Finding
from probe.diagnose.objects import Item
from probe.diagnose.observation import Wire
from probe.model import Folded, Request, Response
from probe.protocol.rows import id_of

Aliases = dict[str, str]
"""`?<id>` to the topic's name."""


def learned(names: Mapping[bytes, str], wanted: Iterable[str]) -> Aliases:
    """Return names for topics that are known as `?<id>`, as far as there are."""
    found = ((text, names.get(_id(text))) for text in set(wanted))
    return {text: name for text, name in found if name is not None}


def _id(text: str) -> bytes:
    try:
        return id_of(text)
    except ValueError:  # a group may have such a name
        return b""


def named_item(item: Item, aliases: Aliases) -> Item:
    """Return an object by its topic's name."""
    return item._replace(name=aliases[item.name]) if item.name in aliases else item


def named_event(event: Wire, aliases: Aliases) -> Wire:
    """Return an event with names of topics in its rows."""
    if not isinstance(event, Request | Response | Folded):
        return event
    if not any(row.topic in aliases for row in event.rows):
        return event
    return replace(event, rows=tuple(replace(row, topic=aliases.get(row.topic, row.topic)) for row in event.rows))


def name_client(client: ClientState, aliases: Aliases) -> None:
    """Give everything that is kept of a client the names of its topics."""
    for item in [item for item in client.items if item.name in aliases]:
        state, name = client.items.pop(item), named_item(item, aliases)
        known = client.items.get(name)
        client.items[name] = state if known is None else known.joined(state)
    client.unnamed -= aliases.keys()
    client.topics = {aliases.get(topic, topic) for topic in client.topics}
    client.troubled = {named_item(item, aliases) for item in client.troubled}
    for link in client.links.values():
        link.work = {named_item(item, aliases): at for item, at in link.work.items()}
    client.pending = {key: _named_request(request, aliases) for key, request in client.pending.items()}
    client.kept.replace_events(lambda event: named_event(event, aliases))


def name_findings(findings: list[Finding], aliases: Aliases) -> None:
    """Give findings the names of their topics."""
    findings[:] = [replace(one, item=named_item(one.item, aliases)) for one in findings]


def _named_request(request: Request, aliases: Aliases) -> Request:
    found = named_event(request, aliases)
    assert isinstance(found, Request)
    return found
