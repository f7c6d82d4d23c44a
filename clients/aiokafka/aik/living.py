"""What all roles do with a client: start it, wait, close it, and call it from other threads than its loop's."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from typing import Any

from driving.library import Role, Stopping
from driving.reports import Reports

from probe.driver_contract import driver_pb2 as pb

LOOK_S = 0.05
"""How often a coroutine looks whether closing is asked for."""
UNASKED_S = 2.0
"""A client that threw gets so long to close."""

Play = Callable[[pb.Start, Reports, Stopping], Awaitable[None]]


def in_a_loop(play: Play) -> Role:
    """Return a role that plays in an event loop of its own, in the instance's thread."""

    def role(start: pb.Start, reports: Reports, stop: Stopping) -> None:
        async def whole() -> None:
            await play(start, reports, stop)

        asyncio.run(whole())

    return role


@contextlib.asynccontextmanager
async def started(client: Any, stop: Stopping) -> AsyncIterator[Any]:
    """Start a client; close it at the end. Raises what the library raises, TimeoutError if closing lasts too long."""
    try:
        await client.start()
        yield client
    finally:
        left = stop.remaining()
        await asyncio.wait_for(client.stop(), UNASKED_S if math.isinf(left) else left)


async def until_asked(stop: Stopping) -> None:
    """Wait until closing is asked for."""
    while not stop.asked:  # noqa: ASYNC110  # it is asked for from another thread, for which asyncio.Event is not made
        await asyncio.sleep(LOOK_S)


class Bridge:
    """Calls coroutines of one loop from other threads, and waits for them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Return what it returns, raise what it raises; concurrent.futures.CancelledError when the loop ends."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
