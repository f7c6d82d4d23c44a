"""The control connection of a fake cluster: replies, failures, and the end of the connection."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from struct import pack

import pytest

from probe.engines.embedded.control import ControlError, State, connected
from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model.endpoint import Endpoint
from tests.support.deadlines import LONGEST_S


async def _ask(state: State, content: bytes, *, at_a_time: int = 1000) -> pb.Done:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readexactly(9)
        await reader.readexactly(int.from_bytes(head[:4], "big"))
        frame = pack(">I", len(content)) + head[4:8] + bytes([state]) + content
        for first in range(0, len(frame), at_a_time):
            writer.write(frame[first : first + at_a_time])
            await writer.drain()
            await asyncio.sleep(0)
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        port = server.sockets[0].getsockname()[1]
        async with connected(Endpoint(host="127.0.0.1", port=port)) as stub:
            return await stub.Heal(pb.Done(), timeout=LONGEST_S)


def test_a_reply_that_arrives_in_pieces_is_read() -> None:
    assert asyncio.run(_ask(State.ANSWERED, pb.Done(at_us=7).SerializeToString(), at_a_time=3)).at_us == 7


def test_a_failure_has_its_reason() -> None:
    with pytest.raises(ControlError, match="no such topic"):
        asyncio.run(_ask(State.FAILED, b"no such topic"))


def test_the_end_of_the_connection_fails_a_waiting_call() -> None:
    async def play() -> None:
        server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            async with connected(Endpoint(host="127.0.0.1", port=port)) as stub:
                await stub.Heal(pb.Done(), timeout=LONGEST_S)

    with pytest.raises(ControlError, match=r"closed|reset"):
        asyncio.run(play())


def test_arrow_loads_no_pandas_for_the_store() -> None:
    code = (
        "import sys; from probe.store.pandas_use import without_pandas; without_pandas(); import pyarrow as pa; "
        "pa.array([1]); sys.exit('pandas' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
