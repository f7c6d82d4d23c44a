"""Start modes of instances: before the fault, under it, or as a second one under it."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from probe.drivers.process import RunningInstance
from probe.model import EngineKind, MarkKind, Reaction, Symptom, Target
from probe.model.engines import ENGINES
from probe.model.placement import Spread, TopicPlan
from probe.model.roles import ROLES
from probe.runner.trial.absence import away
from probe.runner.trial.closing import close_under_the_fault
from probe.runner.trial.environment import TrialEnvironment
from probe.runner.trial.harmless_election import hold_election, holds_election
from probe.runner.trial.members import members
from probe.runner.trial.observation import inject_fault, observe_and_revert
from probe.runner.trial.pacing import Pacing
from probe.runner.trial.phases import await_fresh, await_phase
from probe.runner.trial.setup import make_subject, run_bystander
from probe.runner.trial.state import TrialState
from probe.runner.trial.teardown import STOP_MS, stop_instance
from probe.runner.trial.warm_up import WARM_S, check_life, is_serving, nothing, warm_up
from probe.scenarios.scenario import RoleVariant
from probe.scenarios.steps.handshakes import AskForCertificates, SpoilHandshakes
from probe.scenarios.steps.logins import RefuseLogins

CHECK_S = 0.2
FIRST_HIT_S = 6.0
"""Longest wait for the fault to reach a first instance."""
SOON_S, LATE_S, SETTLE_S = 3.0, 20.0, 0.5
"""Seconds from the first hit until a leader or coordinator that moves at once has moved; the same for a quick election
on an overloaded machine; and from a move until all brokers know it."""
MAX_STARTS = 20
"""Most starts of a client that picks its bootstrap addresses in random order, until it meets the failing one. With two
addresses, one in a million clients never meets it."""
FILL_INTERVAL_MS = 10
"""Interval of records before the fault, so that a reader on the fake cluster is far beyond later records."""
SILENCE_S = 1.5
"""Time after which a serving client has shown whether one of its first requests meets silence."""


async def run_instances(state: TrialState, environment: TrialEnvironment) -> None:
    """Start instances in the scenario's start mode, and observe the one that is judged."""
    part = state.item.variant
    way = under_the_fault if part.at_start else second_instance if part.second_instance else before_the_fault
    await way(state, environment)


async def prepare(state: TrialState, environment: TrialEnvironment) -> None:
    """Create the topic and other subjects, then wait for a slot among the trials that start."""
    item = state.item
    plan = TopicPlan(
        feed_ms=_background_interval_ms(state),
        bystander_ms=item.pace.bystander_ms,
        spread=spread_of(item.variant),
        elects=holds_election(item, young=environment.young),
        elected=not item.variant.unelected,
        unused_id=item.variant.absence is not None,
        batch=item.load.batch,
        racks=item.variant.cluster.racks,
        group_topics=item.chosen.family.group_topics,
    )
    subject = await environment.cluster.prepare(state.header.subject, plan)
    state.header = replace(state.header, subject=subject)
    await environment.slot.take()


def spread_of(part: RoleVariant) -> Spread:
    """Return the failing broker's share of the trial; the client meets it only where the scenario requires it."""
    coordinated = part.expectation.target is Target.COORDINATOR
    if part.at_start and not coordinated:
        return Spread.NOTHING
    if part.follows:
        return Spread.FOLLOWS
    if part.whole_broker:
        return Spread.COORDINATES_ONLY if coordinated else Spread.BYSTANDER_APART
    return Spread.SHARED


def _background_interval_ms(state: TrialState) -> int:
    """Return the interval of records before the fault, in milliseconds; 0 for roles that read none.

    Warm-up on real brokers is long enough for a position far beyond later records.
    """
    cell = state.item.cell
    if not ROLES[cell.role].reads:
        return 0
    fills = state.item.variant.long_read and ENGINES[cell.engine].fills_log and state.item.load.batch == 1
    return FILL_INTERVAL_MS if fills else state.item.start_ms


async def before_the_fault(state: TrialState, environment: TrialEnvironment) -> None:
    """Let a client warm up, then inject the fault; observe it, or close it under the fault."""
    await prepare(state, environment)
    item, recorder, tools = state.item, state.recorder, environment.tools
    start = environment.start_of(item, state.header.subject)
    alone = environment.alone or item.variant.alone
    async with (
        tools.host.start(item.cell, start, recorder.add, alone=alone) as instance,
        run_bystander(state.header.subject, item, tools, start, recorder.add_beside) as beside,
        members(state, environment, start) as group,
    ):
        pacing = Pacing(state, environment.cluster, instance, beside, environment.tap.ease)
        elect = partial(hold_election, state, environment)
        holds = holds_election(item, young=environment.young)
        warm = await warm_up(state, pacing, environment.release_start, elect if holds else nothing)
        if not warm:
            await check_life(recorder, instance, alone=alone)
        warm = warm and await group.gather()
        environment.slot.release()
        if warm:
            if _background_interval_ms(state) not in {0, item.start_ms}:
                await environment.cluster.set_interval(item.start_ms)
            await pacing.run_at_full_rate()
            await pacing.rest()
            await group.settle()
            await await_fresh(state)
            await await_phase(state)
            await inject_fault(state, environment)
            await group.change()
            if item.expectation.closes:
                await close_under_the_fault(state, environment, instance)
            else:
                async with away(state, environment, instance, start) as absent:
                    await observe_and_revert(state, environment, pacing, absent.end)
        await stop_instance(state, instance, environment.cluster, alone=alone)


