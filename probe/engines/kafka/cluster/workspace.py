"""A cluster's folder and ports: taken at the start, given back at the end, whatever happens to us."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import shutil
import socket
import tempfile
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

from probe.errors import EngineError
from probe.model.endpoint import Endpoint
from probe.processes.children import child

HOST = "127.0.0.1"
MEMORY = Path("/dev/shm")  # noqa: S108  # a folder of our own is made in it
ROOM = 2 << 30
"""Free space that some clusters surely fit in, in bytes."""
PORTS = range(15_000, 31_000)
"""Below the range from which systems take ports for outgoing connections: a broker that is down keeps its port."""
TRIES = 200
KEEPER = 'cat >/dev/null; sleep 0.5; rm -rf -- "$1"; sleep 2; rm -rf -- "$1"'
"""Waits for our pipe to close; the servers are killed at the same moment by their guards."""


def free_addresses() -> Iterator[Endpoint]:
    """Give addresses on loopback that nobody listens on now. EngineError when there seem to be none."""
    taken: set[int] = set()
    for _ in range(TRIES):
        port = random.SystemRandom().choice(PORTS)
        if port in taken or not _is_free(port):
            continue
        taken.add(port)
        yield Endpoint(host=HOST, port=port)
    raise EngineError(f"no free port found between {PORTS.start} and {PORTS.stop} on {HOST}")


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            tried.bind((HOST, port))
        except OSError:
            return False
    return True


def quick_folder() -> Path | None:
    """Return where files lie in memory, if there is room and the user names no other place (TMPDIR).

    Brokers write to each log for itself, and a real file system took more of their time than all else: with 55 cells
    at once partitions were served seconds after they had moved, on one in memory in less than one.
    """
    with contextlib.suppress(OSError):
        room = shutil.disk_usage(MEMORY).free
        if "TMPDIR" not in os.environ and room >= ROOM and os.access(MEMORY, os.W_OK):
            return MEMORY
    return None


@contextlib.asynccontextmanager
async def temporary_folder(*, in_memory: bool = False) -> AsyncIterator[Path]:
    """Give an empty folder, in memory where that is possible; it is gone afterwards, also when we are killed."""
    folder = Path(tempfile.mkdtemp(prefix="kafka-metadata-probe-", dir=quick_folder() if in_memory else None))
    async with child(["sh", "-c", KEEPER, "keeper", str(folder)]) as keeper:
        try:
            yield folder
        finally:
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True))
            keeper.kill()
