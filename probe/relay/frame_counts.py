"""Counts of the frames that passed the relay."""

from __future__ import annotations

from collections import Counter

from probe.model import Event, Folded, Request, Response
from probe.protocol.conversation import Conversation


def frames_of(event: Event) -> int:
    """Return the number of frames that an event reports."""
    if isinstance(event, Folded):
        return event.requests + event.responses
    return int(isinstance(event, (Request, Response)) and event.api >= 0)


def add_counts(requests: Counter[tuple[int, int]], responses: Counter[tuple[int, int]], talk: Conversation) -> None:
    """Add the frames of a connection, by broker and API key."""
    requests.update({(talk.broker, api): count for api, count in talk.requests.items()})
    responses.update({(talk.broker, api): count for api, count in talk.responses.items()})
