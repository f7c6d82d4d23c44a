"""A process group that is stopped (SIGSTOP) for a while, and continued in any case."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import AsyncIterator

from probe.processes.children import child


@contextlib.asynccontextmanager
async def suspended(group: int) -> AsyncIterator[None]:
    """Stop a process group inside the block. Raises OSError if the guard cannot be started.

    A stopped process cannot end by itself when this one is killed. The guard, a shell that waits for the end of its
    standard input, continues it then.
    """
    async with child(("sh", "-c", f"read -r _; kill -s CONT -- -{group} 2>/dev/null")):
        _send(group, signal.SIGSTOP)
        try:
            yield
        finally:
            _send(group, signal.SIGCONT)


def _send(group: int, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
