"""Trials in cohorts: each cohort leases one cluster, and its cells observe one fault at the same moment."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from probe import verdict
from probe.errors import CrowdedError, DriverLostError, ExhaustedError, HarnessError, YoungError
from probe.model import Header, History, Outcome
from probe.model.outcomes import OUTCOMES
from probe.planning.cohorts import (
    MAX_SILENCE_COHORT,
    TrialTask,
    cluster_layout,
    cohort_s,
    cohorts_after,
    into_cohorts,
    is_long,
    kind_of,
    observes_silence,
)
from probe.planning.order import Trials
from probe.ports import CohortEngine, CohortLoad, CohortMemberPort
from probe.processes.machine import usable_cores
from probe.processes.resources import exhaustion
from probe.runner.judge_executor import submit
from probe.runner.schedule.cohort_admission import CohortAdmission, CohortSlot
from probe.runner.schedule.cohort_size import FIRST_PER_CORE, CohortCheck, CohortSize, half
from probe.runner.schedule.memory import cohort_fits
from probe.runner.schedule.pool import ATTEMPTS, Drain, harness_failed, judge, keep_failed, more_trials
from probe.runner.schedule.run import Run
from probe.runner.trial.harmless_election import had_election
from probe.runner.trial.setup import make_header
from probe.runner.trial.trial import run_trial
from probe.verdict.control import unclean, with_control

RECOVERY_PAUSE_S = 10.0
"""Longest wait for a calm moment before a cohort starts; other cohorts may keep the cores busy for longer."""
MAX_OBSERVED_CELLS = 12
"""Observed cells of other cohorts up to which a cohort starts, unless cores are idle anyway. With more of them, the
warm-up of dozens of clients takes much longer."""


def drain_in_cohorts(engine: CohortEngine) -> Drain:
    """Return the function that runs the trials of a plan on this engine."""

    async def drain(run: Run, trials: Trials) -> None:
        await _Cohorts(run, engine, [TrialTask(item, trial) for item, trial in trials]).play()

    return drain


def _has_control(run: Run, work: TrialTask) -> bool:
    """Return whether a cell's control cell is judged, or there is none; the verdict on the cell needs it."""
    control = run.steady.get(work.item.steady)
    return work.item.is_control or control is None or control.done()


def _next(run: Run, queue: Sequence[Sequence[TrialTask]]) -> Sequence[TrialTask] | None:
    """Return the first cohort whose control cells are judged and that fits the first cohort's clusters, or None.

    No other release line begins earlier: its clusters would start for a few cohorts, and those of this line again.
    """
    fit = (cohort for cohort in queue if kind_of(cohort) == kind_of(queue[0]))
    return next((cohort for cohort in fit if all(_has_control(run, work) for work in cohort)), None)


def _passes_beside(work: TrialTask, queue: Sequence[Sequence[TrialTask]]) -> bool:
    """Return whether a repeated trial observes silence and can share that time, and clusters, with queued ones."""
    return bool(queue) and observes_silence(work.item) and kind_of([work]) == kind_of(queue[0])


async def _decided_by_control(run: Run, work: TrialTask) -> bool:
    """Judge a trial without running it if its control cell is not clean, and so decides the outcome of all others."""
    if (result := run.known_control(work.item)) is None:
        return False
    header = with_control(_header(run, work), result)
    if not unclean(header):
        return False
    await judge(run, work.item, History(header, ()))
    return True


