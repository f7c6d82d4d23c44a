"""Bytes are decoded after they have passed: in their order, with the time of passing, and before anybody needs it."""

from __future__ import annotations

import asyncio
import time

import pytest

from probe.model import Closed, Event, Opened, Request, Response
from probe.model.endpoint import Endpoint
from probe.protocol.apis import API_VERSIONS, HEARTBEAT, METADATA
from probe.relay import Relay
from probe.relay.backlog import MOST_BYTES, MOST_PIECES, Backlog
from tests.support.protocol_wire import schemas
from tests.support.relay_peers import NEVER_MS, Play, client, of, play, relayed, until

__all__ = ["play"]

NEVER_S = NEVER_MS / 1000


def test_an_answer_passes_before_its_request_is_decoded(play: Play) -> None:
    async def story() -> None:
        async with relayed(wait_s=NEVER_S) as (relay, _, events), client(relay) as one:
            await one.ask()
            answered = time.monotonic_ns() // 1000
            assert [type(event) for event in events] == [Opened]
            relay.read_on()
            opened, sent, received = events
            assert isinstance(opened, Opened)
            assert isinstance(sent, Request)
            assert isinstance(received, Response)
            assert opened.at <= sent.at == received.sent_at <= received.at <= answered

    play(story)


def test_what_has_passed_is_reported_without_a_question(play: Play) -> None:
    async def story() -> None:
        events: list[Event] = []
        relay = Relay(brokers=(1,), sink=events.append, schemas=schemas())
        async with relayed() as (_, broker, _events), relay:
            relay.forward(1, Endpoint(host="127.0.0.1", port=broker.port))
            async with client(relay) as one:
                await one.ask()
                await until(lambda: of(Response, events))

    play(story)


def test_a_request_is_reported_before_its_answer_while_somebody_waits_for_it(play: Play) -> None:
    async def story() -> None:
        async with relayed(wait_s=NEVER_S) as (relay, broker, events), client(relay) as one:
            await one.ask()
            broker.silent = True
            with relay.at_once():
                assert [type(event) for event in events] == [Opened, Request, Response]
                one.send()
                await until(lambda: len(of(Request, events)) == 2)
            last = one.send()
            await until(lambda: broker.got.endswith(last))
            assert len(of(Request, events)) == 2

    play(story)


def test_an_end_is_reported_after_what_passed_before_it(play: Play) -> None:
    async def story() -> None:
        async with relayed(wait_s=NEVER_S) as (relay, _, events):
            async with client(relay) as one:
                await one.ask()
            await until(lambda: of(Closed, events))
            assert [type(event) for event in events] == [Opened, Request, Response, Closed]

    play(story)


def test_counts_and_first_requests_include_what_has_passed(play: Play) -> None:
    async def story() -> None:
        async with relayed(wait_s=NEVER_S) as (relay, _, _events), client(relay) as one:
            await one.ask()
            assert relay.counts() == {(1, METADATA): (1, 1)}
            await one.ask(HEARTBEAT)
            assert relay.dropped() == 0
            await one.ask()
            (found,) = relay.handshakes("probe-1")
            assert found.requests == ((METADATA, 1), (HEARTBEAT, 1), (METADATA, 1))

    play(story)


def test_faults_that_choose_by_api_client_or_version_know_what_has_passed(play: Play) -> None:
    async def story() -> None:
        async with relayed(wait_s=NEVER_S) as (relay, _, _events), client(relay) as one:
            await one.ask()
            relay.lose(1, [HEARTBEAT], 1)
            await one.ask()
            one.send(HEARTBEAT, 0)
            assert await one.end() == "reset"
            async with client(relay) as two:
                await two.ask(client_id="two")
                assert await relay.cut(1, "one") == 0
                assert await relay.cut(1, "two") == 1
            relay.limit_versions(1, 0)
            async with client(relay) as three:
                three.send(API_VERSIONS, 1)
                assert await three.end() == "reset"

    play(story)


def test_pieces_of_all_connections_are_read_in_the_order_in_which_they_passed() -> None:
    async def story() -> None:
        backlog, read = Backlog(NEVER_S), list[tuple[str, bytes, int]]()

        def one(data: bytes, at: int) -> None:
            read.append(("one", data, at))

        def other(data: bytes, at: int) -> None:
            read.append(("other", data, at))

        for at, reader in enumerate((one, other, one)):
            backlog.add(reader, b"piece", at)
        assert read == []
        backlog.read_on()
        assert read == [("one", b"piece", 0), ("other", b"piece", 1), ("one", b"piece", 2)]

    asyncio.run(story())


def test_a_reader_that_asks_for_the_rest_keeps_the_order() -> None:
    async def story() -> None:
        backlog, read = Backlog(NEVER_S), list[int]()

        def first(_: bytes, at: int) -> None:
            read.append(at)
            backlog.read_on()

        for number in range(3):
            backlog.add(first, b"", number)
        backlog.read_on()
        assert read == [0, 1, 2]

    asyncio.run(story())


@pytest.mark.parametrize(("size", "pieces"), [(1, MOST_PIECES), (MOST_BYTES // 2, 2)])
def test_a_full_backlog_is_read_at_once(size: int, pieces: int) -> None:
    async def story() -> None:
        backlog, read = Backlog(NEVER_S), list[int]()
        for number in range(pieces):
            backlog.add(lambda _, at: read.append(at), bytes(size), number)
        assert read == []
        backlog.add(lambda _, at: read.append(at), b"more", pieces)
        assert read == list(range(pieces + 1))

    asyncio.run(story())
