"""Idle connections: closed as by a broker, or forgotten as by a balancer."""

from __future__ import annotations

import asyncio
import time

import pytest

from probe.model import Closed, Request, Response
from tests.support.relay_peers import Play, client, of, play, relayed, until

__all__ = ["play"]

IDLE_MS = 300


def test_an_idle_connection_is_closed_and_a_busy_one_is_not(play: Play) -> None:
    async def story() -> None:
        while not await decided():
            pass

    async def decided() -> bool:
        """Return false if this process got so little time that the busy connection was idle, too."""
        longest = 0.0
        async with relayed() as (relay, _, events), client(relay) as idle, client(relay) as busy:
            await idle.ask()
            await busy.ask()
            asked = time.monotonic()
            relay.expire_idle(IDLE_MS)
            ended = asyncio.create_task(idle.end())
            try:
                while not ended.done():
                    await busy.ask()
                    longest, asked = max(longest, time.monotonic() - asked), time.monotonic()
                    await asyncio.sleep(0.02)
                await busy.ask()
            except (asyncio.IncompleteReadError, ConnectionError):
                await ended
                assert 1000 * max(longest, time.monotonic() - asked) >= IDLE_MS / 2
                return False
            assert ended.result() == "eof"
            assert [event.by for event in of(Closed, events)] == ["relay"]
            relay.expire_idle(0)
            await asyncio.sleep(2 * IDLE_MS / 1000)
            await busy.ask()
        return True

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
