"""Where a trial is played, and what it takes of the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from probe.ports import Cluster, Tap
from probe.runner.tools import Options, Tools

SLOW_S = 10.0
"""A client that takes longer to start waits for something: others may start meanwhile."""


class StartingSlot:
    """One place among the trials that start, taken once and given back once."""

    def __init__(self, starting: asyncio.Semaphore, dawdles: Callable[[], None]) -> None:
        """Prepare to take a place; `dawdles` is called when whoever has it takes long."""
        self._starting, self._dawdles = starting, dawdles
        self._slow: asyncio.TimerHandle | None = None
        self._taken = self._held = False

    async def take(self) -> None:
        """Wait for the place, unless it was taken before."""
        if not self._taken:
            self._taken = True
            await self._starting.acquire()
            self._held = True
            self._slow = asyncio.get_running_loop().call_later(SLOW_S, self._take_long)

    def release(self) -> None:
        """Let another trial start."""
        if self._slow is not None:
            self._slow.cancel()
        if self._held:
            self._held = False
            self._starting.release()

    def _take_long(self) -> None:
        self.release()
        self._dawdles()


@dataclass(frozen=True, slots=True)
class TrialEnvironment:
    """Where a trial is played."""

    cluster: Cluster
    tap: Tap
    tools: Tools
    options: Options
    slot: StartingSlot
    downgrade: Callable[[], None]
    """To be called once a trial only waits for what the client does next."""
    alone: bool

    def release_start(self) -> None:
        """Let others start: what is left before the fault is to wait until metadata is old enough."""
        self.slot.release()
