"""Intervals of a client's operations: short around the fault, long where they measure no time.

Operations measure when they fail and when they succeed again. Before that (metadata must grow old enough) and after it
(storms, stability) a few operations per second show as much as ten. Client, relay and brokers work for each of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import Enum, auto

from probe.model import AppKind, EngineKind, MarkKind, Reaction
from probe.model.clock import now_us
from probe.model.engines import ENGINES
from probe.model.roles import ROLES
from probe.planning.paces import OPERATIONS
from probe.ports import Cluster, Instance
from probe.runner.trial.state import TrialState
from probe.verdict.patience import SELDOM_MS, usual_ms

FAULT_WINDOW_MS = 2000
"""Time after the fault in which the client shows its reaction. If brokers stay out of service for a known time,
operations are less frequent from then until shortly before its end."""
PROOF_SUCCESSES = 2 * OPERATIONS
"""Successes since it could recover that prove recovery: three of them, and as many that may have been under way."""
BEYOND_MS = 1000
"""A recovery later than this after the prompt time is late, and one interval more or less does not matter. Until its
first success, infrequent operations suffice to detect one."""
FULL_RATE_LEAD_S = 1.0
"""Time before the fault at which the short interval begins again, so that a current long interval ends before it."""
APART_MS = 1200
"""Interval of a trial that waits for the others of its cohort, which otherwise load the brokers."""
STEADY_MS = 3000
"""Time before the fault for which a cohort works at the short interval, once the current long ones have ended."""
BURST_MS = 10
"""Interval of the burst that follows a rest."""
BURST_LEAD_MS = 1000
"""Time after the fault at which drivers learn the interval of the burst. They adopt an interval at the next
operation, so by then they rest, and the burst begins when the rest is over."""
EASE_SHARE, MOST_EASE_MS = 50, 2000
"""Beyond the usual watch every answer to a client that stands still is delayed by 1/`EASE_SHARE` of the time since the
fault, at most `MOST_EASE_MS`: some clients ask again at once, for minutes."""
AWAY_MS = 10_000
"""Interval of a second instance after the window: the last of its cohort may be observed for minutes more."""


class RateNeed(Enum):
    """Purpose of a client's operations."""

    MEASURE = auto()
    """They measure times."""
    WAIT = auto()
    """No broker can serve them, or a slow recovery is under way."""
    LATE = auto()
    """They show whether a client that did not recover promptly does so at all."""
    SELDOM = auto()
    """A client that stands still is observed to the end, with hundreds of others."""
    LOOK = auto()
    """They show whether the state remains."""
    REST = auto()
    """There are none: connections are idle."""
    BURST = auto()
    """Many at once, on connections that were idle."""


