"""Heartbeats of the new group protocols, and commits, as requests of a client about its groups."""

from __future__ import annotations

from collections.abc import Iterable

from probe.diagnose.clients import ClientState
from probe.diagnose.membership import Commits, Membership
from probe.diagnose.objects import Item
from probe.diagnose.troubles import ItemState
from probe.model import Request, Response
from probe.protocol import apis


def note_heartbeat(client: ClientState, event: Request, items: Iterable[Item]) -> None:
    """Note the epoch that a heartbeat has. Other requests have none."""
    if event.api not in apis.HEARTBEATS_BY_BROKER:
        return
    for item in items:
        if (state := client.state(item)) is not None:
            state.membership = state.membership or Membership()
            state.membership.ask(event)


def note_commit(state: ItemState, event: Response) -> None:
    """Note a commit that was answered well. Other answers are none."""
    if event.api == apis.OFFSET_COMMIT:
        state.commits = state.commits or Commits(event.at, event.at)
        state.commits.add(event.at)


def shown_by(client: ClientState, event: Response, asked: Request | None, items: Iterable[Item]) -> int:
    """Return the API whose success an answer is: a heartbeat that begins an epoch gives partitions, as SyncGroup does.

    Others keep a member in its group, and show nothing of its partitions.
    """
    if event.api not in apis.HEARTBEATS_BY_BROKER:
        return event.api
    begins = False
    for item in items:
        state = client.items.get(item)
        if state is not None and state.membership is not None:
            begins |= state.membership.answer(event, asked)
    if begins:
        client.joined = event.at
    return apis.SYNC_GROUP if begins else event.api
