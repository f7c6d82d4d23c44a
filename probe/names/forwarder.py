"""The way of drivers inside a private network to the probe outside: their connections are passed on, byte for byte."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from socket import socket

from probe.model.endpoint import Endpoint

PIECE = 1 << 16
"""Bytes that are passed on at once."""


class Forwarder:
    """Passes connections at a listening socket on to `target`; those that come before it is set are closed."""

    def __init__(self) -> None:
        self.target: Endpoint | None = None
        self._open: set[asyncio.Task[None]] = set()

    @contextlib.asynccontextmanager
    async def opened(self, listening: socket) -> AsyncIterator[None]:
        """Pass connections on inside the block."""
        listening.setblocking(False)
        server = await asyncio.start_server(self._enter, sock=listening)
        try:
            yield
        finally:
            server.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    async def _enter(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None  # streams run this in a task
        self._open.add(task)
        try:
            with contextlib.suppress(OSError):
                if self.target is not None:
                    await _join(reader, writer, self.target)
        finally:
            writer.close()
            self._open.discard(task)


async def _join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, target: Endpoint) -> None:
    """Pass both directions on until both have ended. Raises OSError."""
    further, back = await asyncio.open_connection(target.host, target.port)
    try:
        await asyncio.gather(_copy(reader, back), _copy(further, writer))
    finally:
        back.close()


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    while piece := await reader.read(PIECE):
        writer.write(piece)
        await writer.drain()
    if writer.can_write_eof():
        writer.write_eof()