class _Cohorts:
    """The cohorts of a run: which one is next, and which trials are played again.

    Repetitions come last, in cohorts of their own, while others are still observed. Control cells come first, also
    repeated ones, because others wait for them. Long observations are repeated while their release line still runs,
    since at the end nothing could run in parallel.
    """

    def __init__(self, run: Run, engine: CohortEngine, work: Sequence[TrialTask]) -> None:
        """Lay out the cohorts of the trials and their clusters."""
        size = run.options.expected_jobs
        self._run, self._engine, self._lag = run, engine, run.tools.lag
        self._limit = CohortSize(min(size, MAX_SILENCE_COHORT), FIRST_PER_CORE * usable_cores())
        cohorts, clusters = cluster_layout(work, self._limit.cells, engine.at_once)
        self._admission = CohortAdmission(
            clusters,
            min(MAX_OBSERVED_CELLS, size),
            self._lag.has_spare,
            in_silence=engine.in_silence if clusters > 1 else 0,
            fits=lambda cells: cohort_fits(self._lag.machine().memory_mb, cells),
        )
        run.standing = self._admission.standing
        self._queue, self._repeats = list(cohorts), list[TrialTask]()
        self._under_way: set[asyncio.Task[None] | None] = set()
        self._ended = asyncio.Event()

    async def play(self) -> None:
        """Run all trials."""
        async with asyncio.TaskGroup() as group:
            while self._run.may_start():
                if (cohort := self._take()) is not None:
                    await self._start(group, cohort)
                elif self._under_way:
                    self._ended.clear()
                    await self._ended.wait()
                else:
                    break
            self._admission.all_admitted()

    def _take(self) -> Sequence[TrialTask] | None:
        """Take the next cohort out of the queue. None if nothing is left, or all of it waits for those under way."""
        if not self._queue:
            self._queue.extend(into_cohorts(self._repeats, self._limit.cells))
            self._repeats.clear()
        cohort = _next(self._run, self._queue)
        if cohort is None and (self._under_way or not self._queue):
            return None
        cohort = cohort or self._queue[0]  # the time budget did not suffice for some of its control cells
        self._queue.remove(cohort)
        return cohort

    async def _start(self, group: asyncio.TaskGroup, cohort: Sequence[TrialTask]) -> None:
        """Start a cohort when there is room; not if none of its trials is possible, or no time is left."""
        run = self._run
        ready = [work for work in cohort if _has_control(run, work)]
        possible = [work for work in ready if not await _decided_by_control(run, work)]
        if not possible:
            return
        slot = await self._admission.enter(len(possible), silent=is_long(possible))
        await self._lag.calm(RECOVERY_PAUSE_S)
        if not run.may_start() or not run.has_time(cohort_s(possible, run.options.watch_ms)):
            slot.leave()
            return
        to_come = cohorts_after(self._queue, cohort)
        self._under_way.add(group.create_task(self._play(possible, to_come, _CohortPlace(slot))))

    async def _play(self, cohort: Sequence[TrialTask], to_come: int, place: _CohortPlace) -> None:
        """Play one cohort; the trials to repeat are next, or come last."""
        try:
            left = await _run_cohort(self._run, self._engine, cohort, to_come, place)
            soon = list[TrialTask]()
            for one in left:
                is_next = place.check.given_back or one.item.is_control or _passes_beside(one, self._queue)
                (soon if is_next else self._repeats).append(one)
            self._queue[:0] = into_cohorts(soon, self._limit.cells)
            if _keep_load(self._run, self._limit, place.check.load(cohort[0].item)):
                queued = [work for later in self._queue for work in later]
                self._queue[:], _ = cluster_layout(queued, self._limit.cells, self._engine.at_once)
        finally:
            place.slot.leave()
            self._under_way.discard(asyncio.current_task())
            self._ended.set()


@dataclass
class _CohortPlace:
    """A cohort's slot, and its check before the fault."""

    slot: CohortSlot
    check: CohortCheck = field(default_factory=CohortCheck)

    def given_back(self, work: TrialTask) -> TrialTask:
        """Return a trial as it is played again, once the cohort is given back."""
        return replace(work, most=half(self.check.cells))


def _keep_load(run: Run, limit: CohortSize, load: CohortLoad | None) -> bool:
    """Store a cohort's size and writes; return whether they change the size of later cohorts."""
    if load is None:
        return False
    run.store.add_cohort(load)
    return limit.measured(load.cells, load.median_write_ms)


