"""One end of a link: a socket's callbacks, and what may be done to it."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Protocol, cast

BUFFER = 256 << 10
"""So many bytes may wait for one side before the other is no longer read."""
LINGER_NONE = struct.pack("ii", 1, 0)
"""SO_LINGER with no time: closing sends a reset."""


class LinkCallbacks(Protocol):
    """What an end tells of."""

    def made(self, side: SocketEnd) -> None:
        """Learn that a side is connected."""

    def from_client(self, data: bytes) -> None:
        """Take bytes of the client."""

    def from_broker(self, data: bytes) -> None:
        """Take bytes of the broker."""

    def finished(self, side: SocketEnd) -> None:
        """Learn that a side will send no more."""

    def lost(self, side: SocketEnd, *, reset: bool) -> None:
        """Learn that a side is gone."""

    def regulate(self) -> None:
        """Learn that a side takes bytes again, or no longer."""


class SocketEnd(asyncio.Protocol):
    """One end; what comes in goes to the link."""

    def __init__(self, link: LinkCallbacks, name: str) -> None:
        self.link, self.name = link, name
        self.transport: asyncio.Transport | None = None
        self.eof = False
        self.lost = False
        self.blocked = False
        """Its peer reads too slowly."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin."""
        self.transport = cast("asyncio.Transport", transport)  # uvloop's own class is registered nowhere
        self.transport.set_write_buffer_limits(high=BUFFER)
        self.link.made(self)

    def data_received(self, data: bytes) -> None:
        """Pass bytes to the link."""
        if self.name == "client":
            self.link.from_client(data)
        else:
            self.link.from_broker(data)

    def eof_received(self) -> bool:
        """Tell the link; the other direction stays open."""
        self.eof = True
        self.link.finished(self)
        return True

    def connection_lost(self, exc: Exception | None) -> None:
        """End."""
        self.lost = True
        self.link.lost(self, reset=exc is not None)

    def pause_writing(self) -> None:
        """Read no more from the other side."""
        self.blocked = True
        self.link.regulate()

    def resume_writing(self) -> None:
        """Read from the other side again."""
        self.blocked = False
        self.link.regulate()

    def read(self, wanted: bool) -> None:
        """Read from this side, or stop doing so."""
        transport = self.transport
        if transport is None or self.eof or transport.is_closing() or transport.is_reading() == wanted:
            return
        if wanted:
            transport.resume_reading()
        else:
            transport.pause_reading()

    def write(self, data: bytes) -> None:
        """Send."""
        if self.transport is not None and not self.transport.is_closing():
            self.transport.write(data)

    def end(self) -> None:
        """Send the end of the stream after what was written; close at once if the peer has ended too."""
        if self.transport is None or self.transport.is_closing():
            return
        if self.eof:
            self.transport.close()
        elif self.transport.can_write_eof():
            self.transport.write_eof()

    def close(self) -> None:
        """Send what was written, then close."""
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
