"""Where a trial is played, and what it takes of the machine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from probe.ports import Cluster, Tap
from probe.runner.tools import Options, Tools


class StartingSlot:
    """One place among the trials that start, given back once."""

    def __init__(self, starting: asyncio.Semaphore) -> None:
        self._starting = starting
        self._held = True

    def release(self) -> None:
        """Let another trial start."""
        if self._held:
            self._held = False
            self._starting.release()


@dataclass(frozen=True, slots=True)
class Stage:
    """Where a trial is played."""

    cluster: Cluster
    tap: Tap
    tools: Tools
    options: Options
    slot: StartingSlot
    rest: Callable[[], None]
    """To be called once a trial only waits for what the client does next."""
    alone: bool
