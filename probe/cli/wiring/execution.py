"""Running a plan: obtain the clients, start the engine, open a run, and run its trials."""

from __future__ import annotations

import asyncio
import signal
import sys
import time
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import uvloop

from probe.catalogue.selectors import Chosen
from probe.cells.cli_hints import resume_command
from probe.cli.console.further_trials import further_lines
from probe.cli.console.progress import Bar
from probe.cli.console.streams import say
from probe.cli.wiring.captures import keeper
from probe.cli.wiring.comparable_trials import check_conditions, known_outcomes
from probe.cli.wiring.compose import embedded_engine, get_clients, live_tools
from probe.cli.wiring.exclusive_run import exclusive_run, shard_name
from probe.cli.wiring.kafka_engine import description, exact_versions, kafka_engine
from probe.cli.wiring.settled import keep_settled
from probe.cli.wiring.signals import restored_handlers
from probe.drivers.host import Bound
from probe.engines.kafka.engine import Kafka
from probe.errors import ExhaustedError, InterruptedRunError
from probe.model import Cell, Client, Election, Outcome, Verdict
from probe.model.counts import counted
from probe.planning.cohorts import estimate_s
from probe.planning.plan import Plan
from probe.planning.selection import Selection
from probe.ports import EnginePort
from probe.processes.machine import MachineFiles
from probe.processes.resources import file_limit
from probe.runner import Options, Progress, run_plan
from probe.runner.loop_lag import no_collector
from probe.runner.schedule.cohorts import drain_in_cohorts
from probe.runner.schedule.descriptors import within, within_cohorts
from probe.runner.schedule.memory import within_memory
from probe.runner.schedule.repeats import Repeated
from probe.runner.tools import Keep
from probe.store import RunStore
from probe.store import trials as stored_trials
from probe.store.sweeps import mark_sweep
from probe.verdict import typical

Elections = dict[tuple[str, str], list[Election]]


@dataclass(frozen=True, slots=True)
class RunResult:
    """The results of a run."""

    run_id: str
    outcomes: dict[Cell, set[Outcome]]
    absent: Mapping[Client, str]
    """Clients that could not be obtained, with the reasons."""
    elections: Mapping[tuple[str, str], Election] = field(default_factory=dict)
    """Median duration of elections on real brokers, by scenario and release line."""
    reasons: Mapping[tuple[Cell, Outcome], str] = field(default_factory=dict)
    """The reason of each outcome of a cell; of several trials, the last one's."""


def run_planned(
    plan: Plan,
    selection: Selection,
    options: Options,
    results: str,
    resume: str | None = None,
    selectors: Mapping[str, Any] | None = None,
    wait_s: float = 0.0,
) -> RunResult:
    """Run and store the cells of a plan. Of the selection, clients, seed (of a new run) and shard are used.

    ProbeError if the run to resume has trials under conditions that are not comparable with today's.
    """
    with exclusive_run(results, selection.shard, wait_s):
        if resume is not None:
            check_conditions(results, resume)
        ready = prepare_run(plan, selection.clients, capture=options.capture)
        known = known_outcomes(results)
        try:
            with _open_store(results, resume, ready.engine, selection, selectors) as store:
                return execute(plan, ready, options, results, store, known)
        finally:
            keep_settled(results)


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """The engine and the clients of a run."""

    engine: EnginePort
    bound: Mapping[Client, Bound]
    absent: Mapping[Client, str]


def prepare_run(plan: Plan, clients: Sequence[Chosen], *, capture: bool = False) -> PreparedRun:
    """Build the engine and obtain the clients. ProbeError or ToolError if one of them fails."""
    real = exact_versions(plan)
    engine: EnginePort = kafka_engine(real, say, capture=capture) if real else embedded_engine(capture=capture)
    bound, absent = get_clients(clients, say)
    return PreparedRun(engine, bound, absent)


def execute(
    plan: Plan,
    ready: PreparedRun,
    options: Options,
    results: str,
    store: RunStore,
    known: Mapping[Cell, Collection[Outcome]],
) -> RunResult:
    """Run the trials of a plan that the open run does not have yet.

    InterruptedRunError after a signal, ExhaustedError if a resource of this machine is exhausted.
    """
    runnable = Plan(tuple(item for item in plan.cells if item.cell.client in ready.bound), plan.skips)
    for item in plan.cells:
        if reason := ready.absent.get(item.cell.client):
            released, mirrors = item.chosen.version.released, item.chosen.family.mirrors
            store.add_not_run(item.cell, reason, released, mirrors, sweep=item.sweep)
    finished = _finished(results, store)
    options = replace(_within_limits(options, ready), seed=store.seed)
    keep = keeper(results, store.run_id) if options.capture else None
    reasons, took = _execute(ready.engine, ready.bound, runnable, options, store, known, finished, keep)
    reasons = {(key[0], verdict.outcome): verdict.reason for key, verdict in finished.items()} | reasons
    outcomes: dict[Cell, set[Outcome]] = {}
    for cell, outcome in reasons:
        outcomes.setdefault(cell, set()).add(outcome)
    elections = {key: typical(took[key]) for key in sorted(took)}
    return RunResult(store.run_id, outcomes, ready.absent, elections, reasons)


