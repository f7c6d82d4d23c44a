"""How instances are started: before the fault, under it, or a second one while it stands."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from probe.drivers.process import RunningInstance
from probe.model import Engine, EngineKind, Kind, MarkKind, Role, Target
from probe.model.placement import Spread, TopicPlan
from probe.runner.trial.environment import Stage
from probe.runner.trial.observation import break_it, watch_and_mend
from probe.runner.trial.pacing import Pacing
from probe.runner.trial.setup import make_start, make_subject, run_beside
from probe.runner.trial.state import Course
from probe.runner.trial.teardown import STOP_MS, stop
from probe.runner.trial.warm_up import WARM_S, serves, warm_up
from probe.scenarios.scenario import Part

LOOK_S = 0.2
MEET_S = 6.0
"""A first instance that the fault does not reach in this time is no longer waited for."""
SOON_S, LATE_S, SETTLE_S = 3.0, 20.0, 0.5
"""So long after the first hit whatever moves at once has moved; a quick election takes so long on a machine that has
no time for its brokers (6 s were seen); and so long after it the move is known everywhere."""
STARTS = 20
"""A client that takes its bootstrap addresses in random order is started until it meets the one that fails: with two
addresses it misses it always once in a million times, and after ten starts once in a thousand."""
FILL_MS = 10
"""So often until the fault, and a reader on the fake cluster is far beyond what is written after it."""
SILENCE_S = 1.5
"""So long after a client serves it is known whether one of its first requests is answered by silence."""


async def play(course: Course, stage: Stage) -> None:
    """Start instances as the scenario wants them, and watch the one that is judged."""
    part = course.item.part
    way = from_the_start if part.at_start else second_start if part.second else usual
    await way(course, stage)


async def prepare(course: Course, stage: Stage) -> None:
    """Create what the client works with, then wait for a place among those that start."""
    item = course.item
    plan = TopicPlan(feed_ms=_feed_ms(course), bystander_ms=item.bystander_ms, spread=spread_of(item.part))
    subject = await stage.cluster.prepare(course.header.subject, plan)
    course.header = replace(course.header, subject=subject)
    await stage.slot.take()


def spread_of(part: Part) -> Spread:
    """Return what the broker that fails has of the trial: the client meets it where the scenario wants that only."""
    coordinated = part.play.target is Target.COORDINATOR
    if part.at_start and not coordinated:
        return Spread.NOTHING
    if part.whole_broker:
        return Spread.COORDINATES_ONLY if coordinated else Spread.BYSTANDER_APART
    return Spread.SHARED


def _feed_ms(course: Course) -> int:
    """Return how often records are fed until the fault; 0 for who reads none.

    Real brokers are fed 2.5 a second, and warm-up there is long enough for a position that is not reached soon again.
    """
    cell = course.item.cell
    if not cell.role.reads:
        return 0
    return FILL_MS if course.item.part.much_read and cell.engine is Engine.EMBEDDED else course.item.beat_ms


async def usual(course: Course, stage: Stage) -> None:
    """Let a client warm up, then put the fault on."""
    await prepare(course, stage)
    item, recorder, tools = course.item, course.recorder, stage.tools
    start = make_start(item, course.header.subject, stage.tap)
    async with (
        tools.host.start(item.cell, start, recorder.add, alone=stage.alone) as instance,
        run_beside(course.header.subject, item, tools, start, recorder.add_beside) as beside,
    ):
        pacing = Pacing(course, stage.cluster, instance, beside)
        warm = await warm_up(course, pacing, stage.served)
        stage.slot.release()
        if warm:
            if _feed_ms(course) not in {0, item.beat_ms}:
                await stage.cluster.pace(item.beat_ms)
            await pacing.meet()
            await break_it(course, stage.cluster)
            await watch_and_mend(course, stage, pacing)
        await stop(course, instance, stage.cluster, alone=stage.alone)


async def second_start(course: Course, stage: Stage) -> None:
    """Let a first client warm up and meet the fault; start a second one while it stands, and judge that."""
    await prepare(course, stage)
    item, tools, name = course.item, stage.tools, course.header.subject.instance
    start = make_start(item, course.header.subject, stage.tap)
    async with tools.host.start(item.cell, start, course.recorder.add, alone=stage.alone) as first:
        pacing = Pacing(course, stage.cluster, first)
        if not await warm_up(course, pacing, stage.served):
            await stop(course, first, stage.cluster, alone=stage.alone)
            return
        await pacing.meet()
        await break_it(course, stage.cluster)
        await _meet(course)
        course.go_on_with(replace(course.header.subject, instance=f"{name}-2", client_id=f"{name}-2"))
        async with asyncio.TaskGroup() as group:
            leaving = group.create_task(first.stop(STOP_MS))
            if item.cell.role is Role.GROUP:
                await leaving  # a member that stays would keep its partitions
            await _judge(course, stage)


async def _meet(course: Course) -> None:
    """Wait until the fault has reached the client, and longer: whoever starts before the move is known asks in vain."""
    for _ in range(int(MEET_S / LOOK_S)):
        if course.recorder.ending is not None or await course.met():
            break
        await asyncio.sleep(LOOK_S)
    election_ms = course.header.play.election_ms
    if election_ms is None or election_ms < SOON_S * 1000:
        patience_s = SOON_S if election_ms is None else LATE_S
        await course.recorder.until(lambda now: EngineKind.ANNOUNCED in now.engine, patience_s)
    await asyncio.sleep(SETTLE_S)


async def _judge(course: Course, stage: Stage) -> None:
    start = make_start(course.item, course.header.subject, stage.tap)
    async with stage.tools.host.start(course.item.cell, start, course.recorder.add, alone=stage.alone) as instance:
        stage.slot.release()
        await watch_and_mend(course, stage, Pacing(course, stage.cluster, instance))
        await stop(course, instance, stage.cluster, alone=stage.alone)


async def from_the_start(course: Course, stage: Stage) -> None:
    """Put the fault on and start a client; start it anew until it meets the fault, a few times at most."""
    name, old = course.header.subject.instance, course.header.subject.old
    for attempt in range(1, STARTS + 1):
        await prepare(course, stage)
        await break_it(course, stage.cluster)
        start = make_start(course.item, course.header.subject, stage.tap)
        async with stage.tools.host.start(course.item.cell, start, course.recorder.add, alone=stage.alone) as instance:
            if attempt == STARTS or await _meets(course):
                stage.slot.release()
                await watch_and_mend(course, stage, Pacing(course, stage.cluster, instance))
                await stop(course, instance, stage.cluster, alone=stage.alone)
                return
            await _send_away(course, stage, instance)
        course.start_over(make_subject(course.item, f"{name}-{attempt + 1}", old))


async def _meets(course: Course) -> bool:
    """Say whether a client that has just started met the fault; one that does not serve may yet."""
    patience_s = SILENCE_S if course.header.play.kind is Kind.SILENCE else 0.0
    await course.recorder.until(lambda now: now.ending is not None or serves(course, now), WARM_S)
    if not await course.met():
        await asyncio.sleep(patience_s)
    return await course.met() or course.recorder.ending is not None or not serves(course, course.recorder)


async def _send_away(course: Course, stage: Stage, instance: RunningInstance) -> None:
    stage.rest()  # to mend may take until the last of a cohort is watched; other cohorts need not wait for that
    course.recorder.mark(MarkKind.STOPPING)
    await instance.stop(STOP_MS)
    for broker in (0, 1, 2, 3):
        await stage.tap.cut(broker)
    await stage.cluster.heal()
