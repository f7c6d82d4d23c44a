"""`probe advise`: the effect of an upgrade of a client or of the brokers, from stored trials."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Annotated

import typer

from probe.catalogue.selectors import any_line
from probe.catalogue.workloads import select_workloads
from probe.cells.cell_order import in_order
from probe.cells.cli_hints import LONGEST, run_command
from probe.cells.comparison import CHANCE, EQUAL, MORE, Answer, Compared
from probe.cells.control_cells import Barred, barred
from probe.cli import common_options as o
from probe.cli.answers.advice_summary import known_lines
from probe.cli.answers.advise import AdviceView, advice_lines, subject
from probe.cli.answers.neighbours import neighbour_lines
from probe.cli.comparison_options import DecisiveTrials
from probe.cli.console.control_lines import control_lines
from probe.cli.console.older_conditions import not_compared, say_older
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.advice import Found, Source, decided, look
from probe.cli.wiring.compared_arguments import check_names, measured_in, plain, understand
from probe.cli.wiring.comparisons import Change, Filter, absent, control_cells, failed_before, other_conditions
from probe.cli.wiring.decisive_trials import cost
from probe.cli.wiring.evidence import say_differing
from probe.cli.wiring.known_sides import names_of
from probe.cli.wiring.neighbours import decide_all, look_at_all
from probe.errors import GateError, ProbeError
from probe.model import Cell
from probe.model.counts import counted
from probe.model.engines import DEFAULT_ENGINE, is_default
from probe.model.profile import DEFAULT_PROFILE


def advise(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FAMILY FROM TO",
            help="Client family or application with two versions, or a family alone: each version with the next one; "
            "with --broker FROM: TO, then clients (default: all).",
        ),
    ],
    *,
    role: o.Roles = None,
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", metavar="PROFILE", help="Profile as in matrix.csv. May be repeated."),
    ] = None,
    scenario: o.Scenarios = None,
    broker: Annotated[
        str | None,
        typer.Option(
            "--broker", metavar="LINE", help="Kafka broker line (default: 3.9); with a second one, a broker upgrade."
        ),
    ] = None,
    engine: o.EngineOption = DEFAULT_ENGINE,
    workload: o.WorkloadFilter = None,
    fresh: Annotated[
        bool,
        typer.Option(
            "--run",
            help="Run missing cells, then both sides of those that differ, alternating, until they are decided.",
        ),
    ] = False,
    trials: DecisiveTrials = CHANCE,
    equal: Annotated[
        bool, typer.Option("--equal", help=f"Say where both sides are equal, which takes {EQUAL} trials a side.")
    ] = False,
    whole: Annotated[
        bool, typer.Option("--all", help="List every cell with its evidence, and the settings that differ.")
    ] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
    jobs: o.Jobs = None,
) -> None:
    """Compare results before and after an upgrade of a client or the brokers; exit code 1 if a cell is shown worse."""
    what = plain(what, broker, measured_in(evidence, results, max_age, engine, broker))
    change = understand(what, broker)
    line = any_line(broker or o.DEFAULT_BROKER)
    workloads = select_workloads(workload) if workload else ()
    wanted = Filter(role or (), profile or (DEFAULT_PROFILE,), scenario or (), engine, line, workloads)
    check_names(change, wanted)
    source = Source(change, wanted, evidence, results, max_age)
    again = _command(what, broker, wanted, evidence, results, jobs)
    if list(what) == list(change.clients):
        _neighbours(source, trials, jobs, f"{again} --run", fresh=fresh)
        return
    found = decided(source, trials, jobs, equal=equal) if fresh else look(source, trials, equal=equal)
    controls = control_cells(found.stored, change, wanted)
    closed = barred(controls, found.stored)
    older = other_conditions(found.stored, change, wanted)
    say_older(older, not_compared(older, _measuring(older, results, again)))
    if not (found.compared or closed):
        both = f"{results}: no cell is stored for both {change.old} and {change.new}"
        raise ProbeError(f"{both}; run {_filling(found, source, again)}{_look_ups(change, found)}")
    say_differing([side for one in found.compared for side in (one.step.before, one.step.after)])
    OUT.print(_title(change, wanted), markup=False)
    view = AdviceView(
        change=change,
        wanted=wanted,
        found=found.compared,
        levels=found.levels,
        known=found.known,
        stored=found.stored,
        results=results,
        cost=cost(found.undecided, found.asked, jobs),
        command=f"{again} --run",
        more=f"{again} --run --trials {MORE}",
        whole=whole,
    )
    for text in (*control_lines(controls, closed, results), *advice_lines(view)):
        OUT.print(text, markup=False)
    if found.alone:
        filling = _filling(found, source, again)
        say(f"{counted(found.alone, 'cell')} stored for one side only; for the other run {filling}")
    _gate(found.compared, [item for item in closed if not failed_before(item.control, found.stored, change)], change)


def _look_ups(change: Change, found: Found) -> str:
    """Return the look-ups that answer for each side of two versions, and what they say of the change."""
    if change.column != "version":
        return ""
    asked = " and ".join(f"`probe lookup {name}`" for name in names_of(change))
    said = "; ".join(known_lines(found.known, *change.sides))
    return f"; {asked} say what is known of each{f': {said}' if said else ''}"


def _neighbours(source: Source, trials: int, jobs: int | None, command: str, *, fresh: bool) -> None:
    """Compare each version with the next."""
    if fresh:
        found = decide_all(source, trials, jobs)
    else:
        found, _ = look_at_all(source, trials)
    (family,) = source.change.clients
    if not found:
        raise ProbeError(
            f"{source.results}: fewer than two versions of {family} are known; run `probe run --client all`"
        )
    for line in neighbour_lines(found, command, jobs):
        OUT.print(line, markup=False)
    older = in_order({cell for pair in found for cell in pair.apart})
    say_older(older, not_compared(older, _measuring(older, source.results, f"probe advise {family} OLDER NEWER")))


def _filling(found: Found, source: Source, again: str) -> str:
    """Return the command that runs missing cells, or the one that finds and runs them if that would be long."""
    return _measuring(absent(found.stored, source.change, source.wanted), source.results, again)


def _measuring(cells: Sequence[Cell], results: str, again: str) -> str:
    command = run_command(cells, results)
    return command if len(command) <= LONGEST else f"{again} --run"


def _command(
    what: Sequence[str],
    broker: str | None,
    wanted: Filter,
    evidence: Sequence[str] | None,
    results: str,
    jobs: int | None,
) -> str:
    """Return this comparison as a command."""
    options = [
        *((("broker", broker),) if broker else ()),
        *(("role", str(one)) for one in wanted.roles),
        *(("profile", one) for one in wanted.profiles if one != DEFAULT_PROFILE),
        *(("scenario", one) for one in wanted.scenarios),
        *((("engine", str(wanted.engine)),) if not is_default(wanted.engine) else ()),
        *(("workload", str(one)) for one in wanted.workloads),
        *(("evidence", one) for one in evidence or ()),
        *((("results", results),) if results != o.RESULTS else ()),
        *((("jobs", str(jobs)),) if jobs else ()),
    ]
    return " ".join(["probe advise", *what, *(f"--{name} {shlex.quote(text)}" for name, text in options)])


def _title(change: Change, wanted: Filter) -> str:
    names = change.app.name if change.app else ", ".join(change.clients) or "all stored clients"
    rest = f"{', '.join(wanted.profiles)}, {wanted.engine} engine"
    if change.app:
        inside = f"{change.app.family} {change.library(change.old)} -> {change.library(change.new)}, with its settings"
        return f"{names} {change.old} -> {change.new}: {inside} (profile {rest}, broker {wanted.line})"
    if change.asked:
        inside = f"{names} {change.old} -> {change.new}, measured for them, since no registry serves both"
        old, new = change.sides
        return f"{change.asked.name} {old} -> {new}: {inside} (profile {rest}, broker {wanted.line})"
    if change.column == "version":
        return f"{names} {change.old} -> {change.new} (profile {rest}, broker {wanted.line})"
    return f"broker {change.old} -> {change.new} under {names} (profile {rest})"


def _gate(found: Sequence[Compared], closed: Sequence[Barred], change: Change) -> None:
    if closed:
        first = closed[0].control.cell
        who = f"{first.client} {first.role}"
        raise GateError(f"{counted(len(closed), 'role')} of clients do not work with Kafka {change.new}, first: {who}")
    worse = [one for one in found if one.answer is Answer.WORSE]
    if worse:
        what = subject(worse[0].step, change)
        gets = "gets" if len(worse) == 1 else "get"
        where = f"from {change.old} to {change.new}, first: {what}"
        raise GateError(f"{len(worse)} of {counted(len(found), 'cell')} {gets} worse {where}")
