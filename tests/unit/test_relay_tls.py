"""The relay with clients that speak TLS: frames pass unchanged, ends pass on, and handshakes that fail are events."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import struct
from collections.abc import Iterator

import pytest

from probe.access import Access
from probe.model import Closed, EngineEvent, EngineKind, Event, Opened, Request, Response
from probe.model.endpoint import Endpoint
from probe.model.security import Security
from probe.protocol.apis import METADATA
from probe.relay import Relay
from probe.run_credentials import run_credentials
from tests.support.deadlines import LONGEST_S
from tests.support.protocol_wire import plain, request
from tests.support.relay_peers import Play, connect, of, play, relayed, until

__all__ = ["play"]

VERSIONS = pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
ASKED = request(METADATA, 1, plain(METADATA, 1, "Request"), corr=1, client_id="probe-1")


@pytest.fixture(scope="module")
def access() -> Iterator[Access]:
    security = Security.parse("SSL")
    with run_credentials([security]) as found:
        yield found[security]


class Peer:
    """A client that speaks TLS over a socket with time-outs. Its calls block, so they are made in a thread."""

    def __init__(self, relay: Relay, context: ssl.SSLContext) -> None:
        self._address, self._context = relay.address(1), context
        self.sock: ssl.SSLSocket

    def __enter__(self) -> Peer:
        raw = socket.create_connection((self._address.host, self._address.port), timeout=LONGEST_S)
        try:
            self.sock = self._context.wrap_socket(raw, server_hostname=self._address.host)
        except OSError:
            raw.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()

    def ask(self) -> bytes:
        self.sock.sendall(ASKED)
        return self.answer()

    def answer(self) -> bytes:
        size = self._exactly(4)
        return size + self._exactly(struct.unpack(">i", size)[0])

    def _exactly(self, count: int) -> bytes:
        found = b""
        while len(found) < count:
            piece = self.sock.recv(count - len(found))
            assert piece, "the stream ended"
            found += piece
        return found


def ask_and_end(address: Endpoint, context: ssl.SSLContext, count: int) -> bytes:
    """Send a request and the end of the client's half of the stream at once; return `count` bytes of the answer."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    tls, found = context.wrap_bio(incoming, outgoing, server_hostname=address.host), b""
    with socket.create_connection((address.host, address.port), timeout=LONGEST_S) as sock:

        def exchange() -> None:
            sock.sendall(outgoing.read())
            piece = sock.recv(1 << 16)
            assert piece, "the stream ended"
            incoming.write(piece)

        while True:
            try:
                tls.do_handshake()
                break
            except ssl.SSLWantReadError:
                exchange()
        tls.write(ASKED)
        with contextlib.suppress(ssl.SSLWantReadError):
            tls.unwrap()  # the other half stays open
        while len(found) < count:
            try:
                found += tls.read(count - len(found))
            except ssl.SSLWantReadError:
                exchange()
    return found


def trusting(access: Access, version: ssl.TLSVersion = ssl.TLSVersion.TLSv1_3) -> ssl.SSLContext:
    context = ssl.create_default_context(cadata=access.authority)
    context.minimum_version = context.maximum_version = version
    return context


def failures(events: list[Event]) -> list[EngineEvent]:
    return [event for event in of(EngineEvent, events) if event.kind is EngineKind.HANDSHAKE_FAILED]


@VERSIONS
def test_frames_pass_unchanged(play: Play, access: Access, version: ssl.TLSVersion) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):

            def talk() -> list[bytes]:
                with Peer(relay, trusting(access, version)) as peer:
                    return [peer.ask() for _ in range(20)]

            answers = await asyncio.to_thread(talk)
            await until(lambda: of(Closed, events))
            assert broker.got == ASKED * 20
            assert answers == [broker.answer(ASKED[4:])] * 20
            assert len(of(Request, events)) == len(of(Response, events)) == 20
            assert [event.by for event in of(Closed, events)] == ["client"]
            assert not failures(events)
            assert relay.dropped() == 0

    play(story)


def test_large_frames_pass_whole(play: Play, access: Access) -> None:
    large = request(METADATA, 1, plain(METADATA, 1, "Request"), corr=1, client_id="x" * 30_000)

    async def story() -> None:
        async with relayed(access=access) as (relay, broker, _):

            def talk() -> None:
                with Peer(relay, trusting(access)) as peer:
                    for _ in range(100):
                        peer.sock.sendall(large)
                    for _ in range(100):
                        peer.answer()

            await asyncio.to_thread(talk)
            assert broker.got == large * 100

    play(story)


@VERSIONS
def test_the_end_of_the_brokers_stream_reaches_the_client(play: Play, access: Access, version: ssl.TLSVersion) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):

            def talk() -> bytes:
                with Peer(relay, trusting(access, version)) as peer:
                    peer.ask()
                    return peer.sock.recv(1)  # raises for a stream that is cut without a word

            ended = asyncio.create_task(asyncio.to_thread(talk))
            await until(lambda: of(Response, events))
            broker.writers[0].close()
            assert await ended == b""
            assert [event.by for event in of(Closed, events)] == ["broker"]

    play(story)


def test_a_client_that_has_ended_its_stream_still_gets_its_answer(play: Play, access: Access) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):
            expected = broker.answer(ASKED[4:])
            found = await asyncio.to_thread(ask_and_end, relay.address(1), trusting(access), len(expected))
            assert found == expected
            await until(lambda: broker.ended)
            assert broker.ended == ["eof"]
            assert [event.by for event in of(Closed, events)] == ["client"]

    play(story)


