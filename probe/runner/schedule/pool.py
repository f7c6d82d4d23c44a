"""A bounded pool of trials: control cells first, judged against them, stored as they end."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial

from probe import verdict
from probe.errors import DriverLostError, ExhaustedError
from probe.model import Cell, Election, Engine, History, Outcome, Verdict
from probe.planning.order import Trials, in_order
from probe.planning.plan import WARM_UP_S, Plan, Planned
from probe.ports import Store
from probe.processes.resources import exhaustion
from probe.runner.judge_executor import submit
from probe.runner.schedule.adaptive_limit import AdaptiveLimit, Permit
from probe.runner.tools import Options, Tools
from probe.runner.trial.setup import make_header
from probe.runner.trial.trial import run_trial
from probe.scenarios.reach import Versions, out_of_reach

MORE_TRIALS = 2
"""A cell whose outcome differs from the matrix so far is run so many times more."""
ATTEMPTS = 3
"""A trial in which the harness failed is run again, so many times in all."""
ENDING_S = 8.0
"""After a watch: healing, closing, reading back; about."""
FAILING_FROM = 1000
"""Failed attempts are numbered from here, so that the trial's own number is free for the one that counts."""


@dataclass(frozen=True, slots=True)
class Progress:
    """One judged trial, for whoever shows progress."""

    done: int
    total: int
    cell: Cell
    verdict: Verdict
    election: Election | None = None
    """What real brokers took."""


@dataclass
class Run:
    """A run under way."""

    plan: Plan
    tools: Tools
    options: Options
    store: Store
    report: Callable[[Progress], None]
    known: Mapping[Cell, Outcome]
    steady: dict[Cell, asyncio.Future[Outcome]]
    starting: asyncio.Semaphore
    limit: AdaptiveLimit
    versions: dict[Cell, Versions] = field(default_factory=dict)
    """Request versions that each judged control cell sent."""
    done: int = 0
    total: int = 0
    stopped_by: ExhaustedError | None = None
    """What this machine has no more of, once that kept a trial from being started or judged."""

    def may_start(self) -> bool:
        """Say whether a further trial may start: not once this machine has no more of something."""
        self.stopped_by = self.stopped_by or self.store.exhausted
        return self.stopped_by is None

    def stop(self, item: Planned, reason: ExhaustedError) -> None:
        """Start no further trial; one of this cell is not judged, nor is any that waits for it."""
        self.stopped_by = self.stopped_by or reason
        control = self.steady.get(item.cell)
        if control is not None and not control.done():
            control.set_exception(reason)
            control.exception()  # if nobody waits for it, nothing is to be said about that

    @contextmanager
    def stopping(self, item: Planned) -> Iterator[None]:
        """Stop where this machine has no more of something that the block needed."""
        try:
            yield
        except Exception as error:
            if (reason := exhaustion(error)) is None:
                raise
            self.stop(item, reason)

    def go_on(self) -> None:
        """Raise ExhaustedError if no further trial may start."""
        if not self.may_start() and self.stopped_by is not None:
            raise self.stopped_by

    def has_time(self, seconds: float) -> bool:
        """Say whether something that takes so long ends in time."""
        return self.options.stop_at is None or time.monotonic() + seconds <= self.options.stop_at


Drain = Callable[[Run, Trials], Awaitable[None]]
"""Runs them all: each on a cluster of its own, or in cohorts."""


async def run_plan(
    plan: Plan,
    tools: Tools,
    options: Options,
    store: Store,
    *,
    report: Callable[[Progress], None],
    known: Mapping[Cell, Outcome] | None = None,
    finished: Mapping[tuple[Cell, int], Outcome] | None = None,
    drain: Drain | None = None,
) -> None:
    """Run every cell of a plan.

    `known` = outcomes of the matrix so far: a trial that differs is repeated. `finished` = trials that an interrupted
    run already judged: they are not run again. `drain` = how trials are run, if not each on a cluster of its own.
    Raises ExhaustedError where this machine has no more of something: trials under way have ended by then.
    """
    loop = asyncio.get_running_loop()
    finished = finished or {}
    steady: dict[Cell, asyncio.Future[Outcome]] = {
        item.cell: loop.create_future() for item in plan.cells if item.is_control
    }
    for (cell, _), outcome in finished.items():
        if cell in steady and not steady[cell].done():
            steady[cell].set_result(outcome)
    starting, crowd = asyncio.Semaphore(options.starting), AdaptiveLimit(options.jobs, in_flight=options.in_flight)
    run = Run(plan, tools, options, store, report, known or {}, steady, starting, crowd)
    work = [(item, n) for item in plan.cells for n in range(item.trials) if (item.cell, n) not in finished]
    run.total = len(work)
    async with _until(options.stop_at):
        await (drain or drain_each)(run, work)
    if run.stopped_by is not None:
        raise run.stopped_by


