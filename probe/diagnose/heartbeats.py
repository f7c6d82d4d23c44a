"""Heartbeats of the new group protocols, commits, and share sessions, as requests of a client about its groups."""

from __future__ import annotations

from collections.abc import Iterable

from probe.diagnose.clients import ClientState
from probe.diagnose.membership import Commits, Membership
from probe.diagnose.objects import Item
from probe.diagnose.proofs import SHARES
from probe.diagnose.share_sessions import noted
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


def note_session(client: ClientState, event: Response, asked: Request | None, items: Iterable[Item]) -> None:
    """Note whether a broker refuses a share session, or begins one. Other answers say nothing of it."""
    if event.api not in SHARES:
        return
    for item in items:
        if (state := client.state(item)) is not None:
            state.session = noted(state.session, event, asked)


def shown_by(client: ClientState, event: Response, asked: Request | None, items: Iterable[Item]) -> int:
    """Return the API whose success an answer is: a heartbeat that begins an epoch gives partitions, as SyncGroup does.

    Others keep a member in its group, and show nothing of its partitions. A share group gives no partition to one
    member alone.
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
    return apis.SYNC_GROUP if begins and event.api != apis.SHARE_GROUP_HEARTBEAT else event.api