async def _run_cohort(
    run: Run, engine: CohortEngine, cohort: Sequence[TrialTask], to_come: int, place: _CohortPlace
) -> list[TrialTask]:
    """Run one cohort; return the trials to repeat."""
    part = cohort[0].item.variant
    under_fault = part.at_start or part.second_instance
    # a client that starts under the fault keeps its starting slot until all clients observe the fault
    starting = asyncio.Semaphore(len(cohort)) if under_fault else run.starting
    try:
        broker = cohort[0].item.cell.broker
        async with engine.cohort(
            broker,
            len(cohort),
            to_come,
            part.cluster,
            access=run.tools.access(cohort[0].item.profile, cohort[0].item.variant.cluster),
            silent=place.slot.silent,
            before_fault=place.check.before_fault,
        ) as members:
            async with asyncio.TaskGroup() as group:
                tasks = [
                    group.create_task(_play_one(run, work, member, starting, place, number))
                    for number, (work, member) in enumerate(zip(cohort, members, strict=True))
                ]
            return [work for task in tasks for work in task.result()]
    except (HarnessError, ExhaustedError) as error:
        for work in cohort:
            if (reason := exhaustion(error)) is not None:
                run.stop(work.item, reason)
            else:
                await judge(run, work.item, _never_began(run, work, str(error)))
        return []


async def _play_one(
    run: Run, work: TrialTask, member: CohortMemberPort, starting: asyncio.Semaphore, place: _CohortPlace, number: int
) -> Iterable[TrialTask]:
    """Run one trial; an exhausted resource ends the run, and this trial is not stored."""
    with run.stopping(work.item):
        return await _run_one(run, work, member, starting, place, number)
    return []


async def _run_one(
    run: Run, work: TrialTask, member: CohortMemberPort, starting: asyncio.Semaphore, place: _CohortPlace, number: int
) -> Iterable[TrialTask]:
    slot = place.slot
    tools, rest = replace(run.tools, engine=member), slot.downgrade(number)

    def closed() -> None:
        """Release the client's share of the cluster early: others of the cohort may be observed for long."""
        member.ignore_events()
        slot.ended(number)

    try:
        history = await run_trial(
            work.item,
            work.trial,
            tools,
            run.options,
            starting,
            alone=work.alone,
            young=work.young or work.item.steady in run.young,
            rest=rest,
            closed=closed,
            ready=place.check.ready,
        )
    except DriverLostError:
        return [replace(work, alone=True)]
    except YoungError:
        run.learn_young(work.item)
        return [replace(work, young=True)]
    except CrowdedError:
        return [place.given_back(work)]
    finally:
        slot.ended(number)
        member.leave()
    if place.check.given_back and harness_failed(history):  # the cohort's size may be the cause
        return [place.given_back(work)]
    attempt = work.attempt + 1
    if reason := await _unsteady(work, history):
        header = replace(history.header, problems=(*history.header.problems, reason))
        history = replace(history, header=header)
    if harness_failed(history) and attempt < ATTEMPTS:
        await keep_failed(run, history, attempt)
        return [replace(work, attempt=attempt, young=work.young or (bool(reason) and attempt > 1))]
    if work.young and work.item.is_control and await _is_clean(history):
        run.young.add(work.item.cell)
    await judge(run, work.item, history)
    return [TrialTask(work.item, number) for number in more_trials(run, work.item)]


async def _is_clean(history: History) -> bool:
    return (await submit(verdict.judge, history)).outcome is Outcome.CLEAN


async def _unsteady(work: TrialTask, history: History) -> str:
    """Return why a control cell was not clean at its first attempts.

    Brokers may have got no CPU; the last attempt is made without the harmless election.
    """
    first = not work.attempt or (had_election(history) and work.attempt < ATTEMPTS - 1)
    if not first or work.trial or not work.item.is_control or harness_failed(history):
        return ""
    found = await submit(verdict.judge, history)
    if OUTCOMES[found.outcome].ends_control:
        return ""
    return f"{found.outcome} although nothing was done to the brokers ({found.reason}); it runs once more"


def _never_began(run: Run, work: TrialTask, reason: str) -> History:
    return History(replace(_header(run, work), problems=(reason,)), ())


def _header(run: Run, work: TrialTask) -> Header:
    return make_header(work.item, work.trial, run.tools, run.options)
