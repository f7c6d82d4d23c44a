"""Faults that the relay injects into the network and reverts."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from probe.model import Closed, Request, Response
from probe.protocol.apis import HEARTBEAT, METADATA
from tests.support.relay_peers import NEVER_MS, Play, client, connect, of, play, refused, relayed, until

__all__ = ["play"]


def test_cut_resets_connections_and_reports_the_relay(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one, client(relay) as two:
            await one.ask(client_id="a")
            await two.ask(client_id="b")
            assert await relay.cut(1, "a") == 1
            assert await one.end() == "reset"
            await two.ask(client_id="b")
            assert await relay.cut(1) == 1
            assert await two.end() == "reset"
            assert [event.by for event in of(Closed, events)] == ["relay", "relay"]
            await until(lambda: len(broker.ended) == 2)
            assert broker.ended == ["reset", "reset"]
            assert await relay.cut(1) == 0

    play(story)


def test_refuse_and_accept_keep_the_port(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, _events), client(relay) as one:
            address = relay.address(1)
            await one.ask()
            for _ in range(3):
                relay.refuse(1)
                assert await refused(connect(relay))
                await one.ask()  # established connections remain
                with socket.socket() as thief, pytest.raises(OSError, match="in use"):
                    thief.bind(("127.0.0.1", address.port))
                relay.accept(1)
                assert relay.address(1) == address
                async with client(relay) as again:
                    await again.ask()

    play(story)


def test_hold_delays_responses_of_its_apis_in_order(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one:
            broker.parts = lambda data: [data[:3], data[3:9], data[9:]]
            await one.ask(HEARTBEAT)
            relay.hold([METADATA], NEVER_MS)
            await one.ask(HEARTBEAT)
            relay.hold([METADATA], 800)
            start = time.monotonic()
            for api in (METADATA, HEARTBEAT, METADATA):
                one.send(api, 1)
            kept = [await one.receive() for _ in range(3)]
            assert time.monotonic() - start >= 0.8
            assert [int.from_bytes(frame[4:8], "big") for frame in kept] == [3, 4, 5]
            held = of(Response, events)[2]
            assert held.at - held.sent_at >= 800_000
            relay.hold([METADATA], NEVER_MS)
            relay.hold([], 0)
            assert await one.ask() == broker.answer(b"\0\3\0\1" + one.corr.to_bytes(4, "big"))
            assert relay.dropped() == 0

    play(story)


def test_a_hold_does_not_delay_a_response_in_progress(play: Play) -> None:
    for cut in (2, 4, 6, 10):

        async def story(cut: int = cut) -> None:
            async with relayed() as (relay, broker, _), client(relay) as one:
                broker.silent = True
                one.send()
                await until(lambda: broker.got)
                data = broker.answer(b"\0\3\0\1\0\0\0\1")
                broker.writers[0].write(data[:cut])
                assert await one.reader.readexactly(cut) == data[:cut]
                begun = cut >= 4  # otherwise the length is incomplete
                relay.hold([METADATA], NEVER_MS if begun else 500)
                start = time.monotonic()
                broker.writers[0].write(data[cut:])
                assert await one.reader.readexactly(len(data) - cut) == data[cut:]
                assert begun or time.monotonic() - start >= 0.5
                relay.hold([METADATA], 500)
                broker.silent = False
                start = time.monotonic()
                await one.ask()
                assert time.monotonic() - start >= 0.5

        play(story)


def test_a_close_comes_after_held_responses(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one:
            await one.ask()
            relay.hold([METADATA], 200)
            one.send()
            await until(lambda: len(of(Request, events)) == 2)
            await asyncio.sleep(0.05)
            broker.writers[0].close()
            await one.receive()
            assert await one.end() == "eof"
            assert [event.by for event in of(Closed, events)] == ["broker"]
            assert len(of(Response, events)) == 2

    play(story)


def test_slow_delays_every_response_of_one_broker(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, _events), client(relay) as one:
            relay.slow(1, 600)
            start = time.monotonic()
            await one.ask(HEARTBEAT)
            assert time.monotonic() - start >= 0.6
            relay.slow(1, NEVER_MS)
            relay.slow(1, 0)
            await one.ask(HEARTBEAT)

    play(story)


def test_ease_delays_every_response_of_all_brokers_until_it_ends(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, _events), client(relay) as one:
            relay.ease(600)
            start = time.monotonic()
            await one.ask(HEARTBEAT)
            assert time.monotonic() - start >= 0.6
            relay.ease(NEVER_MS)
            relay.ease(0)
            await one.ask(HEARTBEAT)

    play(story)


def test_blackhole_reads_and_reports_but_forwards_nothing(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one:
            await one.ask()
            got = broker.got
            relay.blackhole(1)
            one.send()
            await until(lambda: len(of(Request, events)) == 2)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.3), client(relay):
                    pass
            assert broker.got == got
            assert len(of(Response, events)) == 1
            relay.blackhole(1, on=False)
            assert await one.end() == "reset"
            async with client(relay) as three:
                await three.ask()

    play(story)


def test_a_close_by_the_client_in_a_blackhole_is_reported(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events):
            async with client(relay) as one:
                await one.ask()
                relay.blackhole(1)
                one.send()
                await until(lambda: len(of(Request, events)) == 2)
            await until(lambda: of(Closed, events))
            assert [event.by for event in of(Closed, events)] == ["client"]
            await until(lambda: broker.ended)

    play(story)


def test_requests_above_a_rate_are_refused_by_a_reset_and_later_ones_are_not(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as one, client(relay) as two:
            relay.refuse_above([METADATA], 2)
            await one.ask(METADATA, client_id="a")
            await two.ask(METADATA, client_id="b")
            await two.ask(HEARTBEAT, client_id="b")
            one.send(METADATA, client_id="a")
            assert await one.end() == "reset"
            assert [event.by for event in of(Closed, events)] == ["relay"]
            relay.refuse_above([METADATA], 0)
            await two.ask(METADATA, client_id="b")

    play(story)
