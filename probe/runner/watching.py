"""The fault is put on, watched and mended."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from probe import verdict
from probe.model import EngineKind, MarkKind
from probe.ports import Cluster
from probe.recorder import now_us
from probe.runner.course import Course
from probe.runner.tools import Options, Tools
from probe.runner.warming import WARM_OPERATIONS, serves

LOOK_S = 0.4
SOONEST_MS = 5000
LOOKS = 50
"""Long watches are looked at less often: so many times at the most in the time that passed."""
AFTER_HEAL_S = 5.0


async def break_it(course: Course, cluster: Cluster) -> None:
    """Put the fault on."""
    part = course.item.part
    await cluster.inject(part.steps, course.header.play.election_ms)
    course.fault_at = course.recorder.engine.get(EngineKind.FAULT_ON) or now_us()
    if part.heal_after_ms == 0:
        await cluster.heal()


async def watch_and_mend(course: Course, cluster: Cluster, tools: Tools, options: Options) -> None:
    """Watch to the end, mend, and give a client that did not recover a moment."""
    part = course.item.part
    await _watch(course, cluster, options)
    course.learn()
    end = course.recorder.mark(MarkKind.HEALING)
    course.header = replace(
        course.header,
        watched_ms=(end - course.fault_at) // 1000,
        shortened=options.watch_ms is not None and options.watch_ms < course.header.play.watch_ms,
        loop_lag_ms=tools.lag.worst_ms(course.fault_at, end),
    )
    if part.heal_after_ms is None and part.steps and not _closes_under_fault(course):
        await cluster.heal()
        await _after_heal(course)


async def _watch(course: Course, cluster: Cluster, options: Options) -> None:
    """Watch until the verdict is certain or the user's limit is reached; heal in time."""
    heal_ms = course.item.part.heal_after_ms or None
    warm = not course.item.part.at_start
    elapsed_ms = 0
    while True:
        await asyncio.sleep(nap_s(elapsed_ms, heal_ms))
        course.learn()
        elapsed_ms = (now_us() - course.fault_at) // 1000
        if not warm and serves(course, course.recorder):
            course.recorder.mark(MarkKind.WARM)
            warm = True
        if heal_ms is not None and elapsed_ms >= heal_ms:
            await cluster.heal()
            heal_ms = None
        over = options.watch_ms is not None and elapsed_ms >= options.watch_ms
        if over or (_worth_a_look(course, elapsed_ms) and verdict.certain(course.history())):
            return


def _worth_a_look(course: Course, elapsed_ms: int) -> bool:
    """Say whether anything can be certain yet: not before the shortest storm watch, unless the client ended."""
    return course.recorder.ending is not None or elapsed_ms >= min(SOONEST_MS, course.header.play.watch_ms)


def nap_s(elapsed_ms: int, heal_ms: int | None) -> float:
    """Return how long to the next look, in seconds; the healing is due at its time and not at the look after it."""
    nap = max(LOOK_S, elapsed_ms / 1000 / LOOKS)
    return nap if heal_ms is None else min(nap, max(0, heal_ms - elapsed_ms) / 1000)


def _closes_under_fault(course: Course) -> bool:
    """Say whether the client is closed while the fault stands, which tells how long that takes it.

    One that did not recover is, in every second trial; in the others the fault is mended first, to see if that helps.
    """
    if course.recorder.ending is not None:
        return False
    return verdict.judge(course.history()).facts.recovered is not False or course.header.trial % 2 == 1


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
