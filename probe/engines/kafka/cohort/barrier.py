"""Many do something once, together: everybody who is still there must come, and the last one does it for all."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterable
from typing import Generic, TypeVar

from probe.errors import EngineError, StragglerError

Member = TypeVar("Member")
NEARLY, SOON = 0.9, 0.25
"""Once so many of all have come, the others are waited for for this share of the patience."""


class Barrier(Generic[Member]):
    """The cells of a cohort. All run on one loop, so nothing here needs a lock."""

    def __init__(self, members: Collection[Member]) -> None:
        self._present = set(members)
        self._came: dict[Member, asyncio.Future[None]] = {}
        self._deed: Callable[[Collection[Member]], Awaitable[None]] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.TimerHandle | None = None
        self._doing: asyncio.Task[None] | None = None

    @property
    def present(self) -> Collection[Member]:
        """Return who has not left."""
        return frozenset(self._present)

    async def wait(
        self,
        member: Member,
        action: Callable[[Collection[Member]], Awaitable[None]],
        *,
        patience_s: float | None = None,
    ) -> None:
        """Wait for the others; the deed is done once, with those who came, and its error is everybody's.

        After `patience_s` from the first one's coming, or a quarter of it from when nearly all are there, it is done
        without those who are not there yet, who are out from then on: StragglerError for them.
        """
        if member not in self._present:
            raise StragglerError("the other cells of the cohort went on without this one")
        waiting = self._came[member] = asyncio.get_running_loop().create_future()
        self._deed = action
        if patience_s is not None and self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(patience_s, self._leave_behind)
        if patience_s is not None and self._soon is None and len(self._came) >= NEARLY * len(self._present):
            self._soon = asyncio.get_running_loop().call_later(patience_s * SOON, self._leave_behind)
        self._check()
        try:
            await waiting
        except asyncio.CancelledError:
            self.leave(member)
            raise

    def leave(self, member: Member) -> None:
        """Be waited for no longer."""
        self._present.discard(member)
        self._came.pop(member, None)
        self._check()

    async def close(self) -> None:
        """Stop what is being done."""
        self._stop_timers()
        if self._doing is not None:
            self._doing.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await self._doing

    def _leave_behind(self) -> None:
        self._stop_timers()
        self._present &= set(self._came)
        self._check()

    def _check(self) -> None:
        if self._came and len(self._came) == len(self._present) and self._deed is not None:
            came, action = self._came, self._deed
            self._came, self._deed = {}, None
            self._stop_timers()
            self._doing = asyncio.get_running_loop().create_task(self._do(action, came))

    async def _do(
        self, action: Callable[[Collection[Member]], Awaitable[None]], came: dict[Member, asyncio.Future[None]]
    ) -> None:
        error: BaseException | None = None
        try:
            await action(frozenset(came))
        except Exception as failure:  # noqa: BLE001  # it is raised by everybody who waits
            error = failure
        except asyncio.CancelledError:
            error = EngineError("the cohort was given up")
        release(came.values(), error)

    def _stop_timers(self) -> None:
        for timer in (self._timer, self._soon):
            if timer is not None:
                timer.cancel()
        self._timer = self._soon = None


def release(waiting: Iterable[asyncio.Future[None]], error: BaseException | None) -> None:
    """Let go on who still waits, with an error if there was one."""
    for one in waiting:
        if one.done():
            continue
        if error is None:
            one.set_result(None)
        else:
            one.set_exception(error)
