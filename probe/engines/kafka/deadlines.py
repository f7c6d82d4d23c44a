"""Deadlines for the work of real brokers: they only tell a hang from work.

On a machine that is far too busy for its cores a broker takes minutes to start, and what was observed before that must
not be lost.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

STARTED_S = 300.0
"""Deadline for a broker, or all of them, to start, serve and know each other; for internal topics and the history of a
cluster; and for a cluster to be as before."""
IN_SYNC_S = 120.0
"""Deadline for replicas to be in sync, and for a quick job of the brokers' clients: topics, entries, a filled log."""


@asynccontextmanager
async def started(late: str) -> AsyncIterator[None]:
    """Limit what is done inside to `STARTED_S`. TimeoutError with the words of what was late, or else with `late`."""
    try:
        async with asyncio.timeout(STARTED_S):
            yield
    except TimeoutError as error:
        raise TimeoutError(str(error) or f"{late} within {STARTED_S:.0f} s") from None
