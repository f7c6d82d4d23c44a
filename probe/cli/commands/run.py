"""`probe run`, and the core run of `probe` without a command."""

from __future__ import annotations

import time
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe.catalogue.scenarios import CORE
from probe.cells.cli_hints import show_run_command
from probe.cli import common_options as common
from probe.cli import options as o
from probe.cli.console.agreement import of_run, show_agreement, show_elections
from probe.cli.console.outcome_table import show_outcomes
from probe.cli.console.skips import skipped
from probe.cli.console.streams import say
from probe.cli.option_groups import SelectionOptions, with_groups
from probe.cli.wiring.execution import run_planned
from probe.cli.wiring.reports import NO_REPORTS, Reports
from probe.cli.wiring.resumption import as_before, names_nothing, selected
from probe.cli.wiring.run_selection import RunSelection
from probe.cli.wiring.selectors import selectors_of
from probe.cli.wiring.spark_package import need_spark
from probe.cli.wiring.time_budget import most_informative, say_left, stop_at
from probe.errors import ExhaustedError, InterruptedRunError, NothingJudgedError, ProbeError
from probe.model.engines import ENGINES
from probe.model.outcomes import UNOBSERVED
from probe.model.roles import CORE_ROLES
from probe.reports.gates import read_gate
from probe.runner import Options
from probe.runner.trial_limit import MOST

if TYPE_CHECKING:
    from probe.cli.wiring.publication import Publisher

PUBLISHING_WAIT_S = 600.0
"""Maximum wait of a finished run for the matrix and site of another run, in seconds."""


@with_groups()
def run(
    *,
    chosen: SelectionOptions,
    jobs: common.Jobs = None,
    exactly: Annotated[
        int | None, typer.Option("--exactly", min=1, max=MOST, hidden=True, help="For benchmarks: no adaptation.")
    ] = None,
    repeat_budget: o.RepeatBudget = None,
    watch: o.Watch = None,
    results: common.Results = common.RESULTS,
    resume: Annotated[
        str | None,
        typer.Option(
            "--resume", metavar="RUN_ID", help="Continue this run. Without selectors, those of the stored run are used."
        ),
    ] = None,
    capture: Annotated[
        bool,
        typer.Option(
            "--capture",
            help="Store the network traffic of each trial without payloads and credentials; `probe show --pcap FILE` "
            "writes it out.",
        ),
    ] = False,
    fail_on: o.FailOn = "",
    junit: Annotated[Path | None, typer.Option("--junit", metavar="FILE", help="Write a JUnit XML report.")] = None,
    summary: Annotated[
        Path | None, typer.Option("--summary", metavar="FILE", help="Write a summary in Markdown.")
    ] = None,
    publish: Annotated[bool, typer.Option("--publish", help="Build matrix and site afterwards.")] = False,
    time_budget: o.TimeBudget = None,
    wait: o.Wait = 0.0,
) -> None:
    """Run clients in scenarios, judge each, and store the results."""
    began = time.monotonic()
    reports = Reports(read_gate(fail_on), junit, summary)
    reports.prepare()
    asked = selectors_of(chosen)
    watch_ms = None if watch is None else int(watch * 1000)
    if resume is not None and names_nothing(asked):
        asked, before_ms = as_before(results, resume, asked)
        watch_ms = before_ms if watch_ms is None else watch_ms
    stop = None if time_budget is None else stop_at(time_budget, began, results, publish=publish)
    if exactly is not None and (not ENGINES[chosen.engine].exact_jobs or jobs is not None):
        raise ProbeError("--exactly: is for fake clusters, and without --jobs; use --jobs alone")
    options = Options(
        jobs=jobs, exactly=exactly, watch_ms=watch_ms, capture=capture, stop_at=stop, repeat_budget_s=repeat_budget
    )
    with _publisher(results) if publish else nullcontext() as publisher:
        _run(asked, options, results, resume, reports, publisher, wait)


def core_run(results: str = common.RESULTS) -> None:
    """Run the core scenarios for the core clients, then build matrix and site."""
    asked = RunSelection(scenarios=CORE, roles=CORE_ROLES)
    with _publisher(results) as publisher:
        _run(asked, Options(), results, None, NO_REPORTS, publisher)


def _publisher(results: str) -> Publisher:
    """Return the publisher of a run. ToolError if pyspark is not installed."""
    need_spark()
    from probe.cli.wiring.publication import Publisher  # noqa: PLC0415  # imports pyspark, which may be missing

    return Publisher(results, wait_s=PUBLISHING_WAIT_S)


def _run(
    asked: RunSelection,
    options: Options,
    results: str,
    resume: str | None,
    reports: Reports,
    publisher: Publisher | None = None,
    wait_s: float = 0.0,
) -> None:
    plan, selection = asked.whole(results)
    for line in skipped(plan, selection):
        say(line)
    part, chosen = most_informative(plan, selection, options, results)
    cells = [item.cell for item in plan.cells]
    try:
        ran = run_planned(part, chosen, options, results, resume, selected(asked, options.watch_ms), wait_s)
    except (InterruptedRunError, ExhaustedError) as ended:
        if ended.run_id:
            reports.make_partial(results, ended.run_id, cells)
        raise
    if options.stop_at is not None:
        known = {*ran.outcomes, *(item.cell for item in part.cells if item.cell.client in ran.absent)}
        if say_left(plan, known, results) and not ran.outcomes:
            reports.make(results, ran.run_id, cells)
            raise NothingJudgedError(
                "no trial fits into --time-budget after set-up and before reports; give it more seconds"
            )
    show_outcomes(ran.outcomes, ran.absent, ran.run_id, ran.reasons, results=results)
    show_elections(ran.elections)
    if publisher is None:
        show_agreement(of_run(results, ran.outcomes))
    report = reports.make(results, ran.run_id, cells)
    if not any(seen - UNOBSERVED for seen in ran.outcomes.values()):
        why = show_run_command(ran.run_id, results)
        raise NothingJudgedError(f"no cell of run {ran.run_id} could be judged; `{why}` says why")
    if publisher is not None:
        publisher.publish(just_ran=True)
    reports.check(report)
