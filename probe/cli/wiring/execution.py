"""Running a plan: obtain the clients, start the engine, open a run, and run its trials."""

from __future__ import annotations

import sys
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from probe.catalogue.selectors import Chosen
from probe.cli.console.streams import say
from probe.cli.wiring.captures import keeper
from probe.cli.wiring.comparable_trials import check_conditions, known_outcomes
from probe.cli.wiring.composition import get_clients
from probe.cli.wiring.engines import BuiltEngine, built
from probe.cli.wiring.exclusive_run import exclusive_run, shard_name
from probe.cli.wiring.settled_cells import keep_settled
from probe.cli.wiring.trial_execution import TrialExecution
from probe.cli.wiring.young_controls import young_controls
from probe.drivers.claims import Claims
from probe.drivers.host import Bound
from probe.files.bytecode import drop_orphans
from probe.model import Cell, Client, Election, Outcome, Verdict
from probe.model.counts import counted
from probe.planning.client_groups import client_groups, part_of
from probe.planning.plan import Plan
from probe.planning.selection import Selection
from probe.processes.resources import file_limit
from probe.runner import Options
from probe.store import RunStore
from probe.store import trials as stored_trials
from probe.store.sweeps import mark_sweep
from probe.toolchain.tools import cache_root
from probe.verdict import typical


@dataclass(frozen=True, slots=True)
class RunResult:
    """The results of a run."""

    run_id: str
    outcomes: dict[Cell, set[Outcome]]
    absent: Mapping[Client, str]
    """Clients that could not be obtained, with the reasons."""
    durations: Mapping[tuple[str, str], Sequence[Election]] = field(default_factory=dict)
    """Durations of elections on real brokers, by scenario and release line."""
    reasons: Mapping[tuple[Cell, Outcome], str] = field(default_factory=dict)
    """The reason of each outcome of a cell; of several trials, the last one's."""

    @property
    def elections(self) -> dict[tuple[str, str], Election]:
        """Return the median duration of elections, by scenario and release line."""
        return {key: typical(took) for key, took in sorted(self.durations.items())}

    def joined(self, later: RunResult) -> RunResult:
        """Return the results of both, which have no client in common."""
        durations = {
            key: [*self.durations.get(key, ()), *later.durations.get(key, ())]
            for key in {*self.durations, *later.durations}
        }
        return replace(
            self,
            outcomes=self.outcomes | later.outcomes,
            absent={**self.absent, **later.absent},
            durations=durations,
            reasons={**self.reasons, **later.reasons},
        )


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
        groups = client_groups(selection.clients)
        ready = prepare_run(plan, groups[0], capture=options.capture)
        known = known_outcomes(results)
        try:
            with _open_store(results, resume, ready.engine, selection, selectors) as store:
                ran = execute(part_of(plan, groups[0]), ready, options, results, store, known)
                for number, group in enumerate(groups[1:], 2):
                    ready.claims.release()
                    if options.stop_at is not None and time.monotonic() >= options.stop_at:
                        break
                    say(f"group {number} of {len(groups)}: {counted(len(group), 'version')}")
                    ready = _with_clients(ready.engine, group)
                    ran = ran.joined(execute(part_of(plan, group), ready, options, results, store, known))
                return ran
        finally:
            ready.claims.release()
            keep_settled(results)


@dataclass(frozen=True, slots=True)
class PreparedRun:
    """The engine and the clients of a run."""

    engine: BuiltEngine
    bound: Mapping[Client, Bound]
    absent: Mapping[Client, str]
    claims: Claims = field(default_factory=lambda: Claims(cache_root()))
    """Those on what was built for the clients; they end with the process at the latest."""


def prepare_run(plan: Plan, clients: Sequence[Chosen], *, capture: bool = False) -> PreparedRun:
    """Build the engine and obtain the clients. ProbeError or ToolError if one of them fails."""
    return _with_clients(built(plan, capture=capture), clients)


def _with_clients(engine: BuiltEngine, clients: Sequence[Chosen]) -> PreparedRun:
    """Obtain clients for an engine, and drop what was built for others beyond the limit."""
    claims = Claims(cache_root())
    claims.claim([(item.family, item.version) for item in clients])
    if dropped := claims.drop():
        say(f"dropped from the cache: {counted(len(dropped), 'version')} that no run uses, {', '.join(dropped)}")
    drop_orphans(cache_root())
    bound, absent = get_clients(clients, say)
    for item in clients:
        if item.client in bound:
            claims.note(item.family, item.version, bound[item.client].launch)
    return PreparedRun(engine, bound, absent, claims)


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
    within = ready.engine.limit(options, file_limit(), len(ready.bound))
    execution = TrialExecution(
        engine=ready.engine,
        bound=ready.bound,
        plan=runnable,
        options=replace(within, seed=store.seed),
        store=store,
        known=known,
        finished=finished,
        keep=keeper(results, store.run_id) if options.capture else None,
        young=young_controls(runnable, finished, results, store.run_id),
    )
    execution.play()
    reasons = _before(finished, {cell for cell, _ in execution.reasons}) | execution.reasons
    outcomes: dict[Cell, set[Outcome]] = {}
    for cell, outcome in reasons:
        outcomes.setdefault(cell, set()).add(outcome)
    return RunResult(store.run_id, outcomes, ready.absent, dict(execution.elections), reasons)


def _before(finished: Mapping[tuple[Cell, int], Verdict], played: Collection[Cell]) -> dict[tuple[Cell, Outcome], str]:
    """Return the reasons of stored trials, by outcome; not of failed ones that others were played in place of."""
    return {
        (cell, verdict.outcome): verdict.reason
        for (cell, _), verdict in finished.items()
        if verdict.outcome is not Outcome.BROKEN or cell not in played
    }


def _open_store(
    results: str, resume: str | None, engine: BuiltEngine, selection: Selection, selectors: Mapping[str, Any] | None
) -> RunStore:
    shard = shard_name(selection.shard)
    if resume is not None:
        return RunStore.resume(results, resume, command=sys.argv, shard=shard)
    store = RunStore.create(
        results,
        command=sys.argv,
        seed=selection.seed,
        shard=shard,
        versions=engine.describe(),
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
