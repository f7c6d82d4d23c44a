"""The stream to the orchestrator: connect, send Hello, handle its messages."""

from __future__ import annotations

import asyncio
import platform

import grpc
import uvloop

from driver_runtime.instances import Instances
from driver_runtime.library import Library
from driver_runtime.outbox import Outbox
from driver_runtime.reports import clock_us
from probe.driver_contract import driver_pb2 as pb
from probe.driver_contract import driver_pb2_grpc

CONNECT_S = 20
"""Seconds for the connection, on a machine that starts many drivers at once."""
OPTIONS = (
    ("grpc.enable_http_proxy", 0),
    ("grpc.max_receive_message_length", 1 << 20),
    ("grpc.http2.bdp_probe", 0),
    ("grpc.http2.ping_timeout_ms", 3_600_000),
)
"""The orchestrator is on loopback: proxies of the environment do not apply. A process that was stopped for minutes must
not take a ping of gRPC's own for unanswered."""


def attach(library: Library, address: str, token: str) -> str:
    """Serve one stream to its end; return what failed in one line, empty if nothing did."""
    return uvloop.run(_attach(library, address, token))


async def _attach(library: Library, address: str, token: str) -> str:
    """Serve it on an event loop, which sleeps without traffic: gRPC's threads would poll 15 times per second."""
    outbox = Outbox(_hello(library, token))
    instances = Instances(library, outbox)
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        try:
            async with asyncio.timeout(CONNECT_S):
                await channel.channel_ready()
        except TimeoutError:
            return f"no orchestrator answers at {address} within {CONNECT_S} s"
        call = driver_pb2_grpc.OrchestratorStub(channel).Attach()  # type: ignore[call-arg]  # grpc-stubs lack the form without an iterator
        sending = asyncio.create_task(outbox.drain(call.write))
        sending.add_done_callback(lambda _: call.cancel())  # before the end of the stream only a failure ends it
        try:
            async for message in call:
                _handle(message, instances, outbox)
        except grpc.RpcError as error:
            return f"the orchestrator at {address} ended the stream: {error.code().name} {error.details()}"
        finally:
            sending.cancel()
    return ""


def _handle(message: pb.ToDriver, instances: Instances, outbox: Outbox) -> None:
    kind = message.WhichOneof("message")
    if kind == "ping":
        outbox.pong(message.ping.id, clock_us())
    elif kind == "start":
        instances.start(message.start)
    elif kind == "stop":
        instances.stop(message.stop)
    elif kind == "pace":
        instances.pace(message.pace)
    elif kind == "handle":
        instances.handle(message.handle)


def _hello(library: Library, token: str) -> pb.Hello:
    return pb.Hello(
        token=token,
        family=library.family,
        version=library.version,
        runtime=f"python {platform.python_version()}",
        roles=list(library.roles),
        profiles=list(library.profiles),
    )
