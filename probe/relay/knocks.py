"""Who knocks at a port that does not answer: connections that are being made, as the kernel lists them."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Linux only. Java connects to 127.0.0.1 with sockets of IPv6."""
SYN_SENT = "02"
FRESH_S = 0.015
"""A list is as good as new for so long. With thousands of sockets it costs milliseconds, and dozens of relays look."""


class Attempts:
    """The kernel's list, read anew when it is no longer fresh."""

    def __init__(self) -> None:
        self._read_at = float("-inf")
        self._list: tuple[tuple[int, int], ...] = ()

    def now(self) -> tuple[tuple[int, int], ...]:
        """Return (local port, remote port) of connections under way. Raises OSError where there is no such list."""
        if time.monotonic() - self._read_at > FRESH_S:
            self._list = tuple(_attempts())
            self._read_at = time.monotonic()
        return self._list


_attempts_of_all = Attempts()


def knocks(port: int, ours: Collection[int]) -> bool:
    """Say whether somebody's SYN to a port of this machine is unanswered; `ours` = local ports that do not count.

    Raises OSError where there is no such list.
    """
    return any(asked == port and local not in ours for local, asked in _attempts_of_all.now())


def _attempts() -> Iterator[tuple[int, int]]:
    for table in TABLES:
        for line in table.read_text().splitlines()[1:]:
            _, local, remote, state, *_ = line.split(maxsplit=4)
            if state == SYN_SENT:
                yield _port(local), _port(remote)


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)
