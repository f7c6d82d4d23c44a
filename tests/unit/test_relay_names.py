"""The relay of brokers that have names: the hosts that clients are given, and where their connections are taken."""

from __future__ import annotations

import asyncio
import socket

import pytest

from probe.errors import RelayError
from probe.names.server import NameServer
from probe.names.trial_hosts import TrialHosts, loopback_addresses
from probe.ports import discard
from tests.support.relay_peers import Play, client, play, refused, relayed

__all__ = ["play"]


def named() -> tuple[TrialHosts, NameServer]:
    """Return hosts at addresses that this machine has, too, with the server that knows their names."""
    server = NameServer()
    return TrialHosts(server, socket.socket, loopback_addresses(), discard), server


def test_a_broker_moves_behind_its_name(play: Play) -> None:
    async def story() -> None:
        hosts, server = named()
        async with relayed(hosts=hosts) as (relay, _, _):
            given = relay.address(1)
            (former,) = server.entries[given.host].addresses
            async with client(relay, host=former) as one:
                await one.ask()
                relay.move_behind_name(1)
                assert relay.address(1) == given
                await one.ask()  # established connections remain
                (current,) = server.entries[given.host].addresses
                assert current != former
                assert await refused(client(relay, host=former).__aenter__())
                async with client(relay, host=current) as two:
                    await two.ask()

    play(story)


def test_a_name_keeps_the_former_address_which_does_not_answer(play: Play) -> None:
    async def story() -> None:
        hosts, server = named()
        async with relayed(hosts=hosts) as (relay, _, _):
            name = relay.address(1).host
            (former,) = server.entries[name].addresses
            relay.move_behind_name(1, keeps=True)
            first, second = server.entries[name].addresses
            assert first == former
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3), client(relay, host=first):
                    pass
            async with client(relay, host=second) as one:
                await one.ask()

    play(story)


def test_the_name_of_a_broker_leads_nowhere_until_it_moves(play: Play) -> None:
    async def story() -> None:
        hosts, server = named()
        async with relayed(hosts=hosts) as (relay, _, _):
            name = relay.address(1).host
            relay.hide_name(1)
            assert server.entries[name].addresses == ()
            relay.move_behind_name(1)
            async with client(relay, host=server.entries[name].addresses[0]) as one:
                await one.ask()

    play(story)


def test_another_port_has_another_name(play: Play) -> None:
    async def story() -> None:
        hosts, server = named()
        async with relayed(hosts=hosts) as (relay, _, _):
            former, latter = relay.address(1), relay.move(1)
            assert latter.host != former.host
            assert server.entries[former.host].addresses == ()
            async with client(relay, host=server.entries[latter.host].addresses[0]) as one:
                await one.ask()

    play(story)


def test_a_number_cannot_be_hidden(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, _):
            with pytest.raises(RelayError, match="broker 1 has no name"):
                relay.hide_name(1)

    play(story)
