"""Both sides of a relay in tests: a scripted broker, and a client with a plain socket."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
import struct
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
import uvloop

from probe.access import Access, secure_relay
from probe.model import Event
from probe.model.endpoint import Endpoint
from probe.protocol.apis import METADATA
from probe.relay import Backlog, Relay
from probe.relay.listener import Hosts
from tests.support.deadlines import LONGEST_S
from tests.support.protocol_wire import plain, request, response, schemas

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}
NEVER_MS = 10_000_000
"""Longer than any test runs."""


def run(loop: str, story: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a coroutine on an event loop of this kind, with a deadline; no task may be left."""

    async def whole() -> None:
        async with asyncio.timeout(LONGEST_S):
            await story()
        for _ in range(3):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == {asyncio.current_task()}

    with asyncio.Runner(loop_factory=LOOPS[loop], debug=loop == "asyncio") as runner:
        runner.run(whole())


class Broker:
    """A broker that answers Metadata and Heartbeat requests and keeps the received bytes. It can stop answering."""

    def __init__(self) -> None:
        self.port = 0
        self.got = b""
        self.ended: list[str] = []
        """The end of connections for the broker: `eof` or `reset`."""
        self.silent = False
        self.writers: list[asyncio.StreamWriter] = []
        self.parts: Callable[[bytes], list[bytes]] = lambda data: [data]
        """Splits a response into the parts that are sent."""

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        try:
            while True:
                size = await reader.readexactly(4)
                frame = await reader.readexactly(struct.unpack(">i", size)[0])
                self.got += size + frame
                if not self.silent:
                    for part in self.parts(self.answer(frame)):
                        writer.write(part)
                        await asyncio.sleep(0)
        except asyncio.IncompleteReadError as short:
            self.got += short.partial
            self.ended.append("eof")
        except ConnectionError:
            self.ended.append("reset")
        writer.close()

    @staticmethod
    def answer(frame: bytes) -> bytes:
        api, version, corr = struct.unpack(">hhi", frame[:8])
        return response(api, version, plain(api, version, "Response"), corr=corr)


@contextlib.asynccontextmanager
async def relayed(
    *brokers: int, access: Access | None = None, wait_s: float = 0.0, hosts: Hosts | None = None
) -> AsyncIterator[tuple[Relay, Broker, list[Event]]]:
    """Start a relay of which only broker 1 is running; `access` and `hosts` say how clients reach it.

    Bytes that have passed wait `wait_s` to be decoded; without it no client gets an answer before it is reported.
    """
    broker, events = Broker(), list[Event]()
    server = await asyncio.start_server(broker.serve, "127.0.0.1", 0)
    broker.port = server.sockets[0].getsockname()[1]
    try:
        async with Relay(
            brokers=brokers or (1,), sink=events.append, schemas=schemas(), backlog=Backlog(wait_s), hosts=hosts
        ) as relay:
            secure_relay(relay, access)
            relay.forward(1, Endpoint(host="127.0.0.1", port=broker.port))
            yield relay, broker, events
    finally:
        for writer in broker.writers:
            writer.close()
        server.close()
        await asyncio.sleep(0.01)


class Client:
    """A connection of a client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer
        self.corr = 0

    def send(self, api: int = METADATA, version: int = 1, *, client_id: str = "probe-1", **given: Any) -> bytes:
        self.corr += 1
        data = request(api, version, plain(api, version, "Request", **given), corr=self.corr, client_id=client_id)
        self.writer.write(data)
        return data

    async def receive(self) -> bytes:
        size = await self.reader.readexactly(4)
        return size + await self.reader.readexactly(struct.unpack(">i", size)[0])

    async def ask(self, api: int = METADATA, version: int = 1, *, client_id: str = "probe-1") -> bytes:
        self.send(api, version, client_id=client_id)
        return await self.receive()

    async def end(self) -> str:
        """Wait for the end of the connection; return `eof` or `reset`."""
        try:
            while await self.reader.read(65536):
                pass
        except ConnectionResetError:
            return "reset"
        return "eof"

    def reset(self) -> None:
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@contextlib.asynccontextmanager
async def client(relay: Relay, broker: int = 1, *, host: str = "") -> AsyncIterator[Client]:
    """Connect to the relay's address of a broker, or to its port at another host."""
    address = relay.address(broker)
    host, port = host or address.host, address.port
    reader, writer = await asyncio.open_connection(host, port)
    try:
        yield Client(reader, writer)
    finally:
        writer.close()


Story = Callable[[], Coroutine[Any, Any, None]]
Play = Callable[[Story], None]


async def nothing() -> None:
    """Happen."""


def open_files() -> set[str]:
    """Return the open files of this process as `number target`."""
    found = set()
    for file in Path("/proc/self/fd").iterdir() if Path("/proc/self/fd").exists() else ():
        with contextlib.suppress(FileNotFoundError):  # the descriptor of the listing is closed
            found.add(f"{file.name} {file.readlink()}")
    return found


@pytest.fixture(params=sorted(LOOPS))
def play(request: pytest.FixtureRequest) -> Callable[[Story], None]:
    """Run a test on every kind of event loop; it may leave no file open."""

    def begin(story: Story) -> None:
        run(request.param, nothing)  # libuv opens a pipe per process that must not count
        gc.collect()  # files of other tests would otherwise be closed at any time
        before = open_files()
        run(request.param, story)
        assert not open_files() - before

    return begin


def of(kind: type[Any], events: list[Event]) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]


async def until(happened: Callable[[], object], deadline_s: float = LONGEST_S) -> None:
    end = time.monotonic() + deadline_s
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        await asyncio.sleep(0.005)


async def refused(connect: Awaitable[object]) -> bool:
    try:
        await connect
    except ConnectionRefusedError:
        return True
    return False


def connect(relay: Relay, broker: int = 1) -> Awaitable[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    address = relay.address(broker)
    host, port = address.host, address.port
    return asyncio.open_connection(host, port)
