"""One trial: a cluster, a client, one fault, and everything that was seen."""

from __future__ import annotations

import asyncio
import random
from dataclasses import dataclass, replace

from probe import verdict
from probe.drivers.process import RunningInstance
from probe.model import (
    App,
    AppKind,
    EngineEvent,
    EngineKind,
    Header,
    History,
    Kind,
    MarkKind,
    Role,
)
from probe.plan import Planned
from probe.ports import Cluster
from probe.recorder import Recorder, now_us
from probe.runner.cast import INTERVAL_MS, make_header, make_start, run_beside
from probe.runner.limits import own_limit_ms, refresh_ms
from probe.runner.tools import Options, Tools

WARM_S = 45.0
"""A client that serves nothing for so long has no steady state here."""
WARM_OPERATIONS = 3
LOOK_S = 0.4
AFTER_HEAL_S = 5.0
STOP_MS = 5000
ELECTION_TOLERANCE_MS = 40
SHORT_REFRESH_MS = 5000
"""A periodic refresh at least this often ticks three times before the fault, which comes at a seeded phase."""


class DriverLostError(OSError):
    """The driver process ended under the trial; it is tried again alone."""


@dataclass
class _Course:
    """What changes while a trial runs."""

    item: Planned
    header: Header
    recorder: Recorder
    fault_at: int = 0
    lost: str = ""

    def history(self) -> History:
        return self.recorder.history(self.header)

    def problem(self, text: str) -> None:
        self.header = replace(self.header, problems=(*self.header.problems, text))


async def run_trial(
    item: Planned, trial: int, tools: Tools, options: Options, starting: asyncio.Semaphore, *, alone: bool = False
) -> History:
    """Run one trial; failures of the harness stand in the header's problems.

    Raises DriverLostError when the driver process ended and the trial did not run alone.
    """
    course = _Course(item, make_header(item, trial, tools, options), Recorder())
    slot = _StartingSlot(starting)
    await starting.acquire()
    try:
        async with asyncio.timeout(_hard_limit_s(item)):
            await _run(course, tools, options, slot, alone=alone)
    except (OSError, TimeoutError) as error:
        if isinstance(error, DriverLostError):
            raise
        course.problem(str(error) or f"took longer than {_hard_limit_s(item):.0f} s")
    finally:
        slot.release()
    return course.history()


class _StartingSlot:
    """One place among the trials that start, given back once."""

    def __init__(self, starting: asyncio.Semaphore) -> None:
        self._starting = starting
        self._held = True

    def release(self) -> None:
        if self._held:
            self._held = False
            self._starting.release()


async def _run(course: _Course, tools: Tools, options: Options, slot: _StartingSlot, *, alone: bool) -> None:
    item, recorder = course.item, course.recorder
    async with tools.engine.cluster(item.cell.broker, recorder.add) as (cluster, tap):
        feed_ms = INTERVAL_MS if item.cell.role in {Role.CONSUMER, Role.GROUP} else 0
        subject = await cluster.prepare(course.header.subject, feed_ms=feed_ms, apart=item.part.whole_broker)
        course.header = replace(course.header, subject=subject)
        start = make_start(item, subject, tap)
        async with (
            tools.host.start(item.cell, start, recorder.add, alone=alone) as instance,
            run_beside(course.header.subject, item, tools, start, recorder.add_beside),
        ):
            warm = await _warm_up(course)
            slot.release()
            if warm:
                await _break_and_watch(course, cluster, tools, options)
            await _stop(course, instance)
            _check_driver(course, instance, alone=alone)
        await _take_stock(course, cluster)


async def _warm_up(course: _Course) -> bool:
    """Wait until operations succeed on both partitions and metadata is old enough; say whether they do."""
    recorder, subject, role = course.recorder, course.header.subject, course.item.cell.role
    partitions = (subject.affected, subject.bystander)

    def ready(now: Recorder) -> bool:
        served = all(now.successes[partition] >= WARM_OPERATIONS for partition in partitions)
        if role is Role.TRANSACTIONAL:
            served = now.kinds[AppKind.TXN_COMMITTED] >= WARM_OPERATIONS
        if subject.bystander_instance:
            served = served and now.beside >= WARM_OPERATIONS
        return now.ending is not None or (served and (role is not Role.GROUP or now.kinds[AppKind.COMMITTED] > 0))

    reached = await recorder.until(ready, WARM_S)
    if recorder.ending is not None:
        _ended_early(course, recorder.ending)
        return False
    if not reached:
        counts = ", ".join(f"{recorder.successes[partition]} on partition {partition}" for partition in partitions)
        course.problem(f"warm-up did not end within {WARM_S:.0f} s: {counts} succeeded")
        return False
    course.header = replace(
        course.header,
        settings=recorder.settings,
        limits=replace(course.header.limits, own_limit_ms=own_limit_ms(course.header.play, recorder.settings)),
    )
    if reason := _impossible(course):
        course.header = replace(course.header, impossible=reason)
        return False
    recorder.mark(MarkKind.WARM)
    await asyncio.sleep(_phase_s(course))
    return True


