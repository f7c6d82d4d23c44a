"""A second member of the client's group: before the fault, or from the fault on (docs/verdicts.md#groups-of-two)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

from probe.drivers.process import RunningInstance
from probe.model import MarkKind
from probe.ports import Start
from probe.runner.trial.absence import second_member
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.state import TrialState
from probe.runner.trial.teardown import STOP_MS
from probe.runner.trial.warm_up import WARM_OPERATIONS, WARM_S
from probe.scenarios.scenario import Member

SHARED_S = 2.5
"""Time from a member's first records until both have committed in this assignment: they do so every second."""
QUIET_S = 0.05
"""Time after a record of the second member at which it is killed. A driver reports an event within 20 ms, and records
come every 100 ms, so nothing that the member was given remains unknown."""
RECORD_S = 2.0
"""Longest wait for that record."""


class Members:
    """The second member of a trial's group, where the scenario has one."""

    def __init__(self, state: TrialState, environment: TrialEnvironment, start: Start) -> None:
        """Begin without a second member."""
        self._state, self._environment, self._start = state, environment, start
        self._held = contextlib.AsyncExitStack()
        self._member = state.item.variant.member
        self._second: RunningInstance | None = None

    async def gather(self) -> bool:
        """Start the member that works before the fault; return whether both have partitions then, and read them."""
        if self._member not in {Member.KILLED, Member.PAUSED}:
            return True
        await self._begin()
        reached = await self._state.recorder.until(
            lambda now: now.ending is not None or now.beside >= WARM_OPERATIONS, WARM_S
        )
        if self._state.recorder.ending is not None:
            return True  # judged as any client that ends before the fault
        if not reached:
            self._state.problem(f"the second member of the group read nothing within {WARM_S:.0f} s")
            return False
        await asyncio.sleep(SHARED_S)
        return True

    async def settle(self) -> None:
        """Wait for a moment in which all that a member to be killed was given has been reported."""
        if self._member is Member.KILLED:
            before = self._state.recorder.beside
            await self._state.recorder.until(lambda now: now.beside > before, RECORD_S)
            await asyncio.sleep(QUIET_S)

    async def change(self) -> None:
        """Kill the second member, or let it join; called when the fault has been injected."""
        if self._member is Member.KILLED and self._second is not None:
            self._state.recorder.mark(MarkKind.KILLED)
            self._second.kill()
        elif self._member in {Member.JOINS, Member.JOINS_CLASSIC}:
            self._state.recorder.mark(MarkKind.JOINS)
            await self._begin()

    async def close(self) -> None:
        """Let the second member leave."""
        try:
            if self._second is not None and not self._second.ended.is_set():
                await self._second.stop(STOP_MS)
        finally:
            await self._held.aclose()

    async def _begin(self) -> None:
        starting = second_member(self._state, self._environment, self._start)
        self._second = await self._held.enter_async_context(starting)


@contextlib.asynccontextmanager
async def members(state: TrialState, environment: TrialEnvironment, start: Start) -> AsyncIterator[Members]:
    """Have a second member of the group inside the block, where the scenario has one."""
    found = Members(state, environment, start)
    try:
        yield found
    finally:
        await asyncio.shield(found.close())
