"""How often a client works: often around the fault, seldom where no time is measured by it.

What is measured by operations is when they fail and when they succeed again. Before that (metadata grows old enough)
and after it (is there a storm? does it stay so?) ten operations a second tell no more than two or three, and were most
of what a trial cost: client, relay and brokers work for each.
"""

from __future__ import annotations

import asyncio

from probe.model import AppKind, Engine, EngineKind, Expects, MarkKind, Role
from probe.plan import IDLE_MS, OPERATIONS, SELDOM_MS
from probe.ports import Cluster, Instance
from probe.recorder import now_us
from probe.runner.course import Course

SHOCK_MS = 2000
"""So long after the fault the client shows what it makes of it. Where brokers stay out of service for a known time,
work is seldom from then until shortly before its end."""
PROVED = 2 * OPERATIONS
"""So many successes since it could recover: three make a recovery, and those that were under way may be among them."""
BEYOND_MS = 1000
"""Whoever recovers so long after what is prompt is late, and a beat more or less says nothing. Until its first success
idle work is enough to see that one come."""
LEAD_S = 1.0
"""So long before the fault the work is quick again: a beat that is under way ends first."""
APART_MS = 1200
"""The pace of who waits for the others of a cohort: with fifty that start for 5 to 20 s, work before the fault was a
third of what brokers had to do. All are quick again for as long before the fault: what is under way ends first."""


class Pacing:
    """The pace of one trial's work: of its instance, and of what that is fed."""

    def __init__(self, course: Course, cluster: Cluster, instance: Instance) -> None:
        """Begin at the pace that the instance was started with."""
        self._course, self._cluster, self._instance = course, cluster, instance
        self._quick_ms = self._now_ms = course.item.beat_ms
        self._idle_ms = max(self._quick_ms, IDLE_MS)
        self._seldom_ms = SELDOM_MS if self._quick_ms < SELDOM_MS else self._idle_ms
        self._together = course.item.cell.engine is Engine.KAFKA and bool(course.item.part.steps)
        self._since: int | None = -1
        self._before = 0

    async def wait(self, seconds: float) -> None:
        """Wait before the fault; seldom work is enough until shortly before it."""
        if self._together:
            await self._go(max(self._quick_ms, APART_MS))
        elif seconds > 2 * LEAD_S:
            await self._go(self._idle_ms)
            await asyncio.sleep(seconds - LEAD_S)
            seconds = LEAD_S
            await self.quicken()
        await asyncio.sleep(seconds)

    async def meet(self) -> None:
        """Wait until all of a cohort are as far, then until all are quick. OSError for one that was left behind."""
        if self._together:
            await self._cluster.gather()
            await self.quicken()
            await asyncio.sleep(APART_MS / 1000)

    async def quicken(self) -> None:
        """Work often."""
        await self._go(self._quick_ms)

    async def adapt(self) -> None:
        """Work often around the fault, and from when the client can serve until it is seen to, or is late."""
        await self._go(self._fitting_ms())

    def _fitting_ms(self) -> int:
        course = self._course
        since = available_at(course)
        if since != self._since:
            self._since, self._before = since, _successes(course)
        succeeded = _successes(course) - self._before
        proved = succeeded >= PROVED
        if since is None:
            gone_ms, out_ms = (now_us() - course.fault_at) / 1000, out_of_service_ms(course)
            if proved and gone_ms > max(SHOCK_MS, out_ms) + BEYOND_MS:
                return self._idle_ms  # nothing is mended or announced any more, and it serves all the same
            return self._seldom_ms if SHOCK_MS < gone_ms < out_ms - LEAD_S * 1000 else self._quick_ms
        if proved:
            return self._idle_ms
        if now_us() - since <= (course.header.play.prompt_ms + BEYOND_MS) * 1000:
            return self._quick_ms
        return self._seldom_ms if succeeded else self._idle_ms

    async def _go(self, interval_ms: int) -> None:
        if interval_ms == self._now_ms:
            return
        self._now_ms = interval_ms
        self._instance.pace(interval_ms)
        if self._course.item.cell.role.reads:
            await self._cluster.pace(interval_ms)
        self._course.recorder.mark(MarkKind.PACED, str(interval_ms))


def available_at(course: Course) -> int | None:
    """Return from when on, for all that is known so far, the client can succeed; None if it cannot yet."""
    engine, expects = course.recorder.engine, course.header.play.expects
    if expects is Expects.DISCOVER:
        return engine.get(EngineKind.ANNOUNCED)
    return engine.get(EngineKind.HEALED) if expects is Expects.RETRY else course.fault_at


def out_of_service_ms(course: Course) -> int:
    """Return how long after the fault, at the least, nobody can serve; 0 where that is not known."""
    return max(course.item.part.heal_after_ms or 0, course.header.play.election_ms or 0)


def _successes(course: Course) -> int:
    """Count what shows that a client has recovered."""
    recorder = course.recorder
    if course.item.cell.role is Role.TRANSACTIONAL:
        return recorder.kinds[AppKind.TXN_COMMITTED]
    return recorder.successes[course.header.subject.affected]
