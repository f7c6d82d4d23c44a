"""A cluster's ports, and the place of its folder."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

from probe.errors import EngineError
from probe.model.endpoint import LOOPBACK, Endpoint

MEMORY = Path("/dev/shm")  # noqa: S108  # a folder of our own is made in it
ROOM = 2 << 30
"""Minimum free space in memory, in bytes, which is enough for several clusters."""
PORTS = range(15_000, 31_000)
"""Ports below the range of ephemeral ones, so that no outgoing connection takes the port of a broker that is down."""
TRIES = 200


def free_addresses() -> Iterator[Endpoint]:
    """Yield free addresses on loopback. EngineError if none are found."""
    taken: set[int] = set()
    for _ in range(TRIES):
        port = random.SystemRandom().choice(PORTS)
        if port in taken or not _is_free(port):
            continue
        taken.add(port)
        yield Endpoint(host=LOOPBACK, port=port)
    raise EngineError(f"no free port found between {PORTS.start} and {PORTS.stop} on {LOOPBACK}")


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def quick_folder() -> Path | None:
    """Return a folder in memory; None if there is too little space or the user chose another one (TMPDIR).

    Brokers write to each log separately. On a real file system that takes most of their time, so that partitions of
    large cohorts are served seconds after they moved. See docs/engines.md#a-cluster.
    """
    with contextlib.suppress(OSError):
        room = shutil.disk_usage(MEMORY).free
        if "TMPDIR" not in os.environ and room >= ROOM and os.access(MEMORY, os.W_OK):
            return MEMORY
    return None
