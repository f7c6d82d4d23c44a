"""The control connection of a fake cluster: calls of the service in proto/cluster.proto, in frames on one socket.

A frame is its content's size, the number of the call (both 32 bits, big-endian), one byte, and the content. In a call
the byte is the method's place in the service and the content its argument; in a reply the byte is a `State`.

gRPC would take several threads and some milliseconds of CPU per trial, see docs/performance.md.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from enum import IntEnum
from functools import partial
from struct import Struct
from typing import TYPE_CHECKING, cast

from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from probe.engines.embedded.rpc import cluster_pb2 as pb
from probe.model.endpoint import Endpoint

if TYPE_CHECKING:
    from probe.engines.embedded.rpc.cluster_pb2_grpc import FakeClusterAsyncStub

_HEAD = Struct(">IIB")
_SERVICE = pb.DESCRIPTOR.services_by_name["FakeCluster"]


class State(IntEnum):
    """The content of a reply."""

    ANSWERED = 0
    FAILED = 1
    """The content is the reason in words."""
    EVENT = 2
    """One of any number of messages of a stream."""


class ControlError(Exception):
    """A call failed, or the connection ended. The text is the reason."""


class ControlConnection(asyncio.Protocol):
    """Sends calls and collects replies. All waiting calls fail when the connection ends."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._received = bytearray()
        self._calls = 0
        self._waiting: dict[int, asyncio.Future[bytes]] = {}
        self._streams: dict[int, asyncio.Queue[bytes | None]] = {}
        self._ended = ""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.Transport", transport)  # uvloop's own class is registered nowhere

    def data_received(self, data: bytes) -> None:
        """Take the replies that are complete."""
        received = self._received
        received += data
        at = 0
        while len(received) - at >= _HEAD.size:
            size, call, state = _HEAD.unpack_from(received, at)
            begin = at + _HEAD.size
            if len(received) < begin + size:
                break
            at = begin + size
            self._take(call, state, bytes(received[begin:at]))
        del received[:at]

    def connection_lost(self, exc: Exception | None) -> None:
        """Fail the waiting calls, and end the streams."""
        self._ended = str(exc or "the control connection is closed")
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ControlError(self._ended))
        for stream in self._streams.values():
            stream.put_nowait(None)

    def _take(self, call: int, state: int, content: bytes) -> None:
        if (stream := self._streams.get(call)) is not None:
            stream.put_nowait(content if state == State.EVENT else None)
        elif (waiting := self._waiting.get(call)) is not None and not waiting.done():
            if state == State.ANSWERED:
                waiting.set_result(content)
            else:
                waiting.set_exception(ControlError(content.decode("utf-8", "replace")))

    def _send(self, method: int, message: Message) -> int:
        """Send a call and return its number. Raises ControlError if the connection has ended."""
        if self._ended or self._transport is None:
            raise ControlError(self._ended or "there is no control connection")
        self._calls += 1
        content = message.SerializeToString()
        self._transport.write(_HEAD.pack(len(content), self._calls, method) + content)
        return self._calls

    async def call(
        self,
        method: int,
        read: Callable[[bytes], Message],
        message: Message,
        *,
        timeout: float | None = None,  # noqa: ASYNC109  # gRPC's own parameter, so that the generated types hold
    ) -> Message:
        """Call a method and return its reply. Raises ControlError, also without a reply in `timeout` seconds."""
        number = self._send(method, message)
        waiting = self._waiting[number] = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(timeout):
                return read(await waiting)
        except TimeoutError:
            raise ControlError(f"no reply within {timeout:.0f} s") from None
        finally:
            del self._waiting[number]

    async def stream(self, method: int, read: Callable[[bytes], Message], message: Message) -> AsyncIterator[Message]:
        """Call a method and yield its messages, until the connection ends. Raises ControlError."""
        number = self._send(method, message)
        arrived = self._streams[number] = asyncio.Queue()
        try:
            while (content := await arrived.get()) is not None:
                yield read(content)
        finally:
            del self._streams[number]

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()


class _Stub:
    """Has a method for each of the service, as the class has that gRPC generates."""

    def __init__(self, connection: ControlConnection) -> None:
        for number, method in enumerate(_SERVICE.methods):
            ask: Callable[..., Awaitable[Message] | AsyncIterator[Message]] = (
                connection.stream if method.server_streaming else connection.call
            )
            setattr(self, method.name, partial(ask, number, GetMessageClass(method.output_type).FromString))


@contextlib.asynccontextmanager
async def connected(address: Endpoint) -> AsyncIterator[FakeClusterAsyncStub]:
    """Connect to the control port of a fake cluster; its methods raise ControlError. Raises OSError."""
    loop = asyncio.get_running_loop()
    _, connection = await loop.create_connection(ControlConnection, address.host, address.port)
    try:
        yield cast("FakeClusterAsyncStub", _Stub(connection))
    finally:
        connection.close()
