"""How often a client works: often around the fault, seldom where no time is measured by it.

What is measured by operations is when they fail and when they succeed again. Before that (metadata grows old enough)
and after it (is there a storm? does it stay so?) ten operations a second tell no more than two or three, and were most
of what a trial cost: client, relay and brokers work for each.
"""

from __future__ import annotations

import asyncio
from enum import Enum, auto

from probe.model import AppKind, Engine, EngineKind, MarkKind, Reaction, Role
from probe.model.clock import now_us
from probe.planning.plan import IDLE_INTERVAL_MS, OPERATIONS, SLOW_INTERVAL_MS
from probe.ports import Cluster, Instance
from probe.runner.trial.state import TrialState

FAULT_WINDOW_MS = 2000
"""So long after the fault the client shows what it makes of it. Where brokers stay out of service for a known time,
work is seldom from then until shortly before its end."""
PROOF_SUCCESSES = 2 * OPERATIONS
"""So many successes since it could recover: three make a recovery, and those that were under way may be among them."""
BEYOND_MS = 1000
"""Whoever recovers so long after what is prompt is late, and a beat more or less says nothing. Until its first success
idle work is enough to see that one come."""
FULL_RATE_LEAD_S = 1.0
"""So long before the fault the work is quick again: a beat that is under way ends first."""
APART_MS = 1200
"""The pace of who waits for the others of a cohort: with fifty that start for 5 to 20 s, work before the fault was a
third of what brokers had to do. All are quick again for as long before the fault: what is under way ends first."""
AWAY_MS = 10_000
"""The pace of a second instance once the window has ended: the last of its cohort may be watched for minutes more."""


class RateNeed(Enum):
    """What work is for."""

    MEASURE = auto()
    """Times are measured by it."""
    WAIT = auto()
    """Nobody can serve, or a slow recovery goes on."""
    LOOK = auto()
    """It shows whether all stays as it is."""


class Pacing:
    """The pace of one trial's work: of its instance, and of what that is fed."""

    def __init__(self, state: TrialState, cluster: Cluster, instance: Instance, beside: Instance | None = None) -> None:
        """Begin at the pace that the instance was started with; `beside` is the bystander's, if it has one."""
        self._course, self._cluster, self._instance, self._beside = state, cluster, instance, beside
        self._quick_ms = self._now_ms = state.item.beat_ms
        self._beside_ms = self._quick_ms
        self._idle_ms = max(self._quick_ms, IDLE_INTERVAL_MS)
        self._paces = {
            RateNeed.MEASURE: self._quick_ms,
            RateNeed.WAIT: SLOW_INTERVAL_MS if self._quick_ms < SLOW_INTERVAL_MS else self._idle_ms,
            RateNeed.LOOK: self._idle_ms,
        }
        self._together = state.item.cell.engine is Engine.KAFKA and bool(state.item.variant.steps)
        self._since: int | None = -1
        self._before = 0

    async def wait(self, seconds: float) -> None:
        """Wait before the fault; seldom work is enough until shortly before it."""
        if self._together:
            await self._go(max(self._quick_ms, APART_MS))
        elif seconds > 2 * FULL_RATE_LEAD_S:
            await self._go(self._idle_ms)
            await asyncio.sleep(seconds - FULL_RATE_LEAD_S)
            seconds = FULL_RATE_LEAD_S
            await self.speed_up()
        await asyncio.sleep(seconds)

    async def run_at_full_rate(self) -> None:
        """Wait until all of a cohort are as far, then until all are quick. StragglerError for one that is late."""
        if self._together:
            await self._cluster.await_cohort()
            await self.speed_up()
            await asyncio.sleep(APART_MS / 1000)

    async def speed_up(self) -> None:
        """Work often."""
        await self._go(self._quick_ms)

    def end_window(self) -> None:
        """Let a second instance do next to nothing: the window has ended, and with it all that it was to show."""
        self._go_beside(AWAY_MS)

    async def adapt(self) -> None:
        """Work often around the fault, and from when the client can serve until it is seen to, or is late."""
        need = self._need()
        await self._go(self._paces[need])
        if self._together:
            least_ms = self._course.header.play.prompt_ms // 2 if need is RateNeed.LOOK else 0
            self._go_beside(max(self._quick_ms, least_ms))

    def _need(self) -> RateNeed:
        state = self._course
        since = available_at(state)
        if since != self._since:
            self._since, self._before = since, _successes(state)
        succeeded = _successes(state) - self._before
        proved = succeeded >= PROOF_SUCCESSES
        if since is None:
            gone_ms, out_ms = (now_us() - state.fault_at) / 1000, out_of_service_ms(state)
            if proved and gone_ms > max(FAULT_WINDOW_MS, out_ms) + BEYOND_MS:
                return RateNeed.LOOK  # nothing is mended or announced any more, and it serves all the same
            return RateNeed.WAIT if FAULT_WINDOW_MS < gone_ms < out_ms - FULL_RATE_LEAD_S * 1000 else RateNeed.MEASURE
        if proved:
            return RateNeed.LOOK
        if now_us() - since <= (state.header.play.prompt_ms + BEYOND_MS) * 1000:
            return RateNeed.MEASURE
        return RateNeed.WAIT if succeeded else RateNeed.LOOK

    async def _go(self, interval_ms: int) -> None:
        if interval_ms == self._now_ms:
            return
        self._now_ms = interval_ms
        self._instance.set_interval(interval_ms)
        if self._course.item.cell.role.reads:
            await self._cluster.set_interval(interval_ms)
        self._course.recorder.mark(MarkKind.PACED, str(interval_ms))

    def _go_beside(self, interval_ms: int) -> None:
        """Set the pace of a second instance: it shows only whether it stands still, and its transactions are dear.

        In half a run on real brokers seven of ten transactions, and so a third of all writes, were second instances';
        a quarter after the window had ended. Around the fault the pace stays: a gap that the client has no part in
        would be longer by it (`coordinator/moved`: 5.3 to 6.4 s and not 4.2 to 4.9, where prompt is 5).
        """
        transactional = self._course.item.cell.role is Role.TRANSACTIONAL
        if self._beside is not None and transactional and interval_ms != self._beside_ms:
            self._beside_ms = interval_ms
            self._beside.set_interval(interval_ms)


def available_at(state: TrialState) -> int | None:
    """Return from when on, for all that is known so far, the client can succeed; None if it cannot yet."""
    engine, expects = state.recorder.engine, state.header.play.expects
    if expects is Reaction.DISCOVER:
        return engine.get(EngineKind.ANNOUNCED)
    return engine.get(EngineKind.HEALED) if expects is Reaction.RETRY else state.fault_at


def out_of_service_ms(state: TrialState) -> int:
    """Return how long after the fault, at the least, nobody can serve; 0 where that is not known."""
    return max(state.item.variant.heal_after_ms or 0, state.header.play.election_ms or 0)


def _successes(state: TrialState) -> int:
    """Count what shows that a client has recovered."""
    recorder = state.recorder
    if state.item.cell.role is Role.TRANSACTIONAL:
        return recorder.kinds[AppKind.TXN_COMMITTED]
    return recorder.successes[state.header.subject.affected]
