"""One broker's address for clients: a loopback port that stays bound while it refuses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable

from probe.model.endpoint import LOOPBACK, Endpoint

BACKLOG = 512
BACKLOG_FILLERS = 2
"""Connections that fill a backlog of size 0: Linux accepts one, and drops the SYNs of all others."""


class Listener:
    """A port of the relay: open, it passes connections to `entered`; closed, the kernel refuses them.

    A second socket with SO_REUSEPORT, bound and never listening, reserves the port meanwhile.
    """

    def __init__(
        self, entered: Callable[[socket.socket], None], failed: Callable[[OSError], None] = lambda _: None
    ) -> None:
        """Take a port; `failed` receives an error of the system that prevents accepting."""
        self.entered, self._failed = entered, failed
        self._keeper = _bound(0)
        self.port: int = self._keeper.getsockname()[1]
        self._listener: socket.socket | None = None
        self._fillers: list[socket.socket] = []

    @property
    def address(self) -> Endpoint:
        """The address that clients connect to."""
        return Endpoint(host=LOOPBACK, port=self.port)

    def open(self) -> None:
        """Accept from now on. Raises OSError."""
        if self._fillers:
            self.stop_accepting()
        if self._listener is None:
            self._listener = _bound(self.port)
            self._listener.listen(BACKLOG)
            asyncio.get_running_loop().add_reader(self._listener.fileno(), self._accept)

    def fill_backlog(self) -> None:
        """Ignore connection attempts as a dead host does: by a listener with a full backlog."""
        self.stop_accepting()
        self._listener = _bound(self.port)
        self._listener.listen(0)
        for _ in range(BACKLOG_FILLERS):
            filler = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
            filler.setblocking(False)
            filler.connect_ex((LOOPBACK, self.port))
            self._fillers.append(filler)

    @property
    def fillers(self) -> tuple[int, ...]:
        """Local ports of our own connections that fill the backlog."""
        return tuple(filler.getsockname()[1] for filler in self._fillers)

    def stop_accepting(self) -> None:
        """Refuse from now on; connections in the backlog are reset."""
        if self._listener is not None:
            asyncio.get_running_loop().remove_reader(self._listener.fileno())
            self._listener.close()
            self._listener = None
        for filler in self._fillers:
            filler.close()
        self._fillers.clear()

    def close(self) -> None:
        """Release the port."""
        self.stop_accepting()
        self._keeper.close()

    def _accept(self) -> None:
        try:
            while self._listener is not None:
                peer, _ = self._listener.accept()
                peer.setblocking(False)
                self.entered(peer)
        except (BlockingIOError, ConnectionAbortedError, InterruptedError):
            return
        except OSError as error:  # no descriptor or memory: without stopping, the loop would retry for ever
            self.stop_accepting()
            self._failed(error)


def _bound(port: int) -> socket.socket:
    sock = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.setblocking(False)
        sock.bind((LOOPBACK, port))
    except OSError:
        sock.close()
        raise
    return sock
