"""Fault and observation: the fault is injected, observed and reverted."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace

from probe import verdict
from probe.model import EngineKind, MarkKind
from probe.model.clock import now_us
from probe.model.engines import ENGINES
from probe.planning.plan import settled_after_s
from probe.runner.judge_executor import submit
from probe.runner.trial.client_limits import with_own_timeout
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.pacing import Pacing
from probe.runner.trial.state import TrialState
from probe.runner.trial.warm_up import WARM_OPERATIONS, is_serving
from probe.verdict.patience import patience_ms, usual_ms

SPREAD_MS = 1500
"""Time over which the checks of a cohort's trials are spread."""
POLL_S = 0.4
SELDOM_S = 1.0
"""The same for a client that stands still beyond the usual watch: hundreds of them wait at once."""
CHECK_SHARE, LONGEST_REST_MS = 50, 3000
"""A check takes at most 1/`CHECK_SHARE` of the time, except that a pause is never longer than `LONGEST_REST_MS`."""
AFTER_REVERT_S = 5.0
LONGER = 1.25
"""A client that stands still beyond the usual watch is checked again when it did so for longer by this factor."""


async def inject_fault(state: TrialState, environment: TrialEnvironment) -> None:
    """Inject the fault. CrowdedError if the trial's cohort is too large for it."""
    part = state.item.variant
    environment.ready(state.history)
    await environment.inject(with_own_timeout(part.steps, state.header.settings), state.header.play.election_ms)
    state.fault_at = state.recorder.engine.get(EngineKind.FAULT_ON) or now_us()
    if part.heal_after_ms == 0:
        await environment.revert()


async def nothing() -> None:
    """End no absence."""


async def observe_and_revert(
    state: TrialState,
    environment: TrialEnvironment,
    pacing: Pacing,
    come_back: Callable[[], Awaitable[None]] = nothing,
) -> None:
    """Observe to the end, revert, and give a client that did not recover a moment.

    `come_back` is called before a revert within the observation.
    """
    part, lag = state.item.variant, environment.tools.lag
    limit_ms = state.item.limit_ms(environment.options.watch_ms)
    last = await _observe(state, environment, pacing, come_back)
    if ENGINES[state.item.cell.engine].cohorts:
        environment.downgrade()  # also after an early end: the next steps wait for the last of the cohort
    state.learn()
    end = state.recorder.mark(MarkKind.HEALING)
    pacing.end_window()
    state.header = replace(
        state.header,
        watched_ms=(end - state.fault_at) // 1000,
        shortened=limit_ms is not None and limit_ms < state.header.play.watch_ms,
        loop_lag_ms=lag.worst_ms(state.fault_at, end),
    )
    if part.heal_after_ms is None and part.steps and not await _closes_under_fault(state, last):
        await pacing.await_revert()
        await environment.revert()
        await _after_revert(state)


async def _observe(
    state: TrialState,
    environment: TrialEnvironment,
    pacing: Pacing,
    come_back: Callable[[], Awaitable[None]] = nothing,
) -> verdict.Outlook | None:
    """Observe until the verdict is certain or the user's limit is reached; revert in time. Return the last outlook."""
    limit_ms, lag = state.item.limit_ms(environment.options.watch_ms), environment.tools.lag
    heal_ms = state.item.variant.heal_after_ms or None
    warm = not state.item.variant.at_start
    elapsed_ms, looks = 0, CheckBudget(state)
    kept_time_until = state.fault_at
    await asyncio.sleep(min(looks.apart_ms / SPREAD_MS * POLL_S, poll_s(0, heal_ms)))
    while True:
        await asyncio.sleep(poll_s(elapsed_ms, heal_ms, seldom=pacing.is_seldom))
        state.learn()
        await pacing.adapt()
        elapsed_ms = (now_us() - state.fault_at) // 1000
        state.header = replace(state.header, watched_ms=elapsed_ms)  # time also passes without events
        if not warm and is_serving(state, state.recorder):
            state.recorder.mark(MarkKind.WARM)
            warm = True
        if heal_ms is not None and elapsed_ms >= heal_ms:
            await come_back()
            await environment.revert()
            heal_ms = None
        if limit_ms is not None and elapsed_ms >= limit_ms:
            return looks.last
        if lag.worst_ms(kept_time_until, now_us()) > verdict.STALL_MS:
            return looks.last  # the times of this trial cannot be trusted any more
        kept_time_until = now_us()
        if elapsed_ms >= settled_after_s(state.item) * 1000:
            environment.downgrade()
        if await looks.enough(elapsed_ms):
            return looks.last


