"""Fetch sessions (KIP-227): every fetch is reported with all partitions of its session."""

from __future__ import annotations

from typing import Any

from probe.model import Event, Request
from probe.protocol.conversation import Conversation
from probe.protocol.schemas import Schemas
from probe.protocol.sessions import MAX_PARTITIONS, FetchSessions
from tests.support.protocol_wire import Body, conversation, plain, request, response

V = 11


class Fetching:
    """A connection with fetch requests only."""

    def __init__(self, talk: Conversation) -> None:
        self.talk = talk
        self.corr = 0

    def ask(
        self, session: int, epoch: int, *parts: tuple[int, int], forget: tuple[int, ...] = ()
    ) -> list[tuple[int, int]]:
        """Send a fetch request; return the partition and offset of every row."""
        self.corr += 1
        topics: list[Body] = [{"Topic": "t", "Partitions": [{"Partition": p, "FetchOffset": o} for p, o in parts]}]
        gone: list[Body] = [{"Topic": "t", "Partitions": list(forget)}]
        body = plain(1, V, "Request", SessionId=session, SessionEpoch=epoch, Topics=topics, ForgottenTopicsData=gone)
        return rows(self.talk.client_bytes(request(1, V, body, corr=self.corr), self.corr * 10_000))

    def grant(self, session: int, **given: Any) -> None:
        body = plain(1, V, "Response", SessionId=session, **given)
        self.talk.broker_bytes(response(1, V, body, corr=self.corr), self.corr * 10_000)


def rows(events: list[Event]) -> list[tuple[int, int]]:
    (event,) = events
    assert isinstance(event, Request)
    return [(row.partition, row.offset or 0) for row in event.rows]


def test_an_incremental_fetch_has_all_partitions_of_its_session() -> None:
    fetch = Fetching(conversation())
    assert fetch.ask(0, 0, (0, 5), (1, 7)) == [(0, 5), (1, 7)]
    fetch.grant(9)
    assert fetch.ask(9, 1) == [(0, 5), (1, 7)]
    fetch.grant(9)
    assert fetch.ask(9, 2, (1, 8)) == [(0, 5), (1, 8)]
    fetch.grant(9)
    assert fetch.ask(9, 3, (2, 1), forget=(0,)) == [(1, 8), (2, 1)]


def test_without_sessions_every_fetch_has_its_own_partitions() -> None:
    fetch = Fetching(conversation())
    fetch.ask(0, 0, (0, 5))
    fetch.grant(0)
    assert fetch.ask(0, 0, (0, 6)) == [(0, 6)]


def test_a_fetch_without_a_session_has_only_its_partitions() -> None:
    fetch = Fetching(conversation())
    assert fetch.ask(0, -1, (0, 5)) == [(0, 5)]
    fetch.grant(9)  # no broker does this
    assert fetch.ask(9, 1) == []


def test_a_session_unknown_to_the_broker_is_dropped() -> None:
    for code in (70, 71):
        fetch = Fetching(conversation())
        fetch.ask(0, 0, (0, 5))
        fetch.grant(9)
        fetch.ask(9, 1)
        fetch.grant(0, ErrorCode=code)
        assert fetch.ask(9, 2) == []


def test_a_closed_session_is_forgotten() -> None:
    fetch = Fetching(conversation())
    fetch.ask(0, 0, (0, 5))
    fetch.grant(9)
    fetch.ask(9, -1)
    fetch.grant(0)
    assert fetch.ask(9, 2) == []


def test_a_session_can_continue_on_another_connection() -> None:
    """Sessions belong to the broker and not to a connection."""
    schemas: Schemas = conversation()._schemas
    shared = FetchSessions()
    first, second = (Fetching(Conversation(n, 1, schemas, {}, shared)) for n in (1, 2))
    first.ask(0, 0, (0, 5))
    first.grant(9)
    assert second.ask(9, 1) == [(0, 5)]


def test_a_session_that_grows_too_large_is_forgotten() -> None:
    fetch = Fetching(conversation())
    fetch.ask(0, 0, (0, 0))
    fetch.grant(9)
    for epoch in range(1, 13):
        fetch.ask(9, epoch, *((epoch * 1000 + part, 0) for part in range(1000)))
    assert len(fetch.ask(9, 14)) == 0
    assert MAX_PARTITIONS == 10_000
