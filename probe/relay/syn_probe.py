"""Who knocks at a port that does not answer: connections that are being made, as the kernel lists them."""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Collection, Iterator

from probe.errors import RelayError

FRESH_S = 0.04
"""A list is as good as new for so long: dozens of relays look."""
PATIENCE_S = 1.0

SOCK_DIAG = 4
OF_TCP, REQUEST_DUMP = 18, 0x301
ERROR, DONE = 2, 3
SYN_SENT = 2
"""Of sock_diag(7), netlink(7), `inet_diag.h` and `tcp_states.h`: protocol, message types and flags, a TCP state. OF_TCP
is TCPDIAG_GETSOCK, the older question, which alone is answered for IPv4 and IPv6 at once: Java connects to 127.0.0.1
with sockets of IPv6, and each answer is a walk through all of the kernel's connections, some 0.8 ms."""
HEADER = struct.Struct("=IHHII")
"""Of each message: length, type, flags, sequence, port id."""
REQUEST = struct.Struct("=52xI4x")
"""`inet_diag_req`: states as bits; of any family, no socket in particular."""
RESPONSE = struct.Struct(">4xHH")
"""The begin of `inet_diag_msg`: local and remote port."""


class Attempts:
    """The kernel's list, read anew when it is no longer fresh."""

    def __init__(self) -> None:
        self._read_at = float("-inf")
        self._list: tuple[tuple[int, int], ...] = ()

    def now(self) -> tuple[tuple[int, int], ...]:
        """Return (local port, remote port) of connections under way. Raises RelayError where there is no such list."""
        if time.monotonic() - self._read_at > FRESH_S:
            self._list = tuple(_attempts())
            self._read_at = time.monotonic()
        return self._list


_attempts_of_all = Attempts()


def has_attempts(port: int, ours: Collection[int]) -> bool:
    """Say whether somebody's SYN to a port of this machine is unanswered; `ours` = local ports that do not count.

    Raises RelayError where there is no such list.
    """
    return any(asked == port and local not in ours for local, asked in _attempts_of_all.now())


def _attempts() -> Iterator[tuple[int, int]]:
    """Ask for this state alone: /proc/net/tcp took 10 ms, twenty times as long, beside a thousand other sockets."""
    if not hasattr(socket, "AF_NETLINK"):
        raise RelayError("only Linux lists connections that are being made")
    with socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, SOCK_DIAG) as kernel:
        kernel.settimeout(PATIENCE_S)
        asked = REQUEST.pack(1 << SYN_SENT)
        kernel.send(HEADER.pack(HEADER.size + len(asked), OF_TCP, REQUEST_DUMP, 0, 0) + asked)
        for kind, body in _messages(kernel):
            if kind == ERROR:
                raise RelayError("the kernel does not list connections that are being made")
            yield RESPONSE.unpack_from(body)


def _messages(kernel: socket.socket) -> Iterator[tuple[int, memoryview]]:
    """Yield type and body of what the kernel says, to its end."""
    while True:
        rest = memoryview(kernel.recv(1 << 16))
        while rest:
            length, kind, *_ = HEADER.unpack_from(rest)
            if kind == DONE:
                return
            yield kind, rest[HEADER.size : length]
            rest = rest[(length + 3) & ~3 :]
