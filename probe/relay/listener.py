"""One broker's address for clients: a loopback port that stays bound while it refuses."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from probe.errors import RelayError
from probe.model.endpoint import LOOPBACK, Endpoint

BACKLOG = 512
BACKLOG_FILLERS = 2
"""Connections that fill a backlog of size 0: Linux accepts one, and drops the SYNs of all others."""


class Hosts(Protocol):
    """Hosts of one relay's listeners."""

    def socket(self) -> socket.socket:
        """Return a new TCP socket of the network in which they lie. Raises RelayError."""

    def name(self, broker: int) -> str:
        """Return the host of a broker that clients are given: its name, or the address."""

    def settle(self, broker: int, *, beside: bool = False) -> str:
        """Return the address at which a broker's next listener lies, to which its name leads from now on.

        `beside`: it leads to the former addresses as well, first.
        """

    def name_anew(self, broker: int) -> None:
        """Give a broker another name, where it has one; the former one leads nowhere any more."""

    def hide(self, broker: int) -> None:
        """Let the name of a broker lead nowhere until it settles again."""


class LoopbackHosts:
    """Brokers by number: all of them at 127.0.0.1, of which no name leads away."""

    def socket(self) -> socket.socket:
        """Return a new TCP socket of this machine."""
        return socket.socket(socket.AF_INET, socket.SOCK_STREAM)

    def name(self, _: int) -> str:
        """Return the address."""
        return LOOPBACK

    def settle(self, _: int, *, beside: bool = False) -> str:  # noqa: ARG002  # as with names
        """Return the address."""
        return LOOPBACK

    def name_anew(self, _: int) -> None:
        """Do nothing: another port is what clients have to learn."""

    def hide(self, broker: int) -> None:
        """Raise RelayError: a number cannot be hidden."""
        raise RelayError(f"broker {broker} has no name that could lead nowhere")


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Place of a listener."""

    address: str
    """The IPv4 address that it is bound to."""
    host: str
    """The host that clients are given: a name that leads there, or the address."""
    socket: Callable[[], socket.socket]
    """Makes TCP sockets of the network that it lies in."""


class Listener:
    """A port of the relay: open, it passes connections to `entered`; closed, the kernel refuses them.

    A second socket with SO_REUSEPORT, bound and never listening, reserves the port meanwhile.
    """

    def __init__(
        self,
        place: Place,
        entered: Callable[[socket.socket], None],
        failed: Callable[[OSError], None] = lambda _: None,
        port: int = 0,
    ) -> None:
        """Take a port, by default any; `failed` receives an error of the system that prevents accepting."""
        self._place, self.entered, self._failed = place, entered, failed
        self._keeper = _bound(place, port)
        self.port: int = self._keeper.getsockname()[1]
        self._listener: socket.socket | None = None
        self._fillers: list[socket.socket] = []

    @property
    def address(self) -> Endpoint:
        """The address that clients connect to."""
        return Endpoint(host=self._place.host, port=self.port)

    def open(self) -> None:
        """Accept from now on. Raises OSError."""
        if self._fillers:
            self.stop_accepting()
        if self._listener is None:
            self._listener = _bound(self._place, self.port)
            self._listener.listen(BACKLOG)
            asyncio.get_running_loop().add_reader(self._listener.fileno(), self._accept)

    def fill_backlog(self) -> None:
        """Ignore connection attempts as a dead host does: by a listener with a full backlog."""
        self.stop_accepting()
        self._listener = _bound(self._place, self.port)
        self._listener.listen(0)
        for _ in range(BACKLOG_FILLERS):
            filler = self._place.socket()
            filler.setblocking(False)
            filler.connect_ex((self._place.address, self.port))
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


def _bound(place: Place, port: int) -> socket.socket:
    sock = place.socket()
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        sock.setblocking(False)
        sock.bind((place.address, port))
    except OSError:
        sock.close()
        raise
    return sock
