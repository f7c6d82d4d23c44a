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
from probe.planning.plan import rest_after_s
from probe.ports import Cluster
from probe.runner.judge_executor import ask
from probe.runner.trial.environment import Stage
from probe.runner.trial.pacing import Pacing
from probe.runner.trial.state import Course
from probe.runner.trial.warm_up import WARM_OPERATIONS, serves

SPREAD_MS = 1500
"""Looks at the trials of a cohort are spread over so long."""
NAP_S = 0.4
LOOKS, LONGEST_REST_MS = 50, 3000
"""A look takes this part of the time at the most, unless that keeps a trial for longer than so long."""
AFTER_HEAL_S = 5.0


async def break_it(course: Course, cluster: Cluster) -> None:
    """Put the fault on."""
    part = course.item.part
    await cluster.inject(part.steps, course.header.play.election_ms)
    course.fault_at = course.recorder.engine.get(EngineKind.FAULT_ON) or now_us()
    if part.heal_after_ms == 0:
        await cluster.heal()


async def watch_and_mend(course: Course, stage: Stage, pacing: Pacing) -> None:
    """Watch to the end, mend, and give a client that did not recover a moment."""
    part, options, lag = course.item.part, stage.options, stage.tools.lag
    last = await _watch(course, stage, pacing)
    if course.item.cell.engine is Engine.KAFKA:
        stage.rest()  # who ended early, too: what comes next waits for the last of the cohort
    course.learn()
    end = course.recorder.mark(MarkKind.HEALING)
    pacing.end_window()
    course.header = replace(
        course.header,
        watched_ms=(end - course.fault_at) // 1000,
        shortened=options.watch_ms is not None and options.watch_ms < course.header.play.watch_ms,
        loop_lag_ms=lag.worst_ms(course.fault_at, end),
    )
    if part.heal_after_ms is None and part.steps and not await _closes_under_fault(course, last):
        await pacing.quicken()
        await stage.cluster.heal()
        await _after_heal(course)


async def _watch(course: Course, stage: Stage, pacing: Pacing) -> verdict.Outlook | None:
    """Watch until the verdict is certain, or the user's limit is reached; heal in time. Return the last look."""
    options, lag = stage.options, stage.tools.lag
    heal_ms = course.item.part.heal_after_ms or None
    warm = not course.item.part.at_start
    elapsed_ms, looks = 0, Looks(course)
    kept_time_until = course.fault_at
    await asyncio.sleep(min(looks.apart_ms / SPREAD_MS * NAP_S, nap_s(0, heal_ms)))
    while True:
        await asyncio.sleep(nap_s(elapsed_ms, heal_ms))
        course.learn()
        await pacing.adapt()
        elapsed_ms = (now_us() - course.fault_at) // 1000
        course.header = replace(course.header, watched_ms=elapsed_ms)  # time passes where nothing happens, too
        if not warm and serves(course, course.recorder):
            course.recorder.mark(MarkKind.WARM)
            warm = True
        if heal_ms is not None and elapsed_ms >= heal_ms:
            await stage.cluster.heal()
            heal_ms = None
        if options.watch_ms is not None and elapsed_ms >= options.watch_ms:
            return looks.last
        if lag.worst_ms(kept_time_until, now_us()) > verdict.STALL_MS:
            return looks.last  # whatever comes now, the times of this trial are not to be trusted
        kept_time_until = now_us()
        if elapsed_ms >= rest_after_s(course.item) * 1000:
            stage.rest()
        if await looks.enough(elapsed_ms):
            return looks.last


class Looks:
    """When a trial is looked at, and what the last look found."""

    def __init__(self, course: Course) -> None:
        """Begin with a first look as soon as one may find something."""
        self.last: verdict.Outlook | None = None
        self.apart_ms = stagger_ms(course)
        self._course, self._due_ms = course, course.item.part.watch_least_ms
        self._heard = -1
        self._known: Mapping[EngineKind, int] = {}

    async def enough(self, elapsed_ms: int) -> bool:
        """Say whether watching on can change nothing; that is looked at only when it may have become true."""
        course = self._course
        due = elapsed_ms >= self._due_ms
        if due and self.last is not None and self.last.settled and self._known == course.recorder.engine:
            return True  # only a change of the brokers could make that another recovery
        if self._heard == told(course) and elapsed_ms < course.header.play.watch_ms:
            return False  # to read a long silence again and again is most of what a silence costs
        if not due and course.recorder.ending is None:
            return False
        heard, self._known, before = told(course), dict(course.recorder.engine), time.monotonic()
        self.last = found = await ask(verdict.outlook, course.history())
        left_ms = max(found.left_ms, rest_ms(time.monotonic() - before))
        self._due_ms = elapsed_ms + left_ms + (self.apart_ms if found.left_ms >= SPREAD_MS else 0)
        self._heard = heard if found.needs_event else -1
        return not found.left_ms


def told(course: Course) -> int:
    """Return how much was heard of the affected object so far."""
    recorder, subject = course.recorder, course.header.subject
    heard = sum(count for partition, count in recorder.told.items() if partition != subject.bystander)
    return heard + recorder.successes[subject.affected] + (recorder.ending is not None)


def stagger_ms(course: Course) -> int:
    """Return how much later than others this trial is looked at: the cells of a cohort would all be judged at once."""
    if course.item.cell.engine is not Engine.KAFKA:
        return 0
    return zlib.crc32(course.header.subject.instance.encode()) % SPREAD_MS


def rest_ms(took_s: float) -> int:
    """Return how long not to look again after a look that took so long: long histories take long to read.

    >>> rest_ms(0.004), rest_ms(0.02), rest_ms(1.0)
    (200, 1000, 3000)
    """
    return min(LONGEST_REST_MS, round(took_s * 1000) * LOOKS)


def nap_s(elapsed_ms: int, heal_ms: int | None) -> float:
    """Return how long to the next step, in seconds; the healing is due at its time and not at the step after it."""
    return NAP_S if heal_ms is None else min(NAP_S, max(0, heal_ms - elapsed_ms) / 1000)


async def _closes_under_fault(course: Course, last: verdict.Outlook | None) -> bool:
    """Say whether the client is closed while the fault stands, which tells how long that takes it.

    One that did not recover is, in every second trial; in the others the fault is mended first, to see if that helps.
    """
    if course.recorder.ending is not None:
        return False
    recovered = last.recovered if last else None
    if recovered is None:
        recovered = (await ask(verdict.judge, course.history())).facts.recovered
    return recovered is not False or course.header.trial % 2 == 1


async def _after_heal(course: Course) -> None:
    """Give a client that did not recover a moment with the fault mended."""
    recorder, subject = course.recorder, course.header.subject
    if recorder.ending is not None:
        return
    before = recorder.successes[subject.affected]
    await recorder.until(
        lambda now: now.ending is not None or now.successes[subject.affected] >= before + WARM_OPERATIONS + 1,
        AFTER_HEAL_S,
    )