async def second_instance(state: TrialState, environment: TrialEnvironment) -> None:
    """Let a first client warm up and meet the fault; start a second one under the fault, and judge that."""
    await prepare(state, environment)
    item, tools, name = state.item, environment.tools, state.header.subject.instance
    start = environment.start_of(item, state.header.subject)
    async with tools.host.start(item.cell, start, state.recorder.add, alone=environment.alone) as first:
        pacing = Pacing(state, environment.cluster, first)
        if not await warm_up(state, pacing, environment.release_start):
            await stop_instance(state, first, environment.cluster, alone=environment.alone)
            return
        await pacing.run_at_full_rate()
        await inject_fault(state, environment)
        await _await_hit(state)
        state.go_on_with(replace(state.header.subject, instance=f"{name}-2", client_id=f"{name}-2"))
        async with asyncio.TaskGroup() as group:
            leaving = group.create_task(first.stop(STOP_MS))
            if ROLES[item.cell.role].member:
                await leaving  # otherwise this member would keep its partitions
            await _judge(state, environment)


async def _await_hit(state: TrialState) -> None:
    """Wait until the fault has reached the client and the move is known; an earlier start would discover nothing."""
    for _ in range(int(FIRST_HIT_S / CHECK_S)):
        if state.recorder.ending is not None or await state.was_hit():
            break
        await asyncio.sleep(CHECK_S)
    election_ms = state.header.play.election_ms
    if election_ms is None or election_ms < SOON_S * 1000:
        patience_s = SOON_S if election_ms is None else LATE_S
        await state.recorder.until(lambda now: EngineKind.ANNOUNCED in now.engine, patience_s)
    await asyncio.sleep(SETTLE_S)


async def _judge(state: TrialState, environment: TrialEnvironment) -> None:
    start = environment.start_of(state.item, state.header.subject)
    async with environment.tools.host.start(
        state.item.cell, start, state.recorder.add, alone=environment.alone
    ) as instance:
        environment.slot.release()
        pacing = Pacing(state, environment.cluster, instance, ease=environment.tap.ease)
        await observe_and_revert(state, environment, pacing)
        await stop_instance(state, instance, environment.cluster, alone=environment.alone)


async def under_the_fault(state: TrialState, environment: TrialEnvironment) -> None:
    """Inject the fault and start a client; repeat the start until one meets the fault, at most `MAX_STARTS` times.

    Where nothing is required of a client, the first one is judged, whether it meets the fault or not.
    """
    name, old = state.header.subject.instance, state.header.subject.old
    for attempt in range(1, MAX_STARTS + 1):
        await prepare(state, environment)
        await inject_fault(state, environment)
        start = environment.start_of(state.item, state.header.subject)
        async with environment.tools.host.start(
            state.item.cell, start, state.recorder.add, alone=environment.alone
        ) as instance:
            first = state.item.expectation.expects is Reaction.NOTHING or _meets_all(state)
            if first or attempt == MAX_STARTS or await _is_hit(state):
                environment.slot.release()
                pacing = Pacing(state, environment.cluster, instance, ease=environment.tap.ease)
                await observe_and_revert(state, environment, pacing)
                await stop_instance(state, instance, environment.cluster, alone=environment.alone)
                return
            await _stop_unhit(state, environment, instance)
        state.start_over(make_subject(state.item, f"{name}-{attempt + 1}", old))


def _meets_all(state: TrialState) -> bool:
    """Return whether every start meets the fault: what is left of it has to be observed."""
    return any(
        isinstance(step, RefuseLogins | SpoilHandshakes | AskForCertificates) for step in state.item.variant.steps
    )


async def _is_hit(state: TrialState) -> bool:
    """Return whether a client that has just started met the fault; one that does not serve may still meet it."""
    patience_s = SILENCE_S if state.header.play.kind is Symptom.SILENCE else 0.0
    await state.recorder.until(lambda now: now.ending is not None or is_serving(state, now), WARM_S)
    if not await state.was_hit():
        await asyncio.sleep(patience_s)
    return await state.was_hit() or state.recorder.ending is not None or not is_serving(state, state.recorder)


async def _stop_unhit(state: TrialState, environment: TrialEnvironment, instance: RunningInstance) -> None:
    # the revert may wait for the last of a cohort; other cohorts need not wait for that
    environment.downgrade()
    state.recorder.mark(MarkKind.STOPPING)
    await instance.stop(STOP_MS)
    for broker in environment.cluster.nodes.addresses:
        await environment.tap.cut(broker)
    await environment.revert()
