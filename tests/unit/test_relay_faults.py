"""What the relay does to a network: each fault is what it says, and ends."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from probe.model import Closed, Request, Response
from probe.protocol.apis import HEARTBEAT, METADATA
from tests.support.relay_peers import Play, client, connect, of, play, refused, relayed, until

__all__ = ["play"]


def test_cut_resets_and_says_that_the_relay_did_it(play: Play) -> None:
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


def test_refuse_and_accept_on_the_same_port(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, _events), client(relay) as one:
            address = relay.address(1)
            await one.ask()
            for _ in range(3):
                relay.refuse(1)
                assert await refused(connect(relay))
                await one.ask()  # what is established stays
                with socket.socket() as thief, pytest.raises(OSError, match="in use"):
                    thief.bind(("127.0.0.1", address.port))
                relay.accept(1)
                assert relay.address(1) == address
                async with client(relay) as again:
                    await again.ask()

    play(story)


def test_hold_delays_only_these_answers_and_keeps_their_order(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one:
            broker.parts = lambda data: [data[:3], data[3:9], data[9:]]
            await one.ask(HEARTBEAT)
            relay.hold([METADATA], 800)
            start = time.monotonic()
            await one.ask(HEARTBEAT)
            assert time.monotonic() - start < 0.7
            start = time.monotonic()
            for api in (METADATA, HEARTBEAT, METADATA):
                one.send(api, 1)
            kept = [await one.receive() for _ in range(3)]
            assert time.monotonic() - start >= 0.8
            assert [int.from_bytes(frame[4:8], "big") for frame in kept] == [3, 4, 5]
            held = of(Response, events)[2]
            assert held.at - held.sent_at >= 800_000
            relay.hold([], 0)
            start = time.monotonic()
            assert await one.ask() == broker.answer(b"\0\3\0\1" + one.corr.to_bytes(4, "big"))
            assert time.monotonic() - start < 0.7
            assert relay.dropped() == 0

    play(story)


def test_a_hold_that_begins_within_an_answer_lets_that_one_pass(play: Play) -> None:
    for cut in (2, 4, 6, 10):

        async def story(cut: int = cut) -> None:
            async with relayed() as (relay, broker, _), client(relay) as one:
                broker.silent = True
                one.send()
                await until(lambda: broker.got)
                data = broker.answer(b"\0\3\0\1\0\0\0\1")
                broker.writers[0].write(data[:cut])
                assert await one.reader.readexactly(cut) == data[:cut]
                relay.hold([METADATA], 500)
                start = time.monotonic()
                broker.writers[0].write(data[cut:])
                assert await one.reader.readexactly(len(data) - cut) == data[cut:]
                waited = time.monotonic() - start
                assert (waited >= 0.5) == (cut < 4)  # less than a length was known: the answer had not begun
                broker.silent = False
                start = time.monotonic()
                await one.ask()
                assert time.monotonic() - start >= 0.5

        play(story)


def test_an_end_comes_after_what_is_held(play: Play) -> None:
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


def test_slow_delays_every_answer_of_one_broker(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, _events), client(relay) as one:
            relay.slow(1, 600)
            start = time.monotonic()
            await one.ask(HEARTBEAT)
            assert time.monotonic() - start >= 0.6
            relay.slow(1, 0)
            start = time.monotonic()
            await one.ask(HEARTBEAT)
            assert time.monotonic() - start < 0.5

    play(story)


def test_blackhole_reads_reports_and_passes_nothing(play: Play) -> None:
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


def test_a_client_that_gives_up_in_a_blackhole_is_seen_to_leave(play: Play) -> None:
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
