"""A connection written as a transcript: `ask` and `answer`."""

from __future__ import annotations

from typing import Any

from probe.model import Request, Response
from probe.protocol.conversation import Conversation
from tests.support.protocol_wire import ID, Body, conversation, plain, request, response

TOPIC = "orders"


def ask(talk: Conversation, api: int, version: int, *, corr: int = 1, at: int = 10, **given: Any) -> Request:
    """Send a request of the client; return it as decoded."""
    (event,) = talk.client_bytes(request(api, version, plain(api, version, "Request", **given), corr=corr), at)
    assert isinstance(event, Request)
    assert event.error == ""
    return event


def answer(talk: Conversation, api: int, version: int, *, corr: int = 1, at: int = 30, **given: Any) -> Response:
    """Send the broker's response; return it as decoded."""
    (event,) = talk.broker_bytes(response(api, version, plain(api, version, "Response", **given), corr=corr), at)
    assert isinstance(event, Response)
    assert event.error == ""
    return event


def named(version: int, since: int, name: str = "Name") -> Body:
    """Return the field that names the topic in this version: its name or its id."""
    return {"TopicId": ID} if version >= since else {name: TOPIC}


def knowing() -> Conversation:
    return conversation({ID: TOPIC})
