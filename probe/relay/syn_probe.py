"""Connection attempts to a port that does not answer, as the kernel lists them."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Collection, Iterator

from probe.errors import RelayError

FRESH_S = 0.04
"""Time for which a list is used again, since dozens of relays ask for it."""
PATIENCE_S = 1.0

SOCK_DIAG = 4
OF_TCP, REQUEST_DUMP = 18, 0x301
ERROR, DONE = 2, 3
SYN_SENT = 2
"""Of sock_diag(7), netlink(7), `inet_diag.h` and `tcp_states.h`: protocol, message types and flags, a TCP state. OF_TCP
is TCPDIAG_GETSOCK, the older request: it alone lists IPv4 and IPv6 at once, and every answer is a costly walk through
all of the kernel's connections. Java connects to 127.0.0.1 with IPv6 sockets."""
HEADER = struct.Struct("=IHHII")
"""Header of each message: length, type, flags, sequence, port id."""
REQUEST = struct.Struct("=52xI4x")
"""`inet_diag_req`: states as bits; any family, any socket."""
RESPONSE = struct.Struct(">4xHH")
"""The beginning of `inet_diag_msg`: local and remote port."""


class Attempts:
    """The kernel's list, read again when it is older than `FRESH_S`."""

    def __init__(self) -> None:
        self._read_at = float("-inf")
        self._list: tuple[tuple[int, int], ...] = ()

    def now(self) -> tuple[tuple[int, int], ...]:
        """Return (local port, remote port) of current attempts. Raises RelayError if the system has no such list."""
        if time.monotonic() - self._read_at > FRESH_S:
            self._list = tuple(_attempts())
            self._read_at = time.monotonic()
        return self._list


_attempts_of_all = Attempts()


def has_attempts(port: int, ours: Collection[int]) -> bool:
    """Return whether a SYN to a port of this machine is unanswered; local ports in `ours` do not count.

    Raises RelayError if the system has no such list.
    """
    return any(asked == port and local not in ours for local, asked in _attempts_of_all.now())


def _attempts() -> Iterator[tuple[int, int]]:
    """Ask for this state only, which is much faster than to read /proc/net/tcp."""
    if not hasattr(socket, "AF_NETLINK"):
        raise RelayError("only Linux lists connections that are being made")
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
        kernel.settimeout(PATIENCE_S)
        request = REQUEST.pack(1 << SYN_SENT)
        kernel.send(HEADER.pack(HEADER.size + len(request), OF_TCP, REQUEST_DUMP, 0, 0) + request)
        for kind, body in _messages(kernel):
            if kind == ERROR:
                raise RelayError("the kernel does not list connections that are being made")
            yield RESPONSE.unpack_from(body)


def _messages(kernel: socket.socket) -> Iterator[tuple[int, memoryview]]:
    """Yield type and body of the kernel's messages until the last."""
    while True:
        rest = memoryview(kernel.recv(1 << 16))
        while rest:
            length, kind, *_ = HEADER.unpack_from(rest)
            if kind == DONE:
                return
            yield kind, rest[HEADER.size : length]
            rest = rest[(length + 3) & ~3 :]
