"""Roles that run in an event loop of their own, and calls of that loop from other threads."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

from driver_runtime.library import Role, Stopping
from driver_runtime.reports import Reports
from probe.driver_contract import driver_pb2 as pb

CHECK_S = 0.05
"""Seconds between checks whether closing is requested."""

AsyncRole = Callable[[pb.Start, Reports, Stopping], Awaitable[None]]


def in_event_loop(work: AsyncRole) -> Role:
    """Return a role that runs in its own event loop, in the instance's thread."""

    def role(start: pb.Start, reports: Reports, stop: Stopping) -> None:
        async def run() -> None:
            await work(start, reports, stop)

        asyncio.run(run())

    return role


async def wait_for_stop(stop: Stopping) -> None:
    """Wait until closing is requested."""
    while not stop.asked:  # noqa: ASYNC110  # the request comes from another thread, which asyncio.Event does not support
        await asyncio.sleep(CHECK_S)


class LoopCaller:
    """Calls coroutines of one loop from other threads, and waits for them."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()

    def call(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Return the result, or raise the exception; concurrent.futures.CancelledError when the loop ends."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()
