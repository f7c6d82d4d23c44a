"""One end of a link: a socket's callbacks and operations."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Protocol, cast

BUFFER = 256 << 10
"""Bytes that may wait for one side before reading from the other pauses."""
LINGER_NONE = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing sends a reset."""


class LinkCallbacks(Protocol):
    """Calls of a socket end to its link."""

    def made(self, side: SocketEnd) -> None:
        """Handle a side that has connected."""

    def from_client(self, data: bytes) -> None:
        """Take bytes of the client."""

    def from_broker(self, data: bytes) -> None:
        """Take bytes of the broker."""

    def finished(self, side: SocketEnd) -> None:
        """Handle the end of a side's stream."""

    def lost(self, side: SocketEnd, *, reset: bool) -> None:
        """Handle the loss of a side."""

    def regulate(self) -> None:
        """Handle a side that accepts bytes again, or no longer."""


class SocketEnd(asyncio.Protocol):
    """One of the two sockets of a link."""

    def __init__(self, link: LinkCallbacks, name: str) -> None:
        self.link, self.name = link, name
        self._pass = link.from_client if name == "client" else link.from_broker
        self.transport: asyncio.Transport | None = None
        self.eof = False
        self.lost = False
        self.blocked = False
        """Whether the peer reads too slowly."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Report the connection to the link."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's own class is registered nowhere
        self.transport.set_write_buffer_limits(high=BUFFER)
        self.link.made(self)

    def data_received(self, data: bytes) -> None:
        """Pass bytes to the link."""
        self._pass(data)

    def eof_received(self) -> bool:
        """Report the end of the stream to the link; the other direction stays open."""
        self.eof = True
        self.link.finished(self)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """Report the loss to the link."""
        self.lost = True
        self.link.lost(self, reset=exc is not None)

    def pause_writing(self) -> None:
        """Pause reading from the other side."""
        self.blocked = True
        self.link.regulate()

    def resume_writing(self) -> None:
        """Read from the other side again."""
        self.blocked = False
        self.link.regulate()

    def read(self, wanted: bool) -> None:
        """Start or pause reading from this side."""
        transport = self.transport
        if transport is None or self.eof or transport.is_closing() or transport.is_reading() == wanted:
            return
        if wanted:
            transport.resume_reading()
        else:
            transport.pause_reading()

    def write(self, data: bytes) -> None:
        """Send bytes."""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def end(self) -> None:
        """End the stream after all written bytes; close at once if the peer has ended its stream, too."""
        if self.transport is None or self.transport.is_closing():
            return
        if self.eof:
            self.transport.close()
        elif self.transport.can_write_eof():
            self.transport.write_eof()

    def close(self) -> None:
        """Send all written bytes, then close."""
        if self.transport is not None:
            self.transport.close()

    def reset(self) -> None:
        """Close at once; the peer gets a reset."""
        if self.transport is None or self.lost:
            return
        sock = self.transport.get_extra_info("socket")
        if sock is not None and sock.fileno() >= 0:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NONE)
        self.transport.abort()