def test_an_end_that_comes_before_the_broker_is_reached_waits_for_it(play: Play, access: Access) -> None:
    async def story() -> None:
        async with relayed(1, 2, access=access) as (relay, broker, events):
            expected = broker.answer(ASKED[4:])
            asking = asyncio.to_thread(ask_and_end, relay.address(2), trusting(access), len(expected))
            asked = asyncio.create_task(asking)
            await until(lambda: of(Request, events))
            relay.forward(2, Endpoint(host="127.0.0.1", port=broker.port))
            assert await asked == expected
            await until(lambda: broker.ended)
            assert broker.ended == ["eof"]

    play(story)


def test_a_cut_reaches_the_client_as_a_reset(play: Play, access: Access) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, _, events):

            def talk() -> str:
                with Peer(relay, trusting(access)) as peer:
                    peer.ask()
                    with socket.fromfd(peer.sock.fileno(), socket.AF_INET, socket.SOCK_STREAM) as raw:
                        raw.settimeout(LONGEST_S)
                        try:
                            while raw.recv(65536):  # tickets of sessions may come first
                                pass
                        except ConnectionResetError:
                            return "reset"
                        return "end"

            ended = asyncio.create_task(asyncio.to_thread(talk))
            await until(lambda: of(Response, events))
            assert await relay.cut(1, "probe-1") == 1
            assert await ended == "reset"

    play(story)


def test_a_connection_is_reported_before_its_handshake(play: Play, access: Access) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, _, events):
            _, writer = await connect(relay)
            await until(lambda: of(Opened, events))
            assert not of(Closed, events)
            writer.write(b"\x16\x03\x01")  # a handshake that begins and hangs
            await writer.drain()
            writer.close()
            await until(lambda: of(Closed, events))
            (failed,) = failures(events)
            assert failed.text in {
                "the client ended the connection during the handshake",
                "the connection was lost during the handshake",
            }
            assert (failed.broker, failed.conn) == (1, of(Opened, events)[0].conn)

    play(story)


def test_a_client_without_tls_is_refused_with_an_event(play: Play, access: Access) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):
            reader, writer = await connect(relay)
            writer.write(ASKED)
            with contextlib.suppress(ConnectionResetError):
                await reader.read()
            writer.close()
            await until(lambda: of(Closed, events))
            assert [event.text for event in failures(events)] != []
            assert broker.got == b""
            assert not of(Request, events)

    play(story)


@VERSIONS
def test_a_client_that_does_not_trust_the_authority_says_so(
    play: Play, access: Access, version: ssl.TLSVersion
) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):
            context = ssl.create_default_context()
            context.minimum_version = context.maximum_version = version

            def talk() -> None:
                with pytest.raises(ssl.SSLCertVerificationError), Peer(relay, context):
                    pass

            await asyncio.to_thread(talk)
            await until(lambda: of(Closed, events))
            assert [event.text for event in failures(events)] == ["tlsv1 alert unknown ca"]
            assert broker.got == b""

    play(story)


@pytest.mark.parametrize("garbage", [b"\x00" * 100, b"\x17\x03\x03\x40\x00" + b"x" * 0x4000, b"GET / HTTP/1.1\r\n\r\n"])
def test_garbage_ends_in_one_event_and_leaves_nothing_open(play: Play, access: Access, garbage: bytes) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, _, events):
            reader, writer = await connect(relay)
            writer.write(garbage)
            with contextlib.suppress(ConnectionResetError):
                await reader.read()
            writer.close()
            await until(lambda: of(Closed, events))
            assert len(failures(events)) == 1

    play(story)


def hello(context: ssl.SSLContext) -> bytes:
    """Return a client's first bytes."""
    outgoing = ssl.MemoryBIO()
    with contextlib.suppress(ssl.SSLWantReadError):
        context.wrap_bio(ssl.MemoryBIO(), outgoing, server_hostname="127.0.0.1").do_handshake()
    return outgoing.read()


@pytest.mark.parametrize("kept", [1, 5, 6, 100, -1])
def test_a_truncated_handshake_ends_in_one_event(play: Play, access: Access, kept: int) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):
            reader, writer = await connect(relay)
            writer.write(hello(trusting(access))[:kept])
            writer.write_eof()
            with contextlib.suppress(ConnectionResetError):
                await reader.read()
            writer.close()
            await until(lambda: of(Closed, events))
            assert len(failures(events)) == 1
            assert broker.got == b""

    play(story)


@pytest.mark.parametrize(
    "wrong", [b"\x17\x03\x03\x00\x10" + b"x" * 16, b"\x15\x03\x03\x00\x02\x02\x50", b"GET /\r\n\r\n"]
)
def test_wrong_records_after_the_handshake_close_the_connection(play: Play, access: Access, wrong: bytes) -> None:
    async def story() -> None:
        async with relayed(access=access) as (relay, broker, events):

            def talk() -> None:
                with Peer(relay, trusting(access)) as peer:
                    raw = socket.socket(fileno=socket.dup(peer.sock.fileno()))
                    raw.sendall(wrong)
                    with contextlib.suppress(OSError):
                        while raw.recv(1 << 16):
                            pass
                    raw.close()

            await asyncio.to_thread(talk)
            await until(lambda: of(Closed, events))
            assert broker.got == b""

    play(story)
