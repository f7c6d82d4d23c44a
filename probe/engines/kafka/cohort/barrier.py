"""A barrier: members wait for each other, and an action is then run once for all of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Generic, TypeVar

from probe.errors import EngineError, StragglerError

Member = TypeVar("Member")
NEARLY, SOON = 0.9, 0.25
"""When this share of the members has arrived, the others are awaited for this share of the patience."""


class Barrier(Generic[Member]):
    """A barrier of the members of a cohort. All run on one event loop, so it needs no lock."""

    def __init__(self, members: Collection[Member]) -> None:
        self._present = set(members)
        self._arrived: dict[Member, asyncio.Future[None]] = {}
        self._action: Callable[[Collection[Member]], Awaitable[None]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._doing: asyncio.Task[None] | None = None

    @property
    def present(self) -> Collection[Member]:
        """Return the members that have not left."""
        return frozenset(self._present)

    async def wait(
        self,
        member: Member,
        action: Callable[[Collection[Member]], Awaitable[None]],
        *,
        patience_s: float | None = None,
    ) -> None:
        """Wait until all members have arrived and the action has run once for all of them; raise its error.

        The action runs without the missing members `patience_s` after the first arrival, or a quarter of this time
        after nearly all have arrived. Missing members are stragglers from then on: StragglerError.
        """
        if member not in self._present:
            raise StragglerError("the other trials of the cohort went on without this one")
        waiting = self._arrived[member] = asyncio.get_running_loop().create_future()
        self._action = action
        if patience_s is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(patience_s, self._leave_behind)
        if patience_s is not None and self._soon is None and len(self._arrived) >= NEARLY * len(self._present):
            self._soon = asyncio.get_running_loop().call_later(patience_s * SOON, self._leave_behind)
        self._check()
        try:
            await waiting
        except asyncio.CancelledError:
            self.leave(member)
            raise

    def leave(self, member: Member) -> None:
        """Remove a member; the others no longer wait for it."""
        self._present.discard(member)
        self._arrived.pop(member, None)
        self._check()

    async def close(self) -> None:
        """Cancel the action if it runs."""
        self._stop_timers()
        if self._doing is not None:
            self._doing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._doing

    def _leave_behind(self) -> None:
        self._stop_timers()
        self._present &= set(self._arrived)
        self._check()

    def _check(self) -> None:
        if self._arrived and len(self._arrived) == len(self._present) and self._action is not None:
            arrived, action = self._arrived, self._action
            self._arrived, self._action = {}, None
            self._stop_timers()
            self._doing = asyncio.get_running_loop().create_task(self._do(action, arrived))

    async def _do(
        self, action: Callable[[Collection[Member]], Awaitable[None]], arrived: dict[Member, asyncio.Future[None]]
    ) -> None:
        error: BaseException | None = None
        try:
            await action(frozenset(arrived))
        except Exception as failure:  # noqa: BLE001  # it is raised for all members that wait
            error = failure
        except asyncio.CancelledError:
            error = EngineError("the cohort was given up")
        release(arrived.values(), error)

    def _stop_timers(self) -> None:
        for timer in (self._timer, self._soon):
            if timer is not None:
                timer.cancel()
        self._timer = self._soon = None


def release(waiting: Iterable[asyncio.Future[None]], error: BaseException | None) -> None:
    """Complete the futures that are still pending, with an error if there is one."""
    for one in waiting:
        if one.done():
            continue
        if error is None:
            one.set_result(None)
        else:
            one.set_exception(error)
