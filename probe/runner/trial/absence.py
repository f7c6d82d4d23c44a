"""The client's application, or a second member of its group, is absent (docs/verdicts.md#absence, #groups-of-two)."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

from probe.drivers.process import RunningInstance
from probe.model import MarkKind
from probe.model.profile import DEFAULT_PROFILE
from probe.model.roles import ROLES
from probe.ports import Start, Tap
from probe.protocol.names import api_key
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.state import TrialState
from probe.runner.trial.teardown import STOP_MS
from probe.scenarios.scenario import Absence, Member

OVERLAP_S = 3.0
"""Time for which the second member stays when the first one is back: what that one commits meets another owner."""
WORK_S = 3.0
"""Longest wait for a request of the work that the absence interrupts."""


class Away:
    """An absence that has begun; `end` ends it."""

    def __init__(self, state: TrialState) -> None:
        """Begin without anything to undo."""
        self._state = state
        self.stopped = contextlib.AsyncExitStack()
        """Undone when the client is back."""
        self.beside = contextlib.AsyncExitStack()
        """Undone some time later."""
        self.successor: RunningInstance | None = None
        self._leaving: asyncio.Task[None] | None = None

    async def end(self) -> None:
        """Let the application work again; the second member leaves a little later."""
        self._state.recorder.mark(MarkKind.BACK)
        await self.stopped.aclose()
        if self.successor is not None:
            self._leaving = asyncio.create_task(self._leave(self.successor))

    async def close(self) -> None:
        """Undo all that is left: nothing stays stopped, whatever happened."""
        if self._leaving is not None:
            self._leaving.cancel()
            await asyncio.gather(self._leaving, return_exceptions=True)
        try:
            await self.stopped.aclose()
        finally:
            await self.beside.aclose()

    async def _leave(self, successor: RunningInstance) -> None:
        await asyncio.sleep(OVERLAP_S)
        await successor.stop(STOP_MS)


@contextlib.asynccontextmanager
async def away(
    state: TrialState, environment: TrialEnvironment, instance: RunningInstance, start: Start
) -> AsyncIterator[Away]:
    """Begin the absence of the scenario, if it has one of the client's application, and undo all of it at exit."""
    absence = state.item.variant.absence
    found = Away(state)
    try:
        if absence is not None and state.item.variant.member is not Member.KILLED:
            await _begin(found, state, environment, instance, start, absence)
        yield found
    finally:
        await asyncio.shield(found.close())


async def _begin(
    found: Away,
    state: TrialState,
    environment: TrialEnvironment,
    instance: RunningInstance,
    start: Start,
    absence: Absence,
) -> None:
    if absence.busy:
        instance.handle_for(state.item.variant.heal_after_ms or absence.short_ms)
        state.recorder.mark(MarkKind.AWAY, ROLES[state.item.cell.role].busy)
    else:
        await _await_work(state, environment.tap)
        await found.stopped.enter_async_context(instance.suspended())
        state.recorder.mark(MarkKind.AWAY, "its process is stopped")
    if absence.successor:
        found.successor = await found.beside.enter_async_context(second_member(state, environment, start))


def second_member(
    state: TrialState, environment: TrialEnvironment, start: Start
) -> contextlib.AbstractAsyncContextManager[RunningInstance]:
    """Start the second member of the client's group, in a process of its own: clients of other trials may end one."""
    name = state.header.subject.successor
    other = replace(start, instance=name, client_id=name)
    if state.item.variant.member is Member.JOINS_CLASSIC:
        other = replace(other, profile=DEFAULT_PROFILE)
    return environment.tools.host.start(state.item.cell, other, state.recorder.add_beside, alone=True)


async def _await_work(state: TrialState, tap: Tap) -> None:
    """Wait until the broker has received work, so that the client is stopped in the middle of it."""
    name, recorder = ROLES[state.item.cell.role].interrupted, state.recorder
    if name:
        api = api_key(name)
        before = recorder.asked[api]
        with tap.at_once():
            await recorder.until(lambda now: now.ending is not None or now.asked[api] > before, WORK_S)