class Pacing:
    """Sets the interval of one trial's instance, and of the records for it."""

    def __init__(
        self,
        state: TrialState,
        cluster: Cluster,
        instance: Instance,
        beside: Instance | None = None,
        ease: Callable[[int], None] = lambda _: None,
    ) -> None:
        """Start at the interval of the instance's start; `beside` is the bystander's instance, if any.

        `ease` delays all answers by some milliseconds while the client stands still (`Tap.ease`).
        """
        self._state, self._cluster, self._instance, self._beside = state, cluster, instance, beside
        pace = self._pace = state.item.pace
        self._now_ms, self._beside_ms = state.item.start_ms, pace.work_ms
        self._paces = {
            RateNeed.MEASURE: pace.work_ms,
            RateNeed.WAIT: pace.wait_ms,
            RateNeed.LATE: pace.late_ms,
            RateNeed.SELDOM: max(SELDOM_MS, pace.late_ms),
            RateNeed.LOOK: pace.work_ms if state.item.variant.busy else pace.idle_ms,
            RateNeed.REST: state.item.variant.idle_ms,
            RateNeed.BURST: BURST_MS if state.item.load.batch == 1 else pace.work_ms,
        }
        self._together = ENGINES[state.item.cell.engine].cohorts and bool(state.item.variant.steps)
        self._rests = state.item.variant.idle_ms > 0
        self._ease, self._eased_ms = ease, 0
        self._since: int | None = -1
        self._beat = state.item.load.beat(state.item.cell.role)
        self._before = 0

    async def wait(self, seconds: float) -> None:
        """Wait before the fault, with long intervals until shortly before it."""
        if self._together:
            await self._go(max(self._pace.work_ms, APART_MS))
        elif seconds > 2 * FULL_RATE_LEAD_S:
            await self._go(self._pace.idle_ms)
            await asyncio.sleep(seconds - FULL_RATE_LEAD_S)
            seconds = FULL_RATE_LEAD_S
            await self.speed_up()
        await asyncio.sleep(seconds)

    async def run_at_full_rate(self) -> None:
        """Wait for all of the cohort, then until all use the short interval. StragglerError if it is late."""
        if self._together:
            await self._cluster.await_cohort()
            await self.speed_up()
            await asyncio.sleep((APART_MS + (STEADY_MS if self._pace.work_ms < self._pace.warm_ms else 0)) / 1000)
        await self.speed_up()

    async def speed_up(self) -> None:
        """Use the short interval."""
        await self._go(self._pace.work_ms)

    async def rest(self) -> None:
        """Begin the scenario's rest, if it has one: drivers rest from their next operation on."""
        if self._rests:
            await self._go(self._paces[RateNeed.REST])

    async def await_revert(self) -> None:
        """Use the interval of the warm-up: the last of a cohort may be observed for minutes more."""
        await self._go(self._pace.warm_ms)

    def end_window(self) -> None:
        """Use a very long interval for the second instance, which is not needed after the window."""
        self._go_beside(AWAY_MS)
        self._ease_to(0)

    async def adapt(self) -> None:
        """Use the short interval around the fault, and from the possible recovery until it is proved or late."""
        need = self._need()
        self._ease_now(need)
        await self._go(self._paces[need])
        if self._together:
            least_ms = self._state.header.play.prompt_ms // 2 if need is RateNeed.LOOK else 0
            self._go_beside(max(self._pace.work_ms, least_ms))

    @property
    def is_seldom(self) -> bool:
        """Whether the client stands still and is looked at seldom."""
        return self._eased_ms > 0

    def _ease_now(self, need: RateNeed) -> None:
        gone_ms = (now_us() - self._state.fault_at) // 1000
        self._ease_to(min(MOST_EASE_MS, gone_ms // EASE_SHARE) if need is RateNeed.SELDOM else 0)

    def _ease_to(self, delay_ms: int) -> None:
        if delay_ms != self._eased_ms:
            self._eased_ms = delay_ms
            self._ease(delay_ms)

    def _need(self) -> RateNeed:
        state = self._state
        if self._rests:
            return self._need_at_rest()
        since = available_at(state)
        if since != self._since:
            self._since, self._before = since, _successes(state)
        succeeded = _successes(state) - self._before
        proved = succeeded >= PROOF_SUCCESSES * self._beat
        if not succeeded and waits_to_the_end(state):
            return RateNeed.SELDOM if self._pace.eased else RateNeed.MEASURE
        if since is None:
            return _need_before(state, proved=proved)
        if proved:
            return RateNeed.LOOK
        if now_us() - since <= (state.header.play.prompt_ms + BEYOND_MS) * 1000:
            return RateNeed.MEASURE
        return RateNeed.WAIT if succeeded else RateNeed.LATE

    def _need_at_rest(self) -> RateNeed:
        """Return the need until the burst has begun. Readers rest for as long as nothing is written for them."""
        state = self._state
        over = EngineKind.HEALED in state.recorder.engine
        self._rests = not over
        informed = over if ROLES[state.item.cell.role].reads else now_us() - state.fault_at >= BURST_LEAD_MS * 1000
        return RateNeed.BURST if informed else RateNeed.REST

    async def _go(self, interval_ms: int) -> None:
        if interval_ms == self._now_ms:
            return
        self._now_ms = interval_ms
        self._instance.set_interval(interval_ms)
        if ROLES[self._state.item.cell.role].reads:
            await self._cluster.set_interval(interval_ms)
        self._state.recorder.mark(MarkKind.PACED, str(interval_ms))

    def _go_beside(self, interval_ms: int) -> None:
        """Set the interval of a second instance, which only must not stall; its transactions are costly.

        Around the fault the interval stays short: a longer one would lengthen gaps that the client does not cause.
        """
        transactional = ROLES[self._state.item.cell.role].transactional
        if self._beside is not None and transactional and interval_ms != self._beside_ms:
            self._beside_ms = interval_ms
            self._beside.set_interval(interval_ms)


def _need_before(state: TrialState, *, proved: bool) -> RateNeed:
    """Return the need while no broker is known to be able to serve the client."""
    gone_ms, out_ms = (now_us() - state.fault_at) / 1000, out_of_service_ms(state)
    if proved and gone_ms > max(FAULT_WINDOW_MS, out_ms) + BEYOND_MS:
        return RateNeed.LOOK  # no revert or announcement is to come, and the client serves
    return RateNeed.WAIT if FAULT_WINDOW_MS < gone_ms < out_ms - FULL_RATE_LEAD_S * 1000 else RateNeed.MEASURE


def waits_to_the_end(state: TrialState) -> bool:
    """Return whether a client is observed beyond the usual watch, and could have recovered for some time."""
    if not state.header.limits.to_the_end:
        return False
    now, least_ms = now_us(), state.header.play.prompt_ms + BEYOND_MS
    since = available_at(state)
    return now - state.fault_at > usual_ms(state.header) * 1000 and (since is None or now - since > least_ms * 1000)


def available_at(state: TrialState) -> int | None:
    """Return the time from which the client can succeed, as far as known; None if it cannot yet."""
    engine, expects = state.recorder.engine, state.header.play.expects
    if expects is Reaction.DISCOVER:
        return engine.get(EngineKind.ANNOUNCED)
    return engine.get(EngineKind.HEALED) if expects is Reaction.RETRY else state.fault_at


def out_of_service_ms(state: TrialState) -> int:
    """Return the shortest time after the fault without service, in milliseconds; 0 if unknown."""
    return max(state.item.variant.heal_after_ms or 0, state.header.play.election_ms or 0)


def _successes(state: TrialState) -> int:
    """Count the operations that prove recovery."""
    recorder = state.recorder
    if ROLES[state.item.cell.role].transactional:
        return recorder.kinds[AppKind.TXN_COMMITTED]
    return state.successes
