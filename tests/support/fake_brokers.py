"""A fake cluster for tests, with plain forwarders instead of the relay."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from probe.engines.embedded.control import connected
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model.endpoint import Endpoint
from probe.toolchain.golang import fake_cluster
from probe.toolchain.tools import cache_root
from tests.support.deadlines import LONGEST_S

if TYPE_CHECKING:
    from probe.engines.embedded.rpc.cluster_pb2_grpc import FakeClusterAsyncStub

BROKERS = 3


@dataclass
class Brokers:
    """A running fake cluster."""

    bootstrap: list[str]
    stub: FakeClusterAsyncStub

    async def topic(self, name: str, *, feed_ms: int = 0, batch: int = 1) -> None:
        """Create a topic of two partitions; with `feed_ms`, write batches of records at this interval."""
        partitions = [pb.Assignment(leader=leader, replicas=[1, 2, 3]) for leader in (1, 2)]
        await self.stub.CreateTopic(pb.CreateTopicRequest(topic=name, partitions=partitions))
        if feed_ms:
            feed = pb.FeedRequest(topic=name, partitions=[0, 1], interval_ms=feed_ms, batch=batch)
            await self.stub.StartFeed(feed)


@contextlib.asynccontextmanager
async def brokers(line: str = "3.9") -> AsyncIterator[Brokers]:
    """Start a fake cluster; end it at exit."""
    program = await asyncio.to_thread(fake_cluster, cache_root())
    targets: dict[int, str] = {}
    async with contextlib.AsyncExitStack() as stack:
        ports = [await stack.enter_async_context(_forwarder(node, targets)) for node in range(BROKERS)]
        bootstrap = [f"127.0.0.1:{port}" for port in ports]
        process = await asyncio.create_subprocess_exec(
            *(str(program), "--broker", line, "--advertise", ",".join(bootstrap)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        stack.push_async_callback(_end, process)
        assert process.stdout is not None
        ready = json.loads(await asyncio.wait_for(process.stdout.readline(), LONGEST_S))
        targets.update(enumerate(ready["brokers"]))
        stub = await stack.enter_async_context(connected(Endpoint.parse(ready["control"])))
        yield Brokers(bootstrap, stub)


@contextlib.asynccontextmanager
async def _forwarder(node: int, targets: dict[int, str]) -> AsyncIterator[int]:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host, port = targets[node].rsplit(":", 1)
        back_reader, back_writer = await asyncio.open_connection(host, int(port))
        await asyncio.gather(_pump(reader, back_writer), _pump(back_reader, writer))

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1]
    server.close()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(OSError):
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    writer.close()


async def _end(process: asyncio.subprocess.Process) -> None:
    process.kill()
    await process.wait()
