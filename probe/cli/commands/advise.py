"""`probe advise`: the effect of an upgrade of a client or of the brokers, from stored trials."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Annotated

import typer

from probe.catalogue.families import CatalogueError
from probe.catalogue.identities import compared_as
from probe.catalogue.name_hints import client_hint
from probe.catalogue.scenarios import select_scenarios
from probe.catalogue.selectors import any_line, select_profiles
from probe.catalogue.workloads import select_workloads
from probe.cells.aggregate import SettledCell
from probe.cells.citations import cited
from probe.cells.cli_hints import run_command
from probe.cells.control_cells import Barred, barred
from probe.cells.trends import Step
from probe.cells.upgrades import advise_upgrade, drift
from probe.cli import common_options as o
from probe.cli.console.control_lines import control_lines
from probe.cli.console.older_conditions import say_older
from probe.cli.console.streams import OUT, say
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.comparisons import (
    Change,
    Filter,
    absent,
    compared,
    control_cells,
    failed_before,
    needed,
    other_conditions,
    stored_cells,
)
from probe.cli.wiring.evidence import open_evidence, say_differing
from probe.errors import GateError, ProbeError
from probe.model import CONTROL, Cell, Engine, Profile, Role
from probe.model.counts import counted
from probe.model.grades import Trend
from probe.model.profile import DEFAULT_PROFILE
from probe.model.versions import version_key

USAGE = "write `probe advise FAMILY FROM TO`, or `probe advise --broker FROM TO [FAMILY[@VERSION]...]`"
MAX_LINES = (Trend.WORSE, Trend.BETTER, Trend.BAD, Trend.DIFFERS, Trend.UNCLEAR)
"""Trends that are listed cell by cell, in this order; the others are counted."""


def advise(
    what: Annotated[
        list[str],
        typer.Argument(
            metavar="FAMILY FROM TO",
            help="Client family or application with two versions; with --broker FROM: TO, then clients (default: all).",
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
    engine: o.EngineOption = Engine.EMBEDDED,
    workload: o.WorkloadFilter = None,
    fill: Annotated[bool, typer.Option("--run", help="Run missing cells first.")] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
    jobs: o.Jobs = None,
) -> None:
    """Compare stored results before and after an upgrade of a client or the brokers; exit code 1 if a cell is worse."""
    change = understand(what, broker)
    line = any_line(broker or o.DEFAULT_BROKER)
    workloads = select_workloads(workload) if workload else ()
    wanted = Filter(role or (), profile or (DEFAULT_PROFILE,), scenario or (), engine, line, workloads)
    _check(change, wanted)

    def answers() -> dict[Cell, SettledCell]:
        with open_evidence(evidence, results, max_age) as found:
            return stored_cells(found, change, wanted)

    if fill:
        from probe.cli.wiring.filling import fill_in  # noqa: PLC0415  # loads what runs need

        stored = fill_in(results, jobs, answers, lambda held: needed(held, change, wanted))
    else:
        stored = answers()
    steps, alone = compared(stored, change, wanted)
    controls = control_cells(stored, change, wanted)
    closed = barred(controls, stored)
    missing = absent(stored, change, wanted)
    say_older(other_conditions(stored, change, wanted), "they are not compared; --run measures them again")
    if not (steps or closed):
        fill_it = run_command(missing, results)
        raise ProbeError(f"{results}: no cell is stored for both {change.old} and {change.new}; run {fill_it}")
    say_differing([item for step in steps for item in (step.before, step.after)])
    OUT.print(_title(change, wanted), markup=False)
    for text in (*control_lines(controls, closed, results), *_report(steps, stored, change, wanted, results)):
        OUT.print(text, markup=False)
    if alone:
        say(f"{len(alone)} cells are stored for one side only; for the other run {run_command(missing, results)}")
    _gate(steps, [item for item in closed if not failed_before(item.control, stored, change)], change)


def understand(what: Sequence[str], broker: str | None) -> Change:
    """Parse the arguments: a family and two versions, or one line after `--broker LINE`. ProbeError for others."""
    numbers = [item for item in what if re.fullmatch(r"\d[\w.+-]*", item)]
    names = tuple(item for item in what if item not in numbers)
    if len(numbers) == 2 and len(names) == 1 and "@" not in names[0]:
        family, app = compared_as(names[0], numbers, families(), apps())
        return Change("version", numbers[0], numbers[1], (family,), app)
    if broker is not None and len(numbers) == 1:
        return Change("broker", any_line(broker), any_line(numbers[0]), names)
    raise ProbeError(f"advise {' '.join(what)}: {USAGE}")


def _check(change: Change, wanted: Filter) -> None:
    """Raise CatalogueError or ProbeError for an unknown name, or for two equal sides."""
    for name in change.clients:
        family = name.partition("@")[0]
        if family not in families():
            hint = client_hint(family, [*families()], apps())
            raise CatalogueError(f"advise {name}: there is no client family {family}; {hint}")
    select_profiles([Profile.parse(name).name for name in wanted.profiles], (), None)
    select_scenarios(wanted.scenarios)
    if change.old == change.new:
        raise ProbeError(f"advise: {change.column} {change.old} is compared with itself; name two different ones")
    if change.app and all(_same(change, role, name) for role in Role for name in wanted.profiles):
        inside = f"{change.app.family} {change.library(change.old)}"
        raise ProbeError(
            f"advise {change.app.name}: {change.old} and {change.new} both have {inside} with the same settings; "
            "name other versions"
        )


def _same(change: Change, role: Role, name: str) -> bool:
    old, new = ((change.library(side), change.profile(side, role, name)) for side in (change.old, change.new))
    return old == new


def _title(change: Change, wanted: Filter) -> str:
    names = change.app.name if change.app else ", ".join(change.clients) or "all stored clients"
    rest = f"{', '.join(wanted.profiles)}, {wanted.engine} engine"
    if change.app:
        inside = f"{change.app.family} {change.library(change.old)} -> {change.library(change.new)}, with its settings"
        return f"{names} {change.old} -> {change.new}: {inside} (profile {rest}, broker {wanted.line})"
    if change.column == "version":
        return f"{names} {change.old} -> {change.new} (profile {rest}, broker {wanted.line})"
    return f"broker {change.old} -> {change.new} under {names} (profile {rest})"


def _report(
    steps: Sequence[Step], stored: Mapping[Cell, SettledCell], change: Change, wanted: Filter, results: str
) -> Iterator[str]:
    for trend in MAX_LINES:
        for step in (step for step in steps if step.trend is trend and not _is_in_head(step, change)):
            yield f"{trend:<10} {_subject(step, change)}: {step.before.tally} -> {step.after.tally}"
            yield from (f"           {line}" for line in _evidence(step, stored, change, wanted, results))
    if change.column == "version":
        yield from _settings(steps, results)
    counts = Counter(step.trend for step in steps)
    yield ", ".join(f"{counts[trend]} {trend}" for trend in Trend if counts[trend])


def _is_in_head(step: Step, change: Change) -> bool:
    after = step.after
    return change.column == "broker" and after.cell.scenario == CONTROL and bool(after.grade.severity)


def _subject(step: Step, change: Change) -> str:
    cell = step.after.cell
    who = f"{cell.client} " if change.column == "broker" else ""
    extra = "" if cell.profile == DEFAULT_PROFILE else f" {cell.profile}"
    return f"{who}{cell.role}{extra} {cell.scenario}{cell.unusual}"


def _evidence(
    step: Step, stored: Mapping[Cell, SettledCell], change: Change, wanted: Filter, results: str
) -> Iterator[str]:
    for word, side in (("before: ", step.before), ("after:  ", step.after)):
        asked = replace(side.cell, broker=wanted.line) if change.column == "version" else side.cell
        yield f"{word}{side.reason}; {cited(asked, side, results)}"
    if step.trend not in {Trend.BETTER, Trend.BAD} or change.column != "version":
        return
    found = advise_upgrade(step.before, change.library(change.new), stored.values())
    if found.upgrade is not None:
        yield f"smallest stored upgrade that conforms: {found.upgrade.cell.version} ({found.last_bad} does not)"
        yield from _between(found.last_bad, found.upgrade.cell)
    elif step.trend is Trend.BAD:
        yield f"no stored version up to {change.new} conforms"
    for item in found.profiles:
        yield f"{item.cell.client} conforms with profile {item.cell.profile}; {cited(item.cell, item, results)}"


def _between(last_bad: str, good: Cell) -> Iterator[str]:
    """Name the listed versions without results between the last bad and the first good one, and the command to run."""
    listed = families()[good.family].versions if good.family in families() else ()
    low, high = version_key(last_bad), version_key(good.version)
    unknown = [item.version for item in listed if low < version_key(item.version) < high]
    if unknown:
        workload = f" --workload {good.workload}" if good.unusual else ""
        way = f"probe bisect {good.family} {good.scenario} --role {good.role}{workload}"
        yield f"no results between: {', '.join(unknown)}; {way}"


def _settings(steps: Iterable[Step], results: str) -> Iterator[str]:
    """Compare the effective settings per role and profile, in one trial each, of the control cell if it is stored."""
    ordered = sorted(steps, key=lambda step: step.before.cell.scenario != CONTROL)
    first = {(step.before.cell.role, step.before.cell.profile): step for step in reversed(ordered)}
    for (role, profile), step in sorted(first.items()):
        if any(side.origin is not None and not side.origin.is_own for side in (step.before, step.after)):
            yield f"{'settings':<10} {role} {profile}: only own trials have the effective settings"
            continue
        old, new = (_settings_of(side, results) for side in (step.before, step.after))
        changed = [f"{name} {before} -> {after}" for name, before, after in drift(old, new)]
        yield f"{'settings':<10} {role} {profile}: {', '.join(changed) or 'the same effective settings'}"


def _settings_of(side: SettledCell, results: str) -> Mapping[str, str]:
    from probe.store import history  # noqa: PLC0415  # loads pyarrow

    return history(results, side.run_id, side.cell, side.trial).header.settings


def _gate(steps: Sequence[Step], closed: Sequence[Barred], change: Change) -> None:
    if closed:
        first = closed[0].control.cell
        who = f"{first.client} {first.role}"
        raise GateError(f"{counted(len(closed), 'role')} of clients do not work with Kafka {change.new}, first: {who}")
    worse = [step for step in steps if step.trend is Trend.WORSE]
    if worse:
        what = _subject(worse[0], change)
        raise GateError(
            f"{len(worse)} of {len(steps)} cells get worse from {change.old} to {change.new}, first: {what}"
        )
