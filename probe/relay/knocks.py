"""Who knocks at a port that does not answer: connections that are being made, as the kernel lists them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

TABLES = (Path("/proc/net/tcp"), Path("/proc/net/tcp6"))
"""Linux only. Java connects to 127.0.0.1 with sockets of IPv6."""
SYN_SENT = "02"


def knocks(port: int, ours: Collection[int]) -> bool:
    """Say whether somebody's SYN to a port of this machine is unanswered; `ours` = local ports that do not count.

    Raises OSError where there is no such list.
    """
    return any(asked == port and local not in ours for local, asked in _attempts())


def _attempts() -> Iterator[tuple[int, int]]:
    """Yield (local port, remote port) of connections under way."""
    for table in TABLES:
        for line in table.read_text().splitlines()[1:]:
            _, local, remote, state, *_ = line.split()
            if state == SYN_SENT:
                yield _port(local), _port(remote)


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)
