"""A minimal orchestrator for tests of drivers: it serves driver.proto, starts one driver and keeps its messages."""

from __future__ import annotations

import asyncio
import contextlib
import os
import secrets
import signal
import time
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import grpc

from probe.driver_contract import driver_pb2 as pb
from probe.driver_contract import driver_pb2_grpc
from probe.drivers.launch import Launch
from tests.support.deadlines import LONGEST_S

ENDINGS = {pb.CLOSED, pb.FATAL, pb.UNSUPPORTED}


@dataclass
class Driver(driver_pb2_grpc.OrchestratorServicer):
    """A driver process and its stream."""

    token: str = field(default_factory=lambda: secrets.token_hex(8))
    hello: pb.Hello | None = None
    events: list[pb.Event] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)
    pongs: dict[int, pb.Pong] = field(default_factory=dict)
    process: asyncio.subprocess.Process | None = None

    def __post_init__(self) -> None:
        self._orders: asyncio.Queue[pb.ToDriver | None] = asyncio.Queue()
        self._changed = asyncio.Condition()

    async def Attach(  # noqa: N802  # the name of the RPC
        self, request_iterator: AsyncIterator[pb.FromDriver], _: object
    ) -> AsyncIterator[pb.ToDriver]:
        """Serve the stream until the driver or the test ends it."""
        reader = asyncio.create_task(self._read(request_iterator))
        while (order := await self._orders.get()) is not None:
            yield order
        reader.cancel()

    def hang_up(self) -> None:
        """End the stream from the orchestrator's side."""
        self._orders.put_nowait(None)

    async def _read(self, messages: AsyncIterator[pb.FromDriver]) -> None:
        async for message in messages:
            kind = message.WhichOneof("message")
            if kind == "hello":
                self.hello = message.hello
            elif kind == "pong":
                self.pongs[message.pong.id] = message.pong
            elif kind == "events":
                self.batches.append(len(message.events.events))
                self.events.extend(message.events.events)
            async with self._changed:
                self._changed.notify_all()

    async def until(self, true: Callable[[], object], seconds: float = LONGEST_S) -> None:
        """Wait until a condition holds. Raises AssertionError with the received events."""
        async with self._changed:
            try:
                await asyncio.wait_for(self._changed.wait_for(lambda: bool(true())), seconds)
            except TimeoutError:
                raise AssertionError(f"not within {seconds} s; seen: {self.summary()}") from None

    def start(self, **fields: Any) -> None:
        """Request the start of an instance."""
        self._orders.put_nowait(pb.ToDriver(start=pb.Start(**fields)))

    def pace(self, instance: str, interval_ms: int) -> None:
        """Request another interval."""
        self._orders.put_nowait(pb.ToDriver(pace=pb.Pace(instance=instance, interval_ms=interval_ms)))

    def handle(self, instance: str, handler_ms: int) -> None:
        """Request that the application of an instance handles the next record for some time."""
        self._orders.put_nowait(pb.ToDriver(handle=pb.Handle(instance=instance, handler_ms=handler_ms)))

    async def stop(self, instance: str, deadline_ms: int) -> float:
        """Request the end of an instance and wait for it; return the time in seconds."""
        begun = time.monotonic()
        self._orders.put_nowait(pb.ToDriver(stop=pb.Stop(instance=instance, deadline_ms=deadline_ms)))
        await self.until(lambda: self.of(instance, *ENDINGS))
        return time.monotonic() - begun

    async def ping(self, ping_id: int) -> float:
        """Send a ping; return the round-trip time in seconds."""
        begun = time.monotonic()
        self._orders.put_nowait(pb.ToDriver(ping=pb.Ping(id=ping_id)))
        await self.until(lambda: ping_id in self.pongs)
        return time.monotonic() - begun

    def of(self, instance: str, *kinds: int) -> list[pb.Event]:
        """Return an instance's events of these kinds, in order; without kinds, all of them."""
        return [event for event in self.events if event.instance == instance and (not kinds or event.kind in kinds)]

    def summary(self) -> str:
        """Return a short text about the received events."""
        counts: dict[str, int] = {}
        for event in self.events:
            name = f"{event.instance}/{pb.Kind.Name(event.kind)}"
            counts[name] = counts.get(name, 0) + 1
        texts = [event.text or str(event.error) for event in self.events if event.text or event.HasField("error")]
        return f"{self.hello}\n{counts}\n" + "\n".join(texts[-10:])


@contextlib.asynccontextmanager
async def driving(launch: Launch, *extra: str) -> AsyncIterator[Driver]:
    """Start a driver and wait for its hello; kill the process group at exit."""
    driver = Driver()
    server = grpc.aio.server()
    driver_pb2_grpc.add_OrchestratorServicer_to_server(driver, server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    arguments = (*launch.argv, *extra, "--connect", f"127.0.0.1:{port}", "--token", driver.token)
    driver.process = await asyncio.create_subprocess_exec(
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
        env={**os.environ, **launch.env},
        start_new_session=True,
    )
    try:
        await driver.until(lambda: driver.hello is not None)
        yield driver
    finally:
        driver.hang_up()
        await server.stop(0.2)
        await kill(driver.process)


async def kill(process: asyncio.subprocess.Process) -> None:
    """Kill a process group, if it still exists."""
    if process.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def offsets(events: Iterable[pb.Event], partition: int) -> list[int]:
    """Return the offsets of events of one partition, in order."""
    return [event.offset for event in events if event.partition == partition]
