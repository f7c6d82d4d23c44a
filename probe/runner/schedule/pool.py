"""Bounded pool of trials: control cells first, other trials judged with their result, each stored when it ends."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial
from operator import itemgetter

from probe import verdict
from probe.model import Cell, History, Outcome, Verdict
from probe.model.engines import ENGINES
from probe.model.history import FAILING_FROM
from probe.planning.order import Trials, in_order
from probe.planning.plan import WARM_UP_S, Plan, Planned
from probe.ports import Store
from probe.runner.judge_executor import submit
from probe.runner.schedule.adaptive_limit import AdaptiveLimit, AdmissionLimits, Permit, StartingSlots
from probe.runner.schedule.attempts import as_control_bears, trial_of
from probe.runner.schedule.repeats import Repeated, Repeats
from probe.runner.schedule.run import Progress, Run
from probe.runner.tools import Options, Tools
from probe.runner.trial.setup import make_header
from probe.runner.trial_limit import MOST
from probe.scenarios.reach import out_of_reach
from probe.verdict.control import CONTROL_TRIALS, ControlResult, unclean, with_control

ATTEMPTS = 3
"""Most attempts at a trial in which the harness fails."""
ENDING_S = 8.0
"""Approximate time after the observation: revert, closing, read-back."""


Drain = Callable[[Run, Trials], Awaitable[None]]
"""Runs all trials: each on a cluster of its own, or in cohorts."""


async def run_plan(
    plan: Plan,
    tools: Tools,
    options: Options,
    store: Store,
    *,
    report: Callable[[Progress], None],
    known: Mapping[Cell, Collection[Outcome]] | None = None,
    finished: Mapping[tuple[Cell, int], Verdict] | None = None,
    young: Collection[Cell] = (),
    drain: Drain | None = None,
) -> Repeated:
    """Run every cell of a plan, and further trials of those in which chance may decide; return what these were.

    `known` holds the outcomes of every cell in the matrix so far. `finished` holds trials that an interrupted run has
    judged: they do not run again, but another one runs in place of each in which the harness failed. `young` holds its
    control cells that were clean only without the harmless election. `drain` runs the trials, by default each on a
    cluster of its own. Raises ExhaustedError, after the end of current trials, if a resource of this machine is
    exhausted.
    """
    loop = asyncio.get_running_loop()
    by_trial = sorted((finished or {}).items(), key=lambda entry: entry[0][1])
    finished = {key: found for key, found in by_trial if key[1] < FAILING_FROM}
    steady: dict[Cell, asyncio.Future[ControlResult]] = {
        item.cell: loop.create_future() for item in plan.cells if item.is_control
    }
    # fake clusters: admission limits the starts; real ones: a whole cohort asks for slots at once
    starting = StartingSlots(MOST if drain is None else options.starting_in_cohorts)
    limits = AdmissionLimits(jobs=options.jobs, in_flight=options.in_flight, exactly=options.exactly)
    limit = AdaptiveLimit(limits, tools.lag.machine, lambda: starting.taken)
    repeats = Repeats(plan, options, known or {}, finished)
    run = Run(plan, tools, options, store, report, repeats, steady, starting, limit, standing=limit.standing)
    run.young |= set(young)
    instead = {item.cell: repeats.replacements(item) for item in plan.cells if item.is_control}
    for cell in steady:
        run.settle_control(cell)
    instead |= {item.cell: _replacements(run, item) for item in plan.cells if not item.is_control}
    work = [(item, n) for item in plan.cells for n in range(item.trials) if (item.cell, n) not in finished]
    work.sort(key=itemgetter(1))  # cells that are compared alternate
    further = [(item, n) for item in plan.cells for n in (*instead[item.cell], *_further(run, item))]
    work = [one for one in further if one[0].is_control] + work + [one for one in further if not one[0].is_control]
    run.total = len(work)
    async with _until(options.stop_at):
        await (drain or drain_each)(run, work)
    if run.stopped_by is not None:
        raise run.stopped_by
    return repeats.summary()


def _replacements(run: Run, item: Planned) -> range:
    """Return the numbers of the trials in place of failed ones; none where the control cell would break them, too."""
    control = run.known_control(item)
    return range(0) if control is not None and control.outcome is not Outcome.CLEAN else run.repeats.replacements(item)


@asynccontextmanager
async def _until(stop_at: float | None) -> AsyncIterator[None]:
    """Cancel the block at the end of the time budget; current trials are not stored, so a later run repeats them."""
    limit = asyncio.timeout(None if stop_at is None else max(0.0, stop_at - time.monotonic()))
    try:
        async with limit:
            yield
    except TimeoutError:
        if not limit.expired():
            raise


async def drain_each(run: Run, trials: Trials) -> None:
    """Run each trial on a cluster of its own."""
    left: set[Cell] = set()
    ahead = Counter(item.cell.client for item, _ in trials)

    async def one(item: Planned, trial: int, place: Permit) -> None:
        await _judge_one(run, item, trial, place)
        ahead[item.cell.client] -= 1
        if not ahead[item.cell.client]:
            run.tools.finish(item.cell.client)

    async with asyncio.TaskGroup() as group:
        for item, trial in trials if run.options.stop_at is not None else in_order(trials, run.options.expected_jobs):
            place = await run.limit.enter(item.cell.client)
            if not run.may_start():
                place.release()
                break
            # a trial waits for its control cell's verdict, so it must not start if the control cell did not
            if item.steady in left or not run.has_time(_longest_s(item, run.options)):
                left.add(item.cell)
                place.release()
                continue
            group.create_task(one(item, trial, place))
        run.limit.all_admitted()


def _longest_s(item: Planned, options: Options) -> float:
    return WARM_UP_S + item.watch_ms(options.watch_ms) / 1000 + ENDING_S


async def _judge_one(run: Run, item: Planned, trial: int, place: Permit) -> None:
    with run.stopping(item):
        header = with_control(make_header(item, trial, run.tools, run.options), run.known_control(item))
        if (reason := _out_of_reach(run, item)) or unclean(header):
            place.release()
            await judge(run, item, History(replace(header, impossible=reason), ()))
            return
        await _attempt(run, item, trial, place)
        async with asyncio.TaskGroup() as group:
            for further in more_trials(run, item):
                run.go_on()
                if item.is_control:  # trials that wait for it may hold all permits
                    await _judge_one(run, item, further, run.limit.enter_now())
                else:
                    group.create_task(_judge_one(run, item, further, await run.limit.enter()))


def _out_of_reach(run: Run, item: Planned) -> str:
    """Return why the request versions of a judged control cell make the fault impossible."""
    return out_of_reach(item.variant, run.versions.get(item.steady, {}))


def more_trials(run: Run, item: Planned) -> list[int]:
    """Return the numbers of the further trials to start, once all trials of a cell are judged."""
    found = list(_further(run, item))
    if found and not _left_open(run, item) and not run.has_time(_longest_s(item, run.options)):
        for trial in found:
            run.repeats.drop(item, trial)
        return []
    run.total += len(found)
    return found


def _further(run: Run, item: Planned) -> range:
    """Return the numbers of further trials: those that settle a control cell, else those of a cell in doubt."""
    return run.repeats.up_to(item, CONTROL_TRIALS) if _left_open(run, item) else run.repeats.further(item)


def _left_open(run: Run, item: Planned) -> bool:
    """Return whether the trials of a control cell so far do not settle it; other cells wait for that."""
    return item.is_control and bool(run.repeats.outcomes(item.cell)) and not run.steady[item.cell].done()


async def _attempt(run: Run, item: Planned, trial: int, place: Permit) -> None:
    """Run, judge and store one trial; failed attempts are stored under other numbers, and repeated."""
    try:
        for attempt in range(1, ATTEMPTS + 1):
            history = await trial_of(run, item, trial, place)
            place.downgrade()  # it may wait for its control cell
            if not harness_failed(history):
                run.limit.went_well()
                break
            if attempt == 1:  # a trial that fails again says more about itself than about the machine
                run.limit.failed(place.entered)
            if attempt == ATTEMPTS or unclean(with_control(history.header, run.known_control(item))):
                break
            run.go_on()
            await keep_failed(run, history, attempt)
            if not item.is_control:  # trials that wait for a control cell hold permits
                place.release()
                place = await run.limit.enter()
        if not harness_failed(history):
            history = await as_control_bears(run, item, history, partial(trial_of, run, item, trial, place))
        await judge(run, item, history)
    finally:
        place.release()


async def keep_failed(run: Run, history: History, attempt: int) -> None:
    """Store a trial in which the harness failed, under the next free number for failed attempts.

    An interrupted run may have stored attempts of a trial that it did not finish.
    """
    header = history.header
    found = await submit(verdict.judge, history)
    numbers = itertools.count(header.trial + attempt * FAILING_FROM, FAILING_FROM)
    number = next(number for number in numbers if not run.store.has(header.cell, number))
    run.store.add(replace(history, header=replace(header, trial=number)), found)


def harness_failed(history: History) -> bool:
    """Return whether a trial says nothing about its client."""
    header = history.header
    return not header.impossible and (bool(header.problems) or header.loop_lag_ms > verdict.STALL_MS)


async def judge(run: Run, item: Planned, history: History) -> None:
    """Judge and store a trial, after its control cell."""
    control = run.steady.get(item.steady)
    if not item.is_control and control is not None:
        history = replace(history, header=with_control(history.header, await asyncio.shield(control)))
    found = await submit(verdict.judge, history)
    if found.outcome is Outcome.NOT_PROVOKED and (reason := _out_of_reach(run, item)):
        history = replace(history, header=replace(history.header, impossible=reason))
        found = await submit(verdict.judge, history)
    run.repeats.note(item.cell, history.header.trial, found)
    if item.is_control and control is not None and not control.done():
        if found.outcome is Outcome.CLEAN:  # otherwise it may have ended before its usual requests
            run.versions[item.cell] = dict(found.facts.api_versions)
        run.settle_control(item.cell)
    run.store.add(history, found)
    run.done += 1
    real = ENGINES[item.cell.engine].real
    took = await submit(verdict.election, history) if real and not history.header.impossible else None
    run.report(Progress(run.done, run.total, item.cell, found, took, run.standing()))
