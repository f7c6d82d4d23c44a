"""The inner side of a private network: the program that lies in the namespaces and hands out sockets of them.

`unshare` starts it in a user, a mount and a network namespace of its own. It starts the loopback, lays the files of a
resolver over the machine's, and sends sockets over the one that it was started with, until that is closed. With its end
and that of the clients inside, the namespaces are gone.
"""

from __future__ import annotations

import fcntl
import socket
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from probe.model.endpoint import LOOPBACK

NAME_PORT = 53
"""Port of name servers (RFC 1035), which no resolver's file can change."""
RESOLV = Path("/etc/resolv.conf")
"""Without this file resolvers ask 127.0.0.1, as they do here (resolv.conf(5))."""
NSSWITCH = Path("/etc/nsswitch.conf")
CACHES = (Path("/run/nscd"), Path("/var/run/nscd"))
"""Sockets of nscd, which would answer for the machine's resolver."""
FIRST, MORE = b"first", b"more"
"""Messages with sockets: the name server's and the one that drivers connect to; any number of new ones."""
SET_FLAGS = 0x8914
UP = 0x1
"""SIOCSIFFLAGS and IFF_UP of netdevice(7)."""


def main(given: int) -> str | None:
    """Serve the socket with this descriptor until it is closed; return why that cannot begin, None if it did."""
    with socket.socket(fileno=given) as asking:
        try:
            _start_loopback()
            _lay_files()
            names = _bound(socket.SOCK_DGRAM, NAME_PORT)
            drivers = _bound(socket.SOCK_STREAM, 0)
        except (OSError, subprocess.CalledProcessError) as error:
            return str(error)
        drivers.listen()
        _send(asking, FIRST, (names, drivers))
        while wanted := asking.recv(1):
            _send(asking, MORE, [socket.socket() for _ in range(wanted[0])])
    return None


def _start_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SET_FLAGS, struct.pack("16sh22x", b"lo", UP))


def _lay_files() -> None:
    """Let resolvers ask the name server of this network, and nobody else."""
    if RESOLV.exists():
        _lay(RESOLV, f"nameserver {LOOPBACK}\n")
    if NSSWITCH.exists():
        _lay(NSSWITCH, hosts_by_name_server(NSSWITCH.read_text()))
    for cache in CACHES:
        if cache.is_dir():
            _mount("-t", "tmpfs", "none", str(cache))


def hosts_by_name_server(switch: str) -> str:
    """Return the text of nsswitch.conf(5) with hosts looked up in /etc/hosts, then at name servers."""
    kept = [line for line in switch.splitlines() if line.partition(":")[0].strip() != "hosts"]
    return "\n".join([*kept, "hosts: files dns", ""])


def _lay(path: Path, text: str) -> None:
    """Lay a file over another one. Its own name is gone at once; the namespace keeps it."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.write(text)
        file.flush()
        Path(file.name).chmod(0o644)
        _mount("--bind", file.name, str(path))


def _mount(*arguments: str) -> None:
    """Mount in this namespace. Raises CalledProcessError."""
    subprocess.run(["mount", *arguments], check=True)  # noqa: S607  # of the machine, wherever it is


def _bound(kind: socket.SocketKind, port: int) -> socket.socket:
    made = socket.socket(socket.AF_INET, kind)
    made.bind((LOOPBACK, port))
    return made


def _send(asking: socket.socket, message: bytes, sockets: Sequence[socket.socket]) -> None:
    """Send sockets, and close them here."""
    socket.send_fds(asking, [message], [one.fileno() for one in sockets])
    for one in sockets:
        one.close()


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1])))
