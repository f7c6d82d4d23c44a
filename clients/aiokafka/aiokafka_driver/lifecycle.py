"""A client's start and close."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator
from typing import Any

from driver_runtime.library import Stopping

CLOSE_S = 2.0
"""Seconds that a client has to close after an exception."""


@contextlib.asynccontextmanager
async def started(client: Any, stop: Stopping) -> AsyncIterator[Any]:
    """Start a client; close it at the end. Raises what the library raises, TimeoutError if closing lasts too long."""
    try:
        await client.start()
        yield client
    finally:
        left = stop.remaining()
        await asyncio.wait_for(client.stop(), CLOSE_S if math.isinf(left) else left)
