"""`probe show`: the timeline of a stored trial in the terminal."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import replace
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from probe import store
from probe.catalogue.app_relations import stand_for
from probe.catalogue.families import Version
from probe.catalogue.selectors import select_clients
from probe.catalogue.workloads import select_workloads
from probe.cells.origin import OWN
from probe.cli import common_options as o
from probe.cli.answers.evidence import show_answers
from probe.cli.console.handshake_lines import handshake_lines
from probe.cli.console.history_lines import lines, phase_text
from probe.cli.console.streams import OUT
from probe.cli.wiring.catalogue import apps, families
from probe.cli.wiring.evidence import DEFAULT
from probe.cli.wiring.line_releases import pasted_client
from probe.cli.wiring.lookup_words import named_line
from probe.errors import NothingJudgedError, ProbeError
from probe.model import Cell, Engine, Outcome, Profile, Role, Workload, encode
from probe.model.versions import version_key
from probe.store.presence import has_runs

if TYPE_CHECKING:
    from probe.store import TrialRow


def show(
    *,
    client: Annotated[
        list[str] | None,
        typer.Option("--client", metavar="CLIENT", help="FAMILY, FAMILY@VERSION or APPLICATION@VERSION; default: all."),
    ] = None,
    scenario: o.Scenarios = None,
    role: o.Roles = None,
    profile: Annotated[
        list[str] | None,
        typer.Option("--profile", metavar="PROFILE", help="Profile as in matrix.csv, or pattern; default: all."),
    ] = None,
    engine: Annotated[
        Engine | None, typer.Option("--engine", help="Engine of the trial: embedded or kafka; default: both.")
    ] = None,
    broker: Annotated[
        list[str] | None, typer.Option("--broker", metavar="LINE", help="Kafka broker line (3.9); default: all.")
    ] = None,
    workload: o.WorkloadFilter = None,
    results: o.Results = o.RESULTS,
    run: Annotated[
        str | None, typer.Option("--run", metavar="RUN_ID", help="Run to read; default: the latest that has the cell.")
    ] = None,
    trial: Annotated[
        int | None, typer.Option("--trial", metavar="N", min=0, help="Number of the trial; default: the first.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one trial as JSON (docs/schema/show.json).")] = False,
    pcap: Annotated[
        Path | None, typer.Option("--pcap", metavar="FILE", help="Write the captured traffic of the trial (pcapng).")
    ] = None,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
) -> None:
    """Show the timeline of one trial, or what evidence says. If several cells match, list them."""
    tests: dict[str, Callable[[Cell], bool]] = {
        "--client": _one_of(client, _client_matches),
        "--scenario": _one_of(scenario, lambda cell, text: fnmatchcase(cell.scenario, text)),
        "--role": _one_of(role, lambda cell, wanted: cell.role is Role(wanted)),
        "--profile": _one_of(profile, lambda cell, text: cell.profile == text or fnmatchcase(cell.profile, text)),
        "--broker": _one_of(broker, lambda cell, text: cell.broker == text),
        "--engine": lambda cell: engine is None or cell.engine is engine,
        "--workload": _in(select_workloads(workload)) if workload else lambda _: True,
    }
    of_trials = as_json or any(item is not None for item in (run, trial, pcap))
    own = OWN in (evidence or DEFAULT)
    if not own and of_trials:
        raise ProbeError("show: --run, --trial, --json and --pcap are for own trials; leave --evidence out")
    rows = list(store.trials(results, run)) if own and has_runs(results) else []
    found = [row for row in rows if all(test(row.cell) for test in tests.values())]
    found = [row for row in found if trial is None or row.trial == trial]
    if not found and not of_trials and show_answers(tests.values(), evidence, results, max_age):
        return
    if not rows:
        where = f"{results}: there are no runs here" if own else "this evidence has no such cell"
        raise NothingJudgedError(f"{where}; `probe run` makes one, --results names another folder")
    if not found:
        alone = [option for option, test in tests.items() if not any(test(row.cell) for row in rows)]
        alone += ["--trial"] if trial is not None and all(row.trial != trial for row in rows) else []
        what = f"no stored trial matches {', '.join(alone)}" if alone else "no stored trial matches all selectors"
        raise ProbeError(f"{results}: {what}; `probe show --results {results}` lists what is stored")
    newest = _newest(found) if workload else _usual(_newest(found))
    if len(newest) == 1 or (run is not None and trial is not None and len(newest) == 1):
        if pcap is not None:
            from probe.cli.wiring.captures import take_out  # noqa: PLC0415  # loads the store, and with it pyarrow

            take_out(results, newest[0], pcap)
        _show_one(results, newest[0], as_json=as_json)
        return
    if pcap is not None:
        raise ProbeError(f"--pcap {pcap}: {len(newest)} cells match; name one by its selectors")
    for row in newest:
        OUT.print(f"{row.run_id}  {row.cell}  {row.verdict.outcome}: {row.verdict.reason}", markup=False)


def _one_of(wanted: list[str] | list[Role] | None, matches: Callable[[Cell, str], bool]) -> Callable[[Cell], bool]:
    return lambda cell: not wanted or any(matches(cell, str(item)) for item in wanted)


def _in(wanted: Collection[Workload]) -> Callable[[Cell], bool]:
    return lambda cell: cell.workload in wanted


def _client_matches(cell: Cell, text: str) -> bool:
    text = pasted_client(text)
    family, _, version = text.partition("@")
    if named := named_line(text):
        return any(_client_matches(cell, f"{named.name}@{number}") for number in named.releases)
    if family in families() or family not in apps():
        return cell.family == family and version in {"", cell.version}
    (stands,) = select_clients(families(), [text], lambda _, number: Version(version=number), apps())
    if stands.application is None or cell.client != stands.client:
        return False
    profile = Profile.parse(cell.profile)
    return stands.application.profile(profile.plain(), cell.role) == profile


def _stands_for(cell: Cell) -> str:
    """Return the names of the applications and wrappers whose library and settings the cell has."""
    return ", ".join(stand_for(apps(), cell.family, cell.version, cell.role, Profile.parse(cell.profile)))


def _newest(found: list[TrialRow]) -> list[TrialRow]:
    """Return the first trial of the latest run, for each cell."""
    best: dict[Cell, TrialRow] = {}
    for row in sorted(found, key=lambda row: (row.run_id, -row.trial)):
        best[row.cell] = row
    return sorted(best.values(), key=lambda row: (row.cell.scenario, row.cell.family, version_key(row.cell.version)))


def _usual(found: list[TrialRow]) -> list[TrialRow]:
    """Return the trial of `continuous` alone if the cells differ in the workload only."""
    usual = [row for row in found if row.cell.workload is Workload.CONTINUOUS]
    same = len(usual) == 1 and {replace(row.cell, workload=Workload.CONTINUOUS) for row in found} == {usual[0].cell}
    return usual if same else found


def _show_one(results: str, row: TrialRow, *, as_json: bool) -> None:
    if row.verdict.outcome is Outcome.NOT_RUN and not as_json:
        OUT.print(f"{row.cell}", markup=False, style="bold")
        OUT.print(f"run {row.run_id}: {row.verdict.outcome}. {row.verdict.reason}", markup=False)
        return
    seen = store.history(results, row.run_id, row.cell, row.trial)
    if as_json:
        events = [{"event": type(event).__name__, **encode(event)} for event in seen.events]
        data = {
            "run_id": row.run_id,
            "cell": row.cell.columns(),
            "trial": row.trial,
            "verdict": encode(row.verdict),
            "header": encode(seen.header),
            "events": events,
        }
        typer.echo(json.dumps(data, indent=1))
        return
    OUT.print(f"{row.cell}", markup=False, style="bold")
    if stands := _stands_for(row.cell):
        OUT.print(f"stands for {stands}", markup=False)
    if seen.header.judged_by:
        OUT.print(
            "an application that reports no deliveries: judged by its traffic and by the records read back",
            markup=False,
        )
    OUT.print(f"run {row.run_id}, trial {row.trial}: {row.verdict.outcome}. {row.verdict.reason}", markup=False)
    if history := seen.header.subject.history.text():
        OUT.print(f"before the client started: {history}", markup=False)
    if text := phase_text(row.verdict.facts, seen.header.phase):
        OUT.print(text, markup=False)
    for name, value in encode(row.verdict.facts).items():
        OUT.print(f"  {name} = {value}", markup=False)
    for line in chain(handshake_lines(seen.header), lines(seen)):
        OUT.print(line, markup=False)
