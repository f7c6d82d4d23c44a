"""Faults of single answers in the relay: cut inside, kept back, and refused versions of ApiVersions."""

from __future__ import annotations

import asyncio
import time

from probe.model import Closed, Request, Response
from probe.protocol.apis import API_VERSIONS, HEARTBEAT, METADATA
from tests.support.relay_peers import NEVER_MS, Play, client, of, play, relayed, until

__all__ = ["play"]


def test_a_connection_ends_inside_an_answer_once_for_every_number_of_bytes(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events):
            relay.cut_answers(1, [HEARTBEAT], (2, 8, -1))
            for passing in (2, 8, -1):
                async with client(relay) as one:
                    first = await one.ask(METADATA, client_id="a")
                    assert len(first) > 8
                    sent = one.send(HEARTBEAT, 0, client_id="a")
                    assert await one.reader.read() == broker.answer(sent[4:])[:passing]
            async with client(relay) as again:
                assert await again.ask(HEARTBEAT, 0, client_id="a")
            assert [event.by for event in of(Closed, events)][:3] == ["relay"] * 3
            assert [event.api for event in of(Response, events)] == [METADATA] * 3 + [HEARTBEAT]
            assert not relay.faults

    play(story)


def test_cut_answers_are_counted_per_client_and_end_with_the_fault(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, _events):
            relay.cut_answers(1, [HEARTBEAT], (8,))
            async with client(relay) as one, client(relay) as two:
                one.send(HEARTBEAT, 0, client_id="a")
                two.send(HEARTBEAT, 0, client_id="b")
                assert (len(await one.reader.read()), len(await two.reader.read())) == (8, 8)
            relay.cut_answers(1, [HEARTBEAT], (8,))
            relay.cut_answers(1, (), ())
            async with client(relay) as third:
                await third.ask(HEARTBEAT, 0, client_id="a")

    play(story)


def test_an_answer_is_kept_back_a_given_number_of_times_with_those_behind_it(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as one, client(relay) as two:
            relay.keep_back(1, [HEARTBEAT], 1, 700)
            start = time.monotonic()
            one.send(HEARTBEAT, 0, client_id="a")
            one.send(METADATA, 1, client_id="a")
            await asyncio.sleep(0.1)
            await two.ask(HEARTBEAT, 0, client_id="b")  # another client has an answer of its own to wait for
            assert time.monotonic() - start >= 0.7
            kept = [await one.receive() for _ in range(2)]
            assert [int.from_bytes(frame[4:8], "big") for frame in kept] == [1, 2]
            late = of(Response, events)[0]
            assert late.at - late.sent_at >= 700_000
            relay.keep_back(1, [HEARTBEAT], 1, NEVER_MS)
            async with client(relay) as kept_for_ever:
                kept_for_ever.send(HEARTBEAT, 0, client_id="a")
                await until(lambda: len(of(Request, events)) == 4)
                await one.ask(HEARTBEAT, 0, client_id="a")

    play(story)


def test_a_kept_answer_is_dropped_with_its_connection(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events):
            relay.keep_back(1, [HEARTBEAT], 1, NEVER_MS)
            async with client(relay) as one:
                one.send(HEARTBEAT, 0)
                await asyncio.sleep(0.05)
            async with client(relay) as again:
                await again.ask(HEARTBEAT, 0)
            assert [event.by for event in of(Closed, events)][:1] == ["client"]
            assert len(of(Response, events)) == 1

    play(story)


def test_an_unknown_version_of_api_versions_resets_the_connection(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events):
            relay.limit_versions(1, 0)
            async with client(relay) as one:
                one.send(API_VERSIONS, 1)
                assert await one.end() == "reset"
            async with client(relay) as two:
                await two.ask(API_VERSIONS, 0)
                await two.ask(METADATA, 1)
            relay.limit_versions(1, None)
            async with client(relay) as three:
                await three.ask(API_VERSIONS, 1)
            assert [event.by for event in of(Closed, events)][:1] == ["relay"]
            assert [event.version for event in of(Request, events) if event.api == API_VERSIONS] == [1, 0, 1]

    play(story)
