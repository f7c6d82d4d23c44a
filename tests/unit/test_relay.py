"""The relay with real sockets: bytes and closes are forwarded unchanged, and nothing remains at the end."""

from __future__ import annotations

import asyncio
import random
import socket
import time
from dataclasses import replace
from itertools import pairwise

import pytest

from probe.model import Closed, EngineEvent, EngineKind, Event, Opened, Request, Response
from probe.model.endpoint import Endpoint
from probe.ports import Tap
from probe.protocol.apis import HEARTBEAT, METADATA
from probe.protocol.fold import LASTING, SPAN_US
from probe.relay import Relay
from probe.relay.link import STORM_MS
from tests.support.protocol_wire import schemas
from tests.support.relay_peers import Client, Play, client, connect, of, play, relayed, until

__all__ = ["play"]


def test_a_relay_is_a_tap() -> None:
    tap: Tap = Relay(brokers=(), sink=print, schemas=schemas())
    assert tap is not None


def test_a_request_and_its_response_are_reported(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events):
            before = time.monotonic_ns() // 1000
            async with client(relay) as one:
                await one.ask()
                answered = time.monotonic_ns() // 1000
            await until(lambda: of(Closed, events))
            opened, sent, received, closed = events
            assert isinstance(opened, Opened)
            assert isinstance(sent, Request)
            assert isinstance(received, Response)
            assert isinstance(closed, Closed)
            assert (sent.api, sent.client_id, received.corr, closed.by) == (METADATA, "probe-1", 1, "client")
            assert {event.conn for event in (opened, sent, received, closed)} == {1}
            assert {event.broker for event in (opened, sent, received, closed)} == {1}
            assert before <= opened.at <= sent.at == received.sent_at <= received.at <= closed.at
            assert received.at <= answered + 50_000
            assert relay.counts() == {(1, METADATA): (1, 1)}
            assert relay.dropped() == 0

    play(story)


def test_bytes_are_forwarded_unchanged_however_they_are_split(play: Play) -> None:
    rng = random.Random(7)

    def chop(data: bytes) -> list[bytes]:
        edges = sorted({0, len(data), *(rng.randrange(len(data)) for _ in range(5))})
        return [data[low:high] for low, high in pairwise(edges)]

    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one:
            broker.parts = chop
            sent = expected = b""
            received = b""
            for _ in range(60):
                mark = one.writer.transport
                data = one.send(rng.choice((METADATA, HEARTBEAT)), 1)
                sent += data
                expected += broker.answer(data[4:])
                assert not mark.is_closing()
                received += await one.receive()
            assert broker.got == sent
            assert received == expected
            assert len(of(Request, events)) == len(of(Response, events)) == 60
            assert [event.corr for event in of(Response, events)] == list(range(1, 61))

    play(story)


def test_other_protocols_are_forwarded_and_reported_once(play: Play) -> None:
    async def story() -> None:
        async def echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
            writer.close()

        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with relayed() as (relay, _, events):
            relay.forward(1, Endpoint(host="127.0.0.1", port=server.sockets[0].getsockname()[1]))
            async with client(relay) as one:
                blob = random.Random(1).randbytes(3 << 20)
                one.writer.write(blob)
                assert await one.reader.readexactly(len(blob)) == blob
                one.writer.write_eof()
                assert await one.end() == "eof"
            assert sum(bool(event.error) for event in (*of(Request, events), *of(Response, events))) == 1
            await until(lambda: relay.faults)
            assert "not Kafka" in relay.faults[0]
        server.close()

    play(story)


