"""The relay as a network that turns one client away, takes another port, or lets nobody connect."""

from __future__ import annotations

import asyncio
import socket

import pytest
from relay_peers import Play, client, connect, of, play, refused, relayed

from probe.model import Closed, Opened, Request

__all__ = ["play"]


def listen_to(address: str) -> bytes:
    """Connect and wait for whatever comes. The reset may be there before the connection is noticed."""
    host, port = address.split(":")
    with socket.create_connection((host, int(port)), timeout=5) as sock:
        return sock.recv(1)


def test_one_is_turned_away_and_seen_then_the_port_refuses(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events):
            relay.turn_away(1)
            with pytest.raises(ConnectionResetError):
                await asyncio.to_thread(listen_to, relay.address(1))
            assert [(event.conn, event.by) for event in of(Closed, events)] == [(of(Opened, events)[0].conn, "relay")]
            assert await refused(connect(relay))
            assert not of(Request, events)
            assert broker.got == b""
            relay.accept(1)
            async with client(relay) as again:
                await again.ask()

    play(story)


def test_a_broker_that_moves_leaves_a_port_that_refuses(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as one:
            await one.ask()
            before = relay.address(1)
            after = relay.move(1)
            assert relay.address(1) == after != before
            await one.ask()  # what is established stays
            host, port = before.split(":")
            assert await refused(asyncio.open_connection(host, int(port)))
            with socket.socket() as thief, pytest.raises(OSError, match="in use"):
                thief.bind((host, int(port)))
            async with client(relay) as two:
                await two.ask()
            assert len(of(Opened, events)) == 2

    play(story)


def test_nobody_is_refused_by_a_dead_host(play: Play) -> None:
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
