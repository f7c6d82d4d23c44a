"""A private network of a run: namespaces of their own, apart from the machine's, in which clients find brokers by name.

Nothing of the machine changes. The probe itself, its results and the brokers stay outside: it gets sockets from inside,
on which the relay listens, and drivers are started inside.
"""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from probe.errors import RelayError
from probe.names.namespace import FIRST, MORE
from probe.processes.children import Child, child

SPACES = ("unshare", "--user", "--map-root-user", "--net", "--mount", "--")
PROGRAMS = ("unshare", "nsenter", "mount")
"""Programs of util-linux that it needs."""
START_S = 20.0
CHECK_S = 10.0
STOCK = 32
"""Sockets that are asked for at once."""


def missing_network() -> str:
    """Return why this machine allows no private network; empty if it allows one."""
    if absent := next((name for name in PROGRAMS if shutil.which(name) is None), ""):
        return f"a private network needs the program {absent} (util-linux)"
    try:
        trial = [*SPACES, "mount", "--bind", "/etc", "/etc"]
        tried = subprocess.run(trial, capture_output=True, timeout=CHECK_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"a private network cannot be tried: {error}"
    said = tried.stderr.decode(errors="replace").strip().splitlines()
    words = said[-1] if said else f"exit code {tried.returncode}"
    return f"this machine allows no user namespace with mounts ({words})" if tried.returncode else ""


@dataclass(kw_only=True)
class PrivateNetwork:
    """A network with a loopback of its own."""

    pid: int
    """Its process, whose namespaces others enter."""
    names: socket.socket
    """Datagram socket on port 53."""
    drivers: socket.socket
    """Listening socket, at a loopback address."""
    _asking: socket.socket
    _stock: list[socket.socket] = field(default_factory=list)

    def socket(self) -> socket.socket:
        """Return a new TCP socket of this network. Raises RelayError if it is gone."""
        if not self._stock:
            try:
                self._asking.sendall(bytes([STOCK]))
                self._stock += _received(self._asking, MORE, STOCK)
            except OSError as error:
                raise RelayError(f"the private network gives no sockets: {error}") from None
        return self._stock.pop()

    def entered(self, argv: Sequence[str]) -> tuple[str, ...]:
        """Return the command that starts a program inside, in the current folder."""
        spaces = ("--user", "--preserve-credentials", "--net", "--mount", f"--wdns={Path.cwd()}")
        return ("nsenter", f"--target={self.pid}", *spaces, "--", *argv)

    def close(self) -> None:
        """Close its sockets; its process ends by that."""
        for one in (self._asking, self.names, self.drivers, *self._stock):
            one.close()


@contextlib.asynccontextmanager
async def private_network() -> AsyncIterator[PrivateNetwork]:
    """Open a private network; it is gone at exit, and at the end of this process. RelayError if it does not start."""
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.settimeout(START_S)
        program = [sys.executable, "-m", "probe.names.namespace", str(theirs.fileno())]
        async with child([*SPACES, *program], passed=(theirs.fileno(),)) as running:
            theirs.close()
            names, drivers = await _first(ours, running)
            network = PrivateNetwork(pid=running.pid, names=names, drivers=drivers, _asking=ours)
            try:
                yield network
            finally:
                network.close()


async def _first(ours: socket.socket, running: Child) -> list[socket.socket]:
    """Return the first sockets. RelayError with the last words of its process."""
    try:
        return await asyncio.to_thread(_received, ours, FIRST, 2)
    except OSError as error:
        raise RelayError(f"the private network did not start: {running.last_words() or error}") from None


def _received(ours: socket.socket, message: bytes, count: int) -> list[socket.socket]:
    """Return the sockets that come with a message. OSError if they do not come."""
    said, numbers, _, _ = socket.recv_fds(ours, len(message), count)
    found = [socket.socket(fileno=number) for number in numbers]
    if said != message or len(found) != count:
        for one in found:
            one.close()
        raise OSError("its process ended")
    return found
