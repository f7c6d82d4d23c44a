"""`probe audit`: the clients of inventories, those at risk first."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from probe.catalogue.baseline import baseline
from probe.catalogue.purposes import PURPOSES, purpose_of
from probe.catalogue.scenarios import RUN_BY_PATTERN, default_scenarios, select_scenarios
from probe.catalogue.selectors import any_line
from probe.catalogue.workloads import select_workloads
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding, Report, worst_first
from probe.cells.audit_gate import Gates
from probe.cells.gate_words import DEFAULT
from probe.cells.ignores import NAME, Ignored
from probe.cells.readiness import in_turn
from probe.cli import common_options as o
from probe.cli.answers.audit import print_audit
from probe.cli.answers.inventory import none_named, reading_lines, unread_files
from probe.cli.answers.readiness import print_readiness
from probe.cli.console.older_conditions import say_older
from probe.cli.console.streams import say
from probe.cli.laboratory import absent_packages
from probe.cli.wiring.audit_findings import Sources, answered, with_ways_out
from probe.cli.wiring.audit_requests import AuditRequest, ask, of_service
from probe.cli.wiring.catalogue import apps, packages
from probe.cli.wiring.earlier_commit import earlier_paths, without_earlier
from probe.cli.wiring.evidence import say_differing
from probe.cli.wiring.ignore_file import accept, expired, read_ignore_file
from probe.cli.wiring.known_file import without_known
from probe.cli.wiring.release_names import reports_in_releases
from probe.errors import GateError, NothingJudgedError, ProbeError
from probe.inventory.entries import FileContent, Found, InventoryError
from probe.inventory.inventory_reader import read_inventories
from probe.model import CONTROL, Engine
from probe.model.engines import DEFAULT_ENGINE
from probe.reports.audit.formats import Format, write
from probe.reports.audit.question import Question
from probe.reports.audit.result import AuditResult
from probe.reports.audit.services import by_service, named
from probe.scenarios.scenario import Scenario


def audit(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...|-",
            help="Files, folders or - for standard input: go.mod, lock files, SBOMs, sheets, ... (docs/audit.md).",
        ),
    ],
    *,
    scenario: Annotated[
        list[str] | None,
        typer.Option(
            "--scenario",
            metavar="GLOB",
            help="Scenario name or pattern, such as 'disk/*'. May be repeated; default: the scenarios of Failover "
            "Baseline 2026, in the roles in which they are scored (docs/baseline.md).",
        ),
    ] = None,
    purpose: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="PURPOSE",
            help=f"What you are about to do, in place of --scenario: {', '.join(PURPOSES)} (docs/audit.md). Says of "
            "each service whether you may, what will alarm, what to do before, and which is first.",
        ),
    ] = None,
    broker: o.BrokerLine = o.DEFAULT_BROKER,
    engine: o.EngineOption = DEFAULT_ENGINE,
    workload: o.WorkloadFilter = None,
    fill: Annotated[bool, typer.Option("--run", help="Run cells without results first.")] = False,
    everything: Annotated[
        bool, typer.Option("--all", help="List every cause with its evidence, in place of 40 lines a service.")
    ] = False,
    fail_on: o.FailOn = str(DEFAULT),
    output: Annotated[
        Format | None,
        typer.Option(
            "--format", metavar="FORMAT", help=f"One of {', '.join(Format)} (docs/audit.md). Default: {Format.TABLE}."
        ),
    ] = None,
    json_out: Annotated[bool, typer.Option("--json", help="Short for --format json (docs/schema/audit.json).")] = False,
    csv_out: Annotated[bool, typer.Option("--csv", help="Short for --format csv.")] = False,
    ignore: Annotated[
        Path | None,
        typer.Option(
            "--ignore",
            metavar="FILE",
            help=f"Accepted findings, each with a reason and a last day (docs/audit.md). Default: {NAME} if it exists.",
        ),
    ] = None,
    known_file: Annotated[
        Path | None,
        typer.Option(
            "--known",
            metavar="FILE",
            help="SARIF of an earlier audit: its findings are accepted, so that only new ones end with exit code 1.",
        ),
    ] = None,
    against: Annotated[
        str | None,
        typer.Option(
            "--against",
            metavar="REF",
            help="Commit of the git repository that holds the audited files: what it had is accepted, too.",
        ),
    ] = None,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
    jobs: o.Jobs = None,
) -> None:
    """List the clients of inventories with the faults they do not survive, worst first.

    Exit code 1 means that work stops or records are lost; --fail-on asks for more. Without --scenario the whole
    Failover Baseline 2026 is asked, and the first line says how many scenarios were not.
    """
    gate = o.gates(fail_on, scored_only=not (scenario or purpose))
    form = _format(output, json_out=json_out, csv_out=csv_out)
    entries = read_ignore_file(ignore)
    line = any_line(broker)
    scenarios = select_scenarios(_names(scenario, purpose))  # `ask` adds the control cells
    earlier = earlier_paths(against, paths)
    readings = list(_say_each(read_inventories(paths), alone=len(paths) == 1))
    workloads = select_workloads(workload) if workload else ()
    only_roles = {} if scenario else baseline().only_roles

    def asked_of(service: Found) -> AuditRequest:
        mine, are_others = (scenarios, False) if scenario or purpose else of_service(service, scenarios)
        return ask(service, mine, engine, line, workloads, {} if are_others else only_roles)

    def of(held: Sequence[FileContent], *, run: bool = False) -> list[Report]:
        asked = [asked_of(item) for one in held for item in one.found]
        known = answered(asked, Sources(evidence, results, max_age), jobs, fill=run)
        return reports_in_releases(with_ways_out(asked, known))

    fresh = without_earlier(earlier, of(readings, run=fill), of)
    ignored = accept(entries, without_known(known_file, fresh))
    question = _question(scenarios, line, engine, is_baseline=not (scenario or purpose), purpose=purpose or "")
    ordered = in_turn(ignored.reports) if purpose else worst_first(ignored.reports)
    _print(ordered, results, gate, form, question, everything=everything or bool(scenario))
    if form is not Format.TABLE:
        say(str(question))
    _say_of([fault.evidence for one in fresh for fault in one.faults if fault.evidence is not None])
    _check(ignored, gate, readings)


def _names(scenario: Sequence[str] | None, purpose: str | None) -> Sequence[str]:
    """Return what is asked: named scenarios, those of a purpose, else the baseline. ProbeError for both."""
    if purpose is None:
        return scenario or baseline().scenarios
    if scenario:
        raise ProbeError(f"--for {purpose} has scenarios of its own; leave out --scenario, or --for")
    return purpose_of(purpose).scenarios


def _say_each(readings: Iterable[FileContent], *, alone: bool) -> Iterator[FileContent]:
    for reading in readings:
        for line in reading_lines(reading, alone=alone):
            say(line)
        yield reading


def _say_of(answers: Sequence[SettledCell]) -> None:
    """Say which answers evidence disagrees on, and which rest on older conditions."""
    say_differing(answers)
    older = {item.cell for item in answers if item.judged and not item.is_current}
    say_older(older, "they count here as well")


def _format(output: Format | None, *, json_out: bool, csv_out: bool) -> Format:
    short = [item for item, chosen in ((Format.JSON, json_out), (Format.CSV, csv_out)) if chosen]
    asked = {*short, *([output] if output is not None else [])}
    if len(asked) > 1:
        raise ProbeError(f"{' and '.join(sorted(asked))}: an audit is printed in one format; leave out the others")
    return asked.pop() if asked else Format.TABLE


def _question(scenarios: Sequence[Scenario], line: str, engine: Engine, *, is_baseline: bool, purpose: str) -> Question:
    """Return what is asked: these scenarios and the control scenario, which `ask` adds."""
    names = dict.fromkeys([CONTROL, *(item.name for item in scenarios)])
    left = RUN_BY_PATTERN - len(names) if is_baseline else _left(names)
    return Question(
        scenarios=tuple(names), is_baseline=is_baseline, left=left, broker=line, engine=str(engine), purpose=purpose
    )


def _left(names: Collection[str]) -> int:
    """Return how many scenarios of the default catalogue are not among these."""
    return sum(1 for name, item in default_scenarios().items() if name not in names and not item.asked)


def _print(
    reports: Sequence[Report], results: str, gate: Gates, form: Format, question: Question, *, everything: bool
) -> None:
    made = AuditResult(
        reports=reports,
        results=results,
        packages=packages(),
        apps=apps(),
        failing=gate,
        moment=datetime.now(UTC),
        question=question,
        can_run=not absent_packages(),
    )
    if form is Format.TABLE:
        print_readiness(made) if question.purpose else print_audit(made, everything=everything)
    else:
        typer.echo(write(form, made), nl=False)


def _check(ignored: Ignored, gate: Gates, readings: Sequence[FileContent]) -> None:
    """End with code 1 for a finding; else 2 for a named file that cannot be read; else 3 if nothing could be said.

    An expired entry of the ignore file is a finding.
    """
    reports = worst_first(ignored.reports)
    bad = [one for one in reports if gate.is_at_risk(one)]
    said = [expired(ignored)] if ignored.expired else []
    if bad:
        services, all_of_them = by_service(bad), by_service(reports)
        at_risk = f"{len(services)} of {len(all_of_them)} services are at risk ({gate}): {named(services)}"
        raise GateError("; ".join([at_risk, *said]))
    if said:
        raise GateError(said[0])
    if unread := unread_files(readings):
        raise InventoryError(unread)
    if not reports:
        raise NothingJudgedError(none_named(readings))
    if not any(one.faults for one in reports):
        raise NothingJudgedError(f"no client is known in a version that can be asked for: {reports[0].problem}")
    if all(one.finding is Finding.UNKNOWN for one in reports):
        raise NothingJudgedError("nothing is stored about these services; `probe audit --run` runs the missing cells")
    if all(item.is_control and item.finding is Finding.SUSPECTED for one in reports for item in one.faults):
        raise NothingJudgedError("other releases do not work there at all; `probe audit --run` plays these")