@asynccontextmanager
async def _until(stop_at: float | None) -> AsyncIterator[None]:
    """End the block when time is up; what is still watched then is not stored, so a later run does it."""
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
            run.tools.host.finish(item.cell.client)

    async with asyncio.TaskGroup() as group:
        for item, trial in trials if run.options.stop_at is not None else in_order(trials, run.options.jobs):
            place = await run.limit.enter()
            await run.tools.lag.calm()
            if not run.may_start():
                place.release()
                break
            # who is judged waits for its control cell, so it must not start where that did not
            if item.steady in left or not run.has_time(_longest_s(item, run.options)):
                left.add(item.cell)
                place.release()
                continue
            group.create_task(one(item, trial, place))


def _longest_s(item: Planned, options: Options) -> float:
    watch_ms = (
        item.expectation.watch_ms if options.watch_ms is None else min(options.watch_ms, item.expectation.watch_ms)
    )
    return WARM_UP_S + watch_ms / 1000 + ENDING_S


async def _judge_one(run: Run, item: Planned, trial: int, place: Permit) -> None:
    with run.stopping(item):
        if reason := _out_of_reach(run, item):
            place.release()
            header = make_header(item, trial, run.tools, run.options)
            await judge(run, item, History(replace(header, impossible=reason), ()))
            return
        outcome = await _attempt(run, item, trial, place)
        for further in more_trials(run, item, trial, outcome):
            run.go_on()
            await _attempt(run, item, further, await run.limit.enter())


def _out_of_reach(run: Run, item: Planned) -> str:
    """Say why the request versions of a control cell that was judged make the fault impossible."""
    return out_of_reach(item.variant, run.versions.get(item.steady, {}))


def more_trials(run: Run, item: Planned, trial: int, outcome: Outcome) -> range:
    """Return the numbers of further trials of a cell whose outcome differs from the matrix so far.

    Further trials are followed by no others.
    """
    expected = run.known.get(item.cell)
    if trial >= item.trials or expected is None or outcome in {expected, Outcome.BROKEN}:
        return range(0)
    run.total += MORE_TRIALS
    first = item.trials + MORE_TRIALS * trial
    return range(first, first + MORE_TRIALS)


async def _attempt(run: Run, item: Planned, trial: int, place: Permit) -> Outcome:
    """Run, judge and store one trial; where the harness failed it is run again, and what failed is stored beside it."""
    try:
        for attempt in range(1, ATTEMPTS + 1):
            history = await _run_alone_if_lost(run, item, trial, place)
            place.downgrade()  # it may wait for its control cell
            if not harness_failed(history):
                run.limit.went_well()
                break
            run.limit.failed(place.entered)
            if attempt == ATTEMPTS:
                break
            run.go_on()
            await keep_failed(run, history, attempt)
            if not item.is_control:  # others wait inside for a control cell
                place.release()
                place = await run.limit.enter()
        return await judge(run, item, history)
    finally:
        place.release()


async def keep_failed(run: Run, history: History, attempt: int) -> None:
    """Store a trial in which the harness failed beside the one that will count, under the next number that is free.

    A run that was interrupted may have stored attempts of a trial that it did not get to the end of.
    """
    header = history.header
    found = await submit(verdict.judge, history)
    numbers = itertools.count(header.trial + attempt * FAILING_FROM, FAILING_FROM)
    number = next(number for number in numbers if not run.store.has(header.cell, number))
    run.store.add(replace(history, header=replace(header, trial=number)), found)


def harness_failed(history: History) -> bool:
    """Say whether a trial says nothing about its client."""
    header = history.header
    return not header.impossible and (bool(header.problems) or header.loop_lag_ms > verdict.STALL_MS)


async def _run_alone_if_lost(run: Run, item: Planned, trial: int, place: Permit) -> History:
    tools, options = run.tools, run.options
    trial_of = partial(
        run_trial, item, trial, tools, options, run.starting, rest=place.downgrade, dawdles=place.downgrade
    )
    try:
        return await trial_of(alone=False)
    except DriverLostError:
        return await trial_of(alone=True)


async def judge(run: Run, item: Planned, history: History) -> Outcome:
    """Judge and store a trial, once its control cell is judged."""
    control = run.steady.get(item.steady)
    if not item.is_control and control is not None:
        history = replace(history, header=replace(history.header, steady=await asyncio.shield(control)))
    found = await submit(verdict.judge, history)
    if found.outcome is Outcome.NOT_PROVOKED and (reason := _out_of_reach(run, item)):
        history = replace(history, header=replace(history.header, impossible=reason))
        found = await submit(verdict.judge, history)
    if item.is_control and control is not None and not control.done():
        if found.outcome is Outcome.CLEAN:  # a broken one may have ended before its usual requests
            run.versions[item.cell] = dict(found.facts.api_versions)
        control.set_result(found.outcome)
    run.store.add(history, found)
    run.done += 1
    real = item.cell.engine is Engine.KAFKA
    took = await submit(verdict.election, history) if real and not history.header.impossible else None
    run.report(Progress(run.done, run.total, item.cell, found, took))
    return found.outcome