def _impossible(course: _Course) -> str:
    """Say why this client, as it is set, cannot meet the fault."""
    acks = course.recorder.settings.get("acks", "all")
    if course.item.part.acks_all and acks not in {"all", "-1"}:
        return f"it writes with acks={acks}, which waits for no other replica; profile idempotent asks for all"
    return ""


def _ended_early(course: _Course, ending: App) -> None:
    if ending.kind is AppKind.UNSUPPORTED:
        course.header = replace(course.header, impossible=ending.text or "the driver says so")
    else:
        reason = ending.text or (ending.error.text if ending.error else "")
        course.problem(f"the client ended in warm-up ({ending.kind}): {reason}")


def _phase_s(course: _Course) -> float:
    """Return how long to wait before the fault: past the minimum discovery age, at a seeded phase of any refresh."""
    header = course.header
    rng = random.Random(f"{header.seed}/{header.cell}/{header.trial}")  # noqa: S311  # no secret
    every_ms = refresh_ms(course.recorder.settings)
    age_ms = course.header.limits.min_discovery_age_ms
    left_ms = max(0, age_ms - (now_us() - course.recorder.discovered_at) // 1000) if age_ms else 0
    if 0 < every_ms <= SHORT_REFRESH_MS:
        left_ms = max(left_ms, 3 * every_ms) + rng.randrange(every_ms)
    return (left_ms + rng.randrange(INTERVAL_MS)) / 1000


async def _break_and_watch(course: _Course, cluster: Cluster, tools: Tools, options: Options) -> None:
    item, recorder = course.item, course.recorder
    await cluster.inject(item.part.steps, course.header.play.election_ms)
    course.fault_at = recorder.engine.get(EngineKind.FAULT_ON) or now_us()
    if item.part.heal_after_ms == 0:
        await cluster.heal()
    await _watch(course, cluster, options)
    end = recorder.mark(MarkKind.HEALING)
    course.header = replace(
        course.header,
        watched_ms=(end - course.fault_at) // 1000,
        shortened=options.watch_ms is not None and options.watch_ms < item.play.watch_ms,
        loop_lag_ms=tools.lag.worst_ms(course.fault_at, end),
    )
    if item.part.heal_after_ms is None and item.part.steps:
        await cluster.heal()
        await _after_heal(course)


async def _watch(course: _Course, cluster: Cluster, options: Options) -> None:
    """Watch until the verdict is certain, patience is over, or the user's limit is reached; heal in time."""
    item = course.item
    heal_ms = item.part.heal_after_ms or None
    limit_ms = verdict.patience_ms(course.header)
    if options.watch_ms is not None:
        limit_ms = min(limit_ms, options.watch_ms)
    while True:
        await asyncio.sleep(LOOK_S)
        elapsed_ms = (now_us() - course.fault_at) // 1000
        if heal_ms is not None and elapsed_ms >= heal_ms:
            await cluster.heal()
            heal_ms = None
        if elapsed_ms >= limit_ms or verdict.certain(course.history()):
            return


async def _after_heal(course: _Course) -> None:
    """Give a client that did not recover a moment with the fault mended."""
    recorder, subject = course.recorder, course.header.subject
    if recorder.ending is not None or verdict.judge(course.history()).facts.recovered is not False:
        return
    before = recorder.successes[subject.affected]
    await recorder.until(
        lambda now: now.ending is not None or now.successes[subject.affected] >= before + WARM_OPERATIONS + 1,
        AFTER_HEAL_S,
    )


async def _stop(course: _Course, instance: RunningInstance) -> None:
    if course.recorder.ending is None:
        course.recorder.mark(MarkKind.STOPPING)
        await instance.stop(STOP_MS)
    course.recorder.mark(MarkKind.STOPPED)
    course.header = replace(course.header, clock_error_us=instance.clock_error_us)


def _check_driver(course: _Course, instance: RunningInstance, *, alone: bool) -> None:
    if instance.died and not alone:
        raise DriverLostError(instance.died)
    if not instance.ended.is_set():
        course.problem("the driver did not end the instance within its deadline")


async def _take_stock(course: _Course, cluster: Cluster) -> None:
    """Cross-check the witnesses and read everything back."""
    for text in await cluster.problems():
        course.problem(text)
    if not course.header.impossible:
        back = await cluster.read_back()
        course.header = replace(course.header, stored=back.stored, committed=back.committed)
    course.recorder.mark(MarkKind.END)
    if text := _late_election(course.history()):
        course.problem(text)


def _late_election(history: History) -> str:
    """Say so if the fake moved the leader at another time than asked."""
    asked = history.header.play.election_ms
    for event in history.events:
        if isinstance(event, EngineEvent) and event.kind is EngineKind.MOVED and asked is not None and event.value >= 0:
            if abs(event.value - asked) > ELECTION_TOLERANCE_MS:
                return f"the leader moved {event.value} ms after the first hit, not {asked}"
            return ""
    return ""


def _hard_limit_s(item: Planned) -> float:
    """Return a limit that no healthy trial reaches: starting under load, the longest patience, healing, closing."""
    longest = 420.0 if item.play.kind is Kind.SILENCE or item.cell.role is Role.GROUP else 60.0
    return 240.0 + item.play.watch_ms / 1000 + longest