class CheckBudget:
    """Decides when a trial is checked, and keeps the outlook of the last check."""

    def __init__(self, state: TrialState) -> None:
        """Schedule the first check for the earliest time at which it may decide."""
        self.last: verdict.Outlook | None = None
        self.apart_ms = stagger_ms(state)
        self._state, self._due_ms = state, state.item.variant.watch_least_ms
        self._count, self._served = -1, -1
        self._again_ms = 0.0
        self._known: Mapping[EngineKind, int] = {}

    async def enough(self, elapsed_ms: int) -> bool:
        """Return whether more observation can change nothing; checked only when that may have become true."""
        state = self._state
        due = elapsed_ms >= self._due_ms
        if due and self.last is not None and self.last.settled and self._known == state.recorder.engine:
            return True  # only a change of the brokers could still cause another recovery
        if self._count == event_count(state) and elapsed_ms < state.header.play.watch_ms:
            return False  # repeated checks of a silent history would cost most of the CPU of a long observation
        if not due and state.recorder.ending is None:
            return False
        if self._stands_still(elapsed_ms):
            return False
        count, self._known, before = event_count(state), dict(state.recorder.engine), time.monotonic()
        self.last = found = await submit(verdict.outlook, state.history())
        self._served, self._again_ms = state.successes, elapsed_ms * LONGER
        left_ms = max(found.left_ms, pause_ms(time.monotonic() - before))
        self._due_ms = elapsed_ms + left_ms + (self.apart_ms if found.left_ms >= SPREAD_MS else 0)
        self._count = count if found.needs_event else -1
        return not found.left_ms

    def _stands_still(self, elapsed_ms: int) -> bool:
        """Return whether a client that is observed to the end has done nothing new since the last check.

        Hundreds of trials wait at once, and each check reads the whole history.
        """
        state = self._state
        if not state.header.limits.to_the_end or state.recorder.ending is not None:
            return False
        if not usual_ms(state.header) < elapsed_ms < patience_ms(state.header):
            return False
        return self._served == state.successes and elapsed_ms < self._again_ms


def event_count(state: TrialState) -> int:
    """Return the number of events of the affected object so far."""
    recorder, subject = state.recorder, state.header.subject
    count = sum(count for partition, count in recorder.reports.items() if partition != subject.bystander)
    return count + state.successes + (recorder.ending is not None)


def stagger_ms(state: TrialState) -> int:
    """Return the delay of this trial's checks, in milliseconds, so that cells of a cohort are checked in turn."""
    if not ENGINES[state.item.cell.engine].cohorts:
        return 0
    return zlib.crc32(state.header.subject.instance.encode()) % SPREAD_MS


def pause_ms(took_s: float) -> int:
    """Return the milliseconds until the next check after one that took `took_s`: long histories take long to read.

    >>> pause_ms(0.004), pause_ms(0.02), pause_ms(1.0)
    (200, 1000, 3000)
    """
    return min(LONGEST_REST_MS, round(took_s * 1000) * CHECK_SHARE)


def poll_s(elapsed_ms: int, heal_ms: int | None, *, seldom: bool = False) -> float:
    """Return the seconds until the next step, at most until the revert is due."""
    usual_s = SELDOM_S if seldom else POLL_S
    return usual_s if heal_ms is None else min(usual_s, max(0, heal_ms - elapsed_ms) / 1000)


async def _closes_under_fault(state: TrialState, last: verdict.Outlook | None) -> bool:
    """Return whether the client is closed under the fault, which shows how long that takes.

    A client that did not recover is closed under the fault in every second trial. In the others the fault is reverted
    first, to see if that helps.
    """
    if state.recorder.ending is not None:
        return False
    recovered = last.recovered if last else None
    if recovered is None:
        recovered = (await submit(verdict.judge, state.history())).facts.recovered
    return recovered is not False or state.header.trial % 2 == 1


async def _after_revert(state: TrialState) -> None:
    """Give a client that did not recover a moment after the revert."""
    recorder = state.recorder
    if recorder.ending is not None:
        return
    enough = state.successes + (WARM_OPERATIONS + 1) * state.item.load.beat(state.item.cell.role)
    await recorder.until(
        lambda now: now.ending is not None or state.successes >= enough,
        AFTER_REVERT_S,
    )
