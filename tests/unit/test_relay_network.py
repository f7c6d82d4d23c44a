"""Faults of new connections: refused after an attempt, moved to another port, or unanswered."""

from __future__ import annotations

import asyncio
import socket

import pytest

from probe.model import Closed, Opened, Request, Response
from probe.protocol.apis import HEARTBEAT, METADATA
from tests.support.relay_peers import Play, client, connect, of, play, refused, relayed

__all__ = ["play"]


def test_the_first_attempt_is_reported_and_all_are_refused(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events):
            relay.refuse_after_attempt(1)
            await asyncio.sleep(0.1)
            assert not events
            assert await refused(connect(relay))  # at the second SYN of the kernel, after 1 s
            assert await refused(connect(relay))
            assert [(event.conn, event.by) for event in of(Closed, events)] == [(of(Opened, events)[0].conn, "relay")]
            assert not of(Request, events)
            assert broker.got == b""
            relay.accept(1)
            async with client(relay) as again:
                await again.ask()

    play(story)


def test_refusing_after_an_attempt_can_be_reverted(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events):
            relay.refuse_after_attempt(1)
            relay.accept(1)
            async with client(relay) as one:
                await one.ask()
            relay.refuse_after_attempt(1)
            relay.refuse_after_attempt(1)
            assert await refused(connect(relay))
            assert len(of(Closed, events)) == 2

    play(story)


def test_the_old_port_of_a_moved_broker_refuses(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as one:
            await one.ask()
            before = relay.address(1)
            after = relay.move(1)
            assert relay.address(1) == after != before
            await one.ask()  # established connections remain
            assert await refused(asyncio.open_connection(before.host, before.port))
            with socket.socket() as thief, pytest.raises(OSError, match="in use"):
                thief.bind((before.host, before.port))
            async with client(relay) as two:
                await two.ask()
            assert len(of(Opened, events)) == 2

    play(story)


def test_the_old_port_of_a_broker_that_moved_silently_is_half_open(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as one:
            await one.ask()
            before = relay.address(1)
            relay.move(1, silent=True)
            for attempt in (one.ask(), asyncio.open_connection(before.host, before.port)):
                with pytest.raises(TimeoutError):
                    async with asyncio.timeout(0.3):
                        await attempt
            async with client(relay) as two:
                await two.ask()
            assert not [event for event in of(Closed, events) if event.by != "client"]

    play(story)


def test_a_blackhole_does_not_refuse_connections(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events):
            relay.blackhole(1)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3), client(relay):
                    pass
            relay.refuse(1)
            assert await refused(connect(relay))
            relay.accept(1)
            relay.blackhole(1, on=False)
            async with client(relay) as one:
                await one.ask()
            assert len(of(Opened, events)) == 1

    play(story)


def test_responses_are_lost_a_given_number_of_times_per_client(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events):
            relay.lose(1, [HEARTBEAT], 1)
            async with client(relay) as one, client(relay) as two:
                await one.ask(METADATA, client_id="a")
                one.send(HEARTBEAT, 0, client_id="a")
                two.send(HEARTBEAT, 0, client_id="b")
                assert (await one.end(), await two.end()) == ("reset", "reset")
            assert b"a" in broker.got  # the broker received the request and served it
            assert [event.by for event in of(Closed, events)] == ["relay", "relay"]
            assert [event.api for event in of(Response, events)] == [METADATA]
            async with client(relay) as again:
                await again.ask(HEARTBEAT, 0, client_id="a")
            relay.lose(1, (), 0)
            async with client(relay) as third:
                await third.ask(HEARTBEAT, 0, client_id="c")

    play(story)
