"""The host of drivers: it starts their processes, speaks driver.proto, and converts their events."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import grpc

from probe.driver_contract import driver_pb2 as pb
from probe.driver_contract import driver_pb2_grpc as rpc
from probe.drivers.given_up import GivenUp, Stalled, unmeasured
from probe.drivers.launch import Launch
from probe.drivers.process import DriverProcess, RunningInstance
from probe.errors import DriverError, FalseReportError, SilentDriverError
from probe.model import Cell, Client
from probe.model.clock import now_us
from probe.model.endpoint import LOOPBACK, Endpoint
from probe.ports import Sink, Start
from probe.processes.resources import translated
from probe.processes.temporary_folders import temporary_folder

HELLO_S = 60.0
"""Longest time from a driver's start to its Hello; JVMs on a busy machine are slow."""

STOP_GRACE_S = 1.0
OPTIONS = (("grpc.http2.bdp_probe", 0), ("grpc.http2.ping_timeout_ms", 3_600_000))
"""gRPC measures bandwidth by pings of its own, and drops a peer that does not answer one within a minute. A driver
whose process is stopped cannot."""


@dataclass(frozen=True, slots=True)
class Bound:
    """The start of one client version."""

    launch: Launch
    instances: int
    """Most instances per process."""


class Surroundings(Protocol):
    """The network in which drivers run."""

    def entered(self, argv: Sequence[str]) -> Sequence[str]:
        """Return the command that starts a driver there."""

    def reached(self, own: Endpoint) -> Endpoint:
        """Return the address at which drivers there reach `own`, an address of this process."""


class ThisMachine:
    """The network of this process."""

    def entered(self, argv: Sequence[str]) -> Sequence[str]:
        """Return the command as it is."""
        return argv

    def reached(self, own: Endpoint) -> Endpoint:
        """Return the address as it is."""
        return own


class Host(rpc.OrchestratorServicer):
    """The gRPC server that drivers connect to, and the driver processes."""

    def __init__(
        self,
        clients: Mapping[Client, Bound],
        surroundings: Surroundings | None = None,
        *,
        stalled: Stalled = unmeasured,
    ) -> None:
        """`surroundings`: where drivers run; None = in the network of this process."""
        self._clients = dict(clients)
        self._surroundings = ThisMachine() if surroundings is None else surroundings
        self._server = grpc.aio.server(options=OPTIONS)
        self._address = ""
        self._awaited: dict[str, DriverProcess] = {}
        self._pools: dict[Client, list[DriverProcess]] = {}
        self._locks: dict[Client, asyncio.Lock] = {}
        self._given_up = GivenUp(stalled)
        self._held: list[contextlib.AsyncExitStack] = []
        """Every process that was started."""

    async def __aenter__(self) -> Self:
        rpc.add_OrchestratorServicer_to_server(self, self._server)
        port = self._server.add_insecure_port(f"{LOOPBACK}:0")
        self._address = str(self._surroundings.reached(Endpoint(host=LOOPBACK, port=port)))
        await self._server.start()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in [item for pool in self._pools.values() for item in pool]:
            process.retire()
        # in parallel: each may take a moment to end, and an interrupted run has dozens of them
        ended = await asyncio.gather(*(held.aclose() for held in self._held), return_exceptions=True)
        await self._server.stop(0)
        for problem in filter(None, ended):
            raise problem

    async def Attach(  # type: ignore[override]  # noqa: N802  # the service's name; aio accepts coroutines that write
        self,
        request_iterator: AsyncIterator[pb.FromDriver],
        context: grpc.aio.ServicerContext[pb.FromDriver, pb.ToDriver],
    ) -> None:
        """Serve one driver until its stream ends."""
        first = await anext(request_iterator, None)
        token = first.hello.token if first is not None and first.WhichOneof("message") == "hello" else ""
        process = self._awaited.pop(token, None)
        if first is None or process is None:
            await context.abort(
                grpc.StatusCode.UNAUTHENTICATED, "say Hello first, with the token you were started with"
            )
            return
        await process.serve(first.hello, request_iterator, context.write)

    @contextlib.asynccontextmanager
    async def start(
        self, cell: Cell, start: Start, sink: Sink, *, alone: bool = False
    ) -> AsyncIterator[RunningInstance]:
        """Start one instance in a shared process, or in one of its own; it is stopped at exit.

        Raises DriverError if the driver process cannot be started or does not send Hello in time, and at once if that,
        or a false or silent instance of the cell's control, is certain to repeat itself.
        """
        since = now_us()
        self._given_up.check(cell)
        process = await self._process(cell.client, alone=alone)
        instance = process.start(start, sink)
        try:
            yield instance
        except (FalseReportError, SilentDriverError) as error:
            self._given_up.note(cell, error, since)
            raise
        finally:
            if not instance.ended.is_set():
                await asyncio.shield(instance.stop(int(STOP_GRACE_S * 1000)))
            process.release(instance)

    def finish(self, client: Client) -> None:
        """End the processes of a client version that is no longer needed, each when its last instance ends."""
        for process in self._pools.get(client, ()):
            process.finish()

    async def _process(self, client: Client, *, alone: bool) -> DriverProcess:
        """Return an attached process with capacity left, and reserve an instance in it."""
        bound, asked = self._clients[client], now_us()
        async with self._locks.setdefault(client, asyncio.Lock()):
            self._given_up.check_client(client, asked)
            pool = self._pools.setdefault(client, [])
            pool[:] = [item for item in pool if not item.gone]
            found = None if alone else next((item for item in pool if item.room()), None)
            if found is None:
                since = now_us()
                try:
                    found = await self._launch(client, bound, alone=alone)
                except SilentDriverError as error:
                    self._given_up.note_silence(client, error, since)
                    raise
                pool.append(found)
            found.reserve()
        return found

    async def _launch(self, client: Client, bound: Bound, *, alone: bool) -> DriverProcess:
        token = secrets.token_hex(16)
        process = DriverProcess(client, 1 if alone else bound.instances)
        self._awaited[token] = process
        held = contextlib.AsyncExitStack()
        self._held.append(held)
        try:
            with translated(DriverError):
                own = await _own_folder(held, bound.launch)
                argv = self._surroundings.entered((*own, "--connect", self._address, "--token", token))
                await held.enter_async_context(process.run(argv, bound.launch.env))
                await process.attached(HELLO_S)
        finally:
            self._awaited.pop(token, None)
        return process


async def _own_folder(held: contextlib.AsyncExitStack, launch: Launch) -> tuple[str, ...]:
    """Return the command with a folder for its temporary files, which stay when such a process is killed."""
    if not launch.folder_option:
        return launch.argv
    program, *options = launch.argv
    folder = await held.enter_async_context(temporary_folder())
    return program, f"{launch.folder_option}{folder}", *options
