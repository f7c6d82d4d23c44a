"""The stream to the orchestrator: dial, say hello, obey."""

from __future__ import annotations

import asyncio
import platform

import grpc
import uvloop

from driving.instances import Instances
from driving.library import Library
from driving.outbox import Outbox
from driving.reports import clock_us
from probe.driver_contract import driver_pb2 as pb
from probe.driver_contract import driver_pb2_grpc

DIAL_S = 20
"""Seconds to reach the orchestrator in, on a machine that starts many drivers at once."""
OPTIONS = (("grpc.enable_http_proxy", 0), ("grpc.max_receive_message_length", 1 << 20))
"""The orchestrator is on loopback: no proxy of the environment applies."""


def attach(library: Library, address: str, token: str) -> str:
    """Serve one stream to its end; return what went wrong in one line, or nothing."""
    return uvloop.run(_attach(library, address, token))


async def _attach(library: Library, address: str, token: str) -> str:
    """Serve it on a loop, which sleeps while nothing comes: gRPC's threads would look for news 15 times a second."""
    outbox = Outbox(_hello(library, token))
    instances = Instances(library, outbox)
    async with grpc.aio.insecure_channel(address, options=OPTIONS) as channel:
        try:
            async with asyncio.timeout(DIAL_S):
                await channel.channel_ready()
        except TimeoutError:
            return f"no orchestrator answers at {address} within {DIAL_S} s"
        call = driver_pb2_grpc.OrchestratorStub(channel).Attach()
        telling = asyncio.create_task(outbox.drain(call.write))
        telling.add_done_callback(lambda _: call.cancel())  # only a failure ends it before the stream
        try:
            async for order in call:
                _obey(order, instances, outbox)
        except grpc.RpcError as error:
            return f"the orchestrator at {address} ended the stream: {error.code().name} {error.details()}"
        finally:
            telling.cancel()
    return ""


def _obey(order: pb.ToDriver, instances: Instances, outbox: Outbox) -> None:
    kind = order.WhichOneof("message")
    if kind == "ping":
        outbox.pong(order.ping.id, clock_us())
    elif kind == "start":
        instances.start(order.start)
    elif kind == "stop":
        instances.stop(order.stop)
    elif kind == "pace":
        instances.pace(order.pace)


def _hello(library: Library, token: str) -> pb.Hello:
    return pb.Hello(
        token=token,
        family=library.family,
        version=library.version,
        runtime=f"python {platform.python_version()}",
        roles=list(library.roles),
        profiles=list(library.profiles),
    )