def test_a_slow_reader_does_not_fill_the_relay(play: Play) -> None:
    """The relay stops reading from the broker while the client does not read, so bytes wait in the kernel."""

    async def story() -> None:
        sent = 0

        async def pour(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            nonlocal sent
            writer.transport.set_write_buffer_limits(high=65536)
            try:
                while sent < 64 << 20:
                    writer.write(bytes(65536))
                    sent += 65536
                    await writer.drain()
            except ConnectionError:
                pass
            writer.close()

        server = await asyncio.start_server(pour, "127.0.0.1", 0)
        async with relayed() as (relay, _, _events):
            relay.forward(1, Endpoint(host="127.0.0.1", port=server.sockets[0].getsockname()[1]))
            async with client(relay) as one:
                one.writer.transport.pause_reading()  # type: ignore[attr-defined]  # streams read through such transports
                await asyncio.sleep(0.5)
                assert sent < 48 << 20
                stuck = sent
                await asyncio.sleep(0.2)
                assert sent == stuck
                await relay.cut(1)
            await asyncio.sleep(0.1)
        server.close()

    play(story)


def test_connections_wait_until_the_broker_is_known(play: Play) -> None:
    async def story() -> None:
        async with relayed(1, 2) as (relay, broker, events), client(relay, 2) as one:
            one.send()
            await until(lambda: of(Request, events))
            assert await asyncio.wait({asyncio.create_task(asyncio.sleep(0.05))})
            relay.forward(2, Endpoint(host="127.0.0.1", port=broker.port))
            await one.receive()
            assert {event.broker for event in events if not isinstance(event, Closed)} == {2}  # type: ignore[union-attr]  # wire events only

    play(story)


def test_a_dead_broker_resets_the_connection(play: Play) -> None:
    async def story() -> None:
        async with relayed(1) as (relay, _, events):
            with socket.socket() as sock:
                sock.bind(("127.0.0.1", 0))
                relay.forward(1, Endpoint(host="127.0.0.1", port=sock.getsockname()[1]))
                async with client(relay) as one:
                    one.send()
                    assert await one.end() == "reset"
            assert [event.by for event in of(Closed, events)] == ["broker"]

    play(story)


@pytest.mark.parametrize("how", ["eof", "reset"])
def test_the_close_of_the_broker_reaches_the_client(play: Play, how: str) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one:
            await one.ask()
            if how == "eof":
                broker.writers[0].close()
            else:
                Client(one.reader, broker.writers[0]).reset()
            assert await one.end() == how
            assert [event.by for event in of(Closed, events)] == ["broker"]

    play(story)


@pytest.mark.parametrize("how", ["eof", "reset"])
def test_the_close_of_the_client_reaches_the_broker(play: Play, how: str) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events):
            async with client(relay) as one:
                await one.ask()
                if how == "reset":
                    one.reset()
            await until(lambda: broker.ended)
            assert broker.ended == [how]
            assert [event.by for event in of(Closed, events)] == ["client"]

    play(story)


def test_responses_are_forwarded_after_a_half_close(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, broker, events), client(relay) as one:
            relay.slow(1, 100)
            one.send()
            one.writer.write_eof()
            await one.receive()
            assert await one.end() == "eof"
            assert len(of(Response, events)) == 1
            assert broker.ended == ["eof"]

    play(story)


def test_an_exception_of_the_sink_counts_as_dropped(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (known, broker, _):

            def sink(event: Event) -> None:
                assert not isinstance(event, Response), "full"

            async with Relay(brokers=(1,), sink=sink, schemas=schemas()) as relay:
                relay.forward(1, Endpoint(host="127.0.0.1", port=broker.port))
                async with client(relay) as one:
                    for _ in range(5):
                        await one.ask()
                    assert relay.counts() == {(1, METADATA): (5, 5)}
                    assert relay.dropped() == 5
            assert known.dropped() == 0

    play(story)


def test_a_storm_is_folded_and_every_frame_is_counted(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as one:
            sent = came = 2000
            while came >= 2000:  # until this machine is fast enough to make a storm
                before = len(events)
                for _ in range(2000):
                    one.send()
                for _ in range(2000):
                    await one.receive()
                assert relay.counts() == {(1, METADATA): (sent, sent)}
                assert relay.dropped() == 0
                sent, came = sent + 2000, len(events) - before
            await until(lambda: any(hasattr(event, "until") for event in events))
            assert relay.dropped() == 0

    play(story)


def test_a_lasting_storm_is_slowed_and_reported(play: Play) -> None:
    async def story() -> None:
        async with relayed() as (relay, _, events), client(relay) as one:
            await until(lambda: of(Opened, events))
            (link,) = relay._proxies[1].links
            frame = Request(at=0, conn=1, broker=1, corr=1, api=METADATA, version=1)
            now = time.monotonic_ns() // 1000
            for second in range(-LASTING - 1, 1):
                for _ in range(600):
                    link.conversation.fold.take(replace(frame, at=now + second * SPAN_US), [])
            await one.ask()
            (slowed,) = of(EngineEvent, events)
            assert (slowed.kind, slowed.broker, slowed.value, slowed.conn) == (EngineKind.SLOWED, 1, STORM_MS, 1)
            asked = time.monotonic()
            for _ in range(20):
                await one.ask()
            assert time.monotonic() - asked >= 20 * STORM_MS / 1000
            await until(lambda: not link.conversation.fold.lasts)
            await one.ask()
            assert [event.value for event in of(EngineEvent, events)] == [STORM_MS, 0]

    play(story)


def test_sockets_are_closed_when_the_relay_ends(play: Play) -> None:
    async def story() -> None:
        async with relayed(1, 2) as (relay, _, events):
            ports = [relay.address(broker).port for broker in (1, 2)]
            _, established = await connect(relay)
            _, waiting = await connect(relay, 2)
            await until(lambda: len(of(Opened, events)) == 2)
        assert [event.by for event in of(Closed, events)] == ["relay", "relay"]
        for port in ports:
            with socket.socket() as sock:
                sock.bind(("127.0.0.1", port))
        for writer in (established, waiting):
            writer.close()

        started = asyncio.Event()

        async def forever() -> None:
            async with relayed() as (relay, _, _events), client(relay) as one:
                await one.ask()
                started.set()
                await asyncio.sleep(3600)

        task = asyncio.create_task(forever())
        await started.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    play(story)