def _within_limits(options: Options, ready: PreparedRun) -> Options:
    """Return the options with trials in flight within the limit of open files, and cohorts within memory.

    ExhaustedError if not one trial fits.
    """
    limit, clients = file_limit(), len(ready.bound)
    if not isinstance(ready.engine, Kafka):
        return within(options, limit, clients)
    engine = ready.engine
    options, clusters = within_cohorts(options, limit, clients, engine.at_once + engine.in_silence)
    engine.at_once = min(engine.at_once, clusters)
    engine.in_silence = clusters - engine.at_once
    return within_memory(options, MachineFiles().available_mb(), engine.at_once)


def _open_store(
    results: str, resume: str | None, engine: EnginePort, selection: Selection, selectors: Mapping[str, Any] | None
) -> RunStore:
    shard = shard_name(selection.shard)
    if resume is not None:
        return RunStore.resume(results, resume, command=sys.argv, shard=shard)
    store = RunStore.create(
        results,
        command=sys.argv,
        seed=selection.seed,
        shard=shard,
        versions=description(engine),
        selectors=selectors,
    )
    if selection.sweep:
        mark_sweep(results, store.run_id, selection.sweep)
    return store


def _finished(results: str, store: RunStore) -> dict[tuple[Cell, int], Verdict]:
    done = store.done()
    if not done:
        return {}
    rows = stored_trials(results, store.run_id)
    return {(row.cell, row.trial): row.verdict for row in rows if (row.cell, row.trial) in done}


def _execute(
    engine: EnginePort,
    bound: Mapping[Client, Bound],
    plan: Plan,
    options: Options,
    store: RunStore,
    known: Mapping[Cell, Collection[Outcome]],
    finished: Mapping[tuple[Cell, int], Verdict],
    keep: Keep | None,
) -> tuple[dict[tuple[Cell, Outcome], str], Elections]:
    reasons: dict[tuple[Cell, Outcome], str] = {}
    took: Elections = defaultdict(list)
    signals: list[int] = []
    repeated: list[Repeated] = []

    def end(task: asyncio.Task[None] | None, number: int) -> None:
        signals.append(number)
        if task is not None:
            task.cancel()

    def report(step: Progress, bar: Bar) -> None:
        reasons[step.cell, step.verdict.outcome] = step.verdict.reason
        if step.election is not None:
            took[step.cell.scenario, step.cell.broker].append(step.election)
        bar.show(step)

    async def play() -> None:
        loop = asyncio.get_running_loop()
        task = asyncio.current_task()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, end, task, number)
        with Bar(estimate_s(plan, options.expected_jobs, options.watch_ms)) as bar:
            async with live_tools(engine, bound) as tools:
                repeated.append(
                    await run_plan(
                        plan,
                        replace(tools, keep=keep),
                        options,
                        store,
                        report=lambda step: report(step, bar),
                        known=known,
                        finished=finished,
                        drain=drain_in_cohorts(engine) if isinstance(engine, Kafka) else None,
                    )
                )

    started = time.monotonic()
    try:
        with restored_handlers(), no_collector():
            uvloop.run(play())
    except (asyncio.CancelledError, KeyboardInterrupt):
        number = signals[0] if signals else signal.SIGINT
        raise InterruptedRunError(
            f"interrupted after {len({cell for cell, _ in reasons})} cells, which are stored; "
            f"continue with `{resume_command(store.run_id, store.results)}`",
            int(number),
            store.run_id,
        ) from None
    except ExhaustedError as error:
        raise ExhaustedError(
            error.reason,
            f"no further trials were started after {len({cell for cell, _ in reasons})} cells; "
            f"continue with `{resume_command(store.run_id, store.results)}`",
            store.run_id,
        ) from error
    say(f"{counted(len({cell for cell, _ in reasons}), 'cell')} judged in {time.monotonic() - started:.0f} s")
    for line in further_lines(repeated[0]):
        say(line)
    return reasons, took
