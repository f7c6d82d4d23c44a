"""The fault is put on, watched and mended."""

from __future__ import annotations

import asyncio
import time
import zlib
from collections.abc import Mapping
from dataclasses import replace

from probe import verdict
from probe.model import Engine, EngineKind, MarkKind
from probe.model.clock import now_us
from probe.planning.plan import settled_after_s
from probe.ports import Cluster
from probe.runner.judge_executor import submit
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.pacing import Pacing
from probe.runner.trial.state import TrialState
from probe.runner.trial.warm_up import WARM_OPERATIONS, is_serving

SPREAD_MS = 1500
"""Looks at the trials of a cohort are spread over so long."""
POLL_S = 0.4
CHECK_SHARE, LONGEST_REST_MS = 50, 3000
"""A look takes this part of the time at the most, unless that keeps a trial for longer than so long."""
AFTER_REVERT_S = 5.0


async def inject_fault(state: TrialState, cluster: Cluster) -> None:
    """Put the fault on."""
    part = state.item.variant
    await cluster.inject(part.steps, state.header.play.election_ms)
    state.fault_at = state.recorder.engine.get(EngineKind.FAULT_ON) or now_us()
    if part.heal_after_ms == 0:
        await cluster.revert()


async def observe_and_revert(state: TrialState, environment: TrialEnvironment, pacing: Pacing) -> None:
    """Watch to the end, mend, and give a client that did not recover a moment."""
    part, options, lag = state.item.variant, environment.options, environment.tools.lag
    last = await _observe(state, environment, pacing)
    if state.item.cell.engine is Engine.KAFKA:
        environment.downgrade()  # who ended early, too: what comes next waits for the last of the cohort
    state.learn()
    end = state.recorder.mark(MarkKind.HEALING)
    pacing.end_window()
    state.header = replace(
        state.header,
        watched_ms=(end - state.fault_at) // 1000,
        shortened=options.watch_ms is not None and options.watch_ms < state.header.play.watch_ms,
        loop_lag_ms=lag.worst_ms(state.fault_at, end),
    )
    if part.heal_after_ms is None and part.steps and not await _closes_under_fault(state, last):
        await pacing.speed_up()
        await environment.cluster.revert()
        await _after_revert(state)


async def _observe(state: TrialState, environment: TrialEnvironment, pacing: Pacing) -> verdict.Outlook | None:
    """Watch until the verdict is certain, or the user's limit is reached; heal in time. Return the last look."""
    options, lag = environment.options, environment.tools.lag
    heal_ms = state.item.variant.heal_after_ms or None
    warm = not state.item.variant.at_start
    elapsed_ms, looks = 0, CheckBudget(state)
    kept_time_until = state.fault_at
    await asyncio.sleep(min(looks.apart_ms / SPREAD_MS * POLL_S, poll_s(0, heal_ms)))
    while True:
        await asyncio.sleep(poll_s(elapsed_ms, heal_ms))
        state.learn()
        await pacing.adapt()
        elapsed_ms = (now_us() - state.fault_at) // 1000
        state.header = replace(state.header, watched_ms=elapsed_ms)  # time passes where nothing happens, too
        if not warm and is_serving(state, state.recorder):
            state.recorder.mark(MarkKind.WARM)
            warm = True
        if heal_ms is not None and elapsed_ms >= heal_ms:
            await environment.cluster.revert()
            heal_ms = None
        if options.watch_ms is not None and elapsed_ms >= options.watch_ms:
            return looks.last
        if lag.worst_ms(kept_time_until, now_us()) > verdict.STALL_MS:
            return looks.last  # whatever comes now, the times of this trial are not to be trusted
        kept_time_until = now_us()
        if elapsed_ms >= settled_after_s(state.item) * 1000:
            environment.downgrade()
        if await looks.enough(elapsed_ms):
            return looks.last


class CheckBudget:
    """When a trial is looked at, and what the last look found."""

    def __init__(self, state: TrialState) -> None:
        """Begin with a first look as soon as one may find something."""
        self.last: verdict.Outlook | None = None
        self.apart_ms = stagger_ms(state)
        self._course, self._due_ms = state, state.item.variant.watch_least_ms
        self._heard = -1
        self._known: Mapping[EngineKind, int] = {}

    async def enough(self, elapsed_ms: int) -> bool:
        """Say whether watching on can change nothing; that is looked at only when it may have become true."""
        state = self._course
        due = elapsed_ms >= self._due_ms
        if due and self.last is not None and self.last.settled and self._known == state.recorder.engine:
            return True  # only a change of the brokers could make that another recovery
        if self._heard == event_count(state) and elapsed_ms < state.header.play.watch_ms:
            return False  # to read a long silence again and again is most of what a silence costs
        if not due and state.recorder.ending is None:
            return False
        heard, self._known, before = event_count(state), dict(state.recorder.engine), time.monotonic()
        self.last = found = await submit(verdict.outlook, state.history())
        left_ms = max(found.left_ms, pause_ms(time.monotonic() - before))
        self._due_ms = elapsed_ms + left_ms + (self.apart_ms if found.left_ms >= SPREAD_MS else 0)
        self._heard = heard if found.needs_event else -1
        return not found.left_ms


def event_count(state: TrialState) -> int:
    """Return how much was heard of the affected object so far."""
    recorder, subject = state.recorder, state.header.subject
    heard = sum(count for partition, count in recorder.told.items() if partition != subject.bystander)
    return heard + recorder.successes[subject.affected] + (recorder.ending is not None)


def stagger_ms(state: TrialState) -> int:
    """Return how much later than others this trial is looked at: the cells of a cohort would all be judged at once."""
    if state.item.cell.engine is not Engine.KAFKA:
        return 0
    return zlib.crc32(state.header.subject.instance.encode()) % SPREAD_MS


def pause_ms(took_s: float) -> int:
    """Return how long not to look again after a look that took so long: long histories take long to read.

    >>> rest_ms(0.004), rest_ms(0.02), rest_ms(1.0)
    (200, 1000, 3000)
    """
    return min(LONGEST_REST_MS, round(took_s * 1000) * CHECK_SHARE)


def poll_s(elapsed_ms: int, heal_ms: int | None) -> float:
    """Return how long to the next step, in seconds; the healing is due at its time and not at the step after it."""
    return POLL_S if heal_ms is None else min(POLL_S, max(0, heal_ms - elapsed_ms) / 1000)


async def _closes_under_fault(state: TrialState, last: verdict.Outlook | None) -> bool:
    """Say whether the client is closed while the fault stands, which tells how long that takes it.

    One that did not recover is, in every second trial; in the others the fault is mended first, to see if that helps.
    """
    if state.recorder.ending is not None:
        return False
    recovered = last.recovered if last else None
    if recovered is None:
        recovered = (await submit(verdict.judge, state.history())).facts.recovered
    return recovered is not False or state.header.trial % 2 == 1


async def _after_revert(state: TrialState) -> None:
    """Give a client that did not recover a moment with the fault mended."""
    recorder, subject = state.recorder, state.header.subject
    if recorder.ending is not None:
        return
    before = recorder.successes[subject.affected]
    await recorder.until(
        lambda now: now.ending is not None or now.successes[subject.affected] >= before + WARM_OPERATIONS + 1,
        AFTER_REVERT_S,
    )
