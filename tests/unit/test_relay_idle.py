"""Idle connections: closed as by a broker, or forgotten as by a balancer."""

from __future__ import annotations

import asyncio

import pytest

from probe.model import Closed, Request, Response
from tests.support.relay_peers import Play, client, of, play, relayed, until

__all__ = ["play"]

IDLE_MS = 300


def test_an_idle_connection_is_closed_and_a_busy_one_is_not(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as idle, client(relay) as busy:
            await idle.ask()
            relay.expire_idle(IDLE_MS)
            ended = asyncio.create_task(idle.end())
            while not ended.done():
                await busy.ask()
                await asyncio.sleep(0.02)
            assert ended.result() == "eof"
            await busy.ask()
            assert [event.by for event in of(Closed, events)] == ["relay"]
            relay.expire_idle(0)
            await asyncio.sleep(2 * IDLE_MS / 1000)
            await busy.ask()

    play(story)


def test_nothing_passes_over_a_forgotten_connection_and_nobody_learns_it(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events):
            async with client(relay) as idle:
                await idle.ask()
                relay.expire_idle(IDLE_MS, forgotten=True)
                await asyncio.sleep(2 * IDLE_MS / 1000)
                relay.expire_idle(0)
                got = broker.got
                idle.send()
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(idle.receive(), 0.2)
                assert broker.got == got
                for writer in broker.writers:
                    writer.close()  # the broker gives the connection up, too
                await asyncio.sleep(0.05)
                assert not of(Closed, events)
                async with client(relay) as again:
                    await again.ask()
            await until(lambda: len(of(Closed, events)) == 2)
            assert {event.by for event in of(Closed, events)} == {"client"}
            assert (len(of(Request, events)), len(of(Response, events))) == (3, 2)

    play(story)
