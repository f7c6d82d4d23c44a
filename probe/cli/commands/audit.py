"""`probe audit`: all services of a fleet, those at risk first."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from probe.catalogue.apps import Application, release_key
from probe.catalogue.families import CatalogueError
from probe.catalogue.scenarios import CORE, select_scenarios
from probe.catalogue.selectors import LOCAL, Chosen, any_line, select_clients, select_profiles
from probe.cells.aggregate import SettledCell
from probe.cells.audit import Finding, Report, examine, first_good, upgrade, worst_first
from probe.cells.fleet import Service, read_fleet
from probe.cli import common_options as o
from probe.cli.console.audit_output import as_csv, as_json, print_audit
from probe.cli.console.older_conditions import say_older
from probe.cli.wiring.catalogue import apps, by_number, choose_clients, families
from probe.cli.wiring.evidence import open_evidence, say_differing
from probe.errors import GateError, NothingJudgedError, ProbeError
from probe.model import CONTROL, Cell, Engine, Role
from probe.planning.plan import Selection, make_plan
from probe.scenarios.scenario import Scenario

FAULTS = tuple(name for name in CORE if name != CONTROL)
GATES = (Finding.FAILS, Finding.SUSPECTED, Finding.UNKNOWN)


@dataclass(frozen=True, slots=True)
class AuditRequest:
    """A service with its cells, or the reason why it has none."""

    service: Service
    chosen: Chosen | None = None
    cells: tuple[Cell, ...] = ()
    problem: str = ""


def audit(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Fleet as CSV, JSON, TOML, or text with one CLIENT@VERSION per line.")
    ],
    *,
    scenario: o.Scenarios = None,
    broker: o.BrokerLine = o.DEFAULT_BROKER,
    engine: o.EngineOption = Engine.EMBEDDED,
    fill: Annotated[bool, typer.Option("--run", help="Run cells without results first.")] = False,
    fail_on: Annotated[
        str,
        typer.Option(
            "--fail-on",
            metavar="LIST",
            help=f"Exit with code 1 if there is one of these findings: {', '.join(GATES)}. Separated by commas.",
        ),
    ] = str(Finding.FAILS),
    json_out: Annotated[bool, typer.Option("--json", help="Print JSON (docs/schema/audit.json).")] = False,
    csv_out: Annotated[bool, typer.Option("--csv", help="Print CSV, one line per service, role and fault.")] = False,
    evidence: o.Evidence = None,
    max_age: o.MaxAge = o.MAX_AGE_DAYS,
    results: o.Results = o.RESULTS,
    jobs: o.Jobs = None,
) -> None:
    """List the services of a fleet with the faults they do not survive, worst first; exit code 1 if there are any."""
    gate = _gate(fail_on)
    scenarios = select_scenarios(scenario or FAULTS)
    asked = [_ask(item, scenarios, engine, any_line(broker)) for item in read_fleet(_text(file), file.name)]
    stored = _stored(asked, evidence, results, max_age, jobs, fill=fill)
    reports = worst_first(_report(item, stored) for item in asked)
    seen = [fault.evidence for report in reports for fault in report.faults if fault.evidence is not None]
    say_differing(seen)
    older = {item.cell for item in seen if item.judged and not item.is_current}
    say_older(older, "their results are of that time; --run does not repeat them, `probe run` does")
    if json_out:
        typer.echo(as_json(reports, results))
    elif csv_out:
        typer.echo(as_csv(reports), nl=False)
    else:
        print_audit(reports, results, apps())
    _check(reports, gate)


def _gate(text: str) -> frozenset[Finding]:
    found = frozenset(item for item in GATES if item in text.split(","))
    if len(found) != len([item for item in text.split(",") if item]):
        raise ProbeError(f"--fail-on {text}: these are not findings, separated by commas; known are {', '.join(GATES)}")
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text()
    except (OSError, UnicodeDecodeError) as error:
        why = (error.strerror or error) if isinstance(error, OSError) else "it is not text in UTF-8"
        raise ProbeError(f"{file}: {why}; name a file with one CLIENT@VERSION per line, or CSV") from None


def _ask(service: Service, scenarios: Sequence[Scenario], engine: Engine, line: str) -> AuditRequest:
    """Return the cells of a service. An unknown client is a problem of its service only."""
    try:
        chosen = _chosen(service.client)
        selection = Selection(
            clients=[chosen],
            scenarios=scenarios,
            roles=[service.role] if service.role else tuple(Role),
            profiles=select_profiles([service.profile], service.properties, None),
            engine=engine,
            brokers=[line],
        )
    except CatalogueError as error:
        return AuditRequest(service, problem=str(error).removeprefix("--client "))
    plan = make_plan(selection)
    cells = tuple(item.cell for item in plan.cells if item.variant.expectation.conforms)
    return AuditRequest(
        service,
        chosen,
        cells,
        "" if cells else (plan.skips[0].reason if plan.skips else "it has no such role; leave the role empty for all"),
    )


def _chosen(name: str) -> Chosen:
    """Return the client of a name without a registry; unlisted versions are identified by number."""
    if name.partition("@")[2].startswith(LOCAL):
        return choose_clients([name])[0]
    return select_clients(families(), [name], by_number, apps())[0]


def _stored(
    asked: Sequence[AuditRequest],
    evidence: Sequence[str] | None,
    results: str,
    max_age: int,
    jobs: int | None,
    *,
    fill: bool,
) -> Mapping[Cell, SettledCell]:
    """Return the answers of evidence; with `fill`, cells without one are run first."""
    cells = [cell for item in asked for cell in item.cells]

    def answers() -> dict[Cell, SettledCell]:
        with open_evidence(evidence, results, max_age) as found:
            return found.answer(cells)

    if not fill:
        return answers()
    from probe.cli.wiring.filling import fill_in  # noqa: PLC0415  # loads what runs need

    return fill_in(results, jobs, answers, lambda stored: _missing(asked, stored))


def _missing(asked: Iterable[AuditRequest], stored: Mapping[Cell, SettledCell]) -> list[Cell]:
    faults = [fault for item in asked for fault in examine(item.cells, stored)]
    unknown = dict.fromkeys(item.cell for item in faults if item.finding in {Finding.UNKNOWN, Finding.SUSPECTED})
    return list(unknown)


def _report(asked: AuditRequest, stored: Mapping[Cell, SettledCell]) -> Report:
    faults = examine(asked.cells, stored)
    return Report(
        name=asked.service.name,
        client=asked.service.client,
        stands_for=str(asked.chosen.client) if asked.chosen else "",
        count=asked.service.count,
        faults=faults,
        upgrade=first_good(faults, _releases(asked), stored) or upgrade(faults, stored),
        problem=asked.problem,
    )


def _releases(asked: AuditRequest) -> Iterator[tuple[str, list[Cell]]]:
    """Yield the later releases of a service's application, each with the service's cells in its configuration."""
    own = asked.chosen.application if asked.chosen else None
    if own is None:
        return
    (profile,) = select_profiles([asked.service.profile], asked.service.properties, None)
    later = [item for item in own.app.versions if release_key(item.since) > release_key(own.version)]
    for item in sorted(later, key=lambda one: release_key(one.since)):
        release = Application(own.app, item.since)
        yield (
            str(release),
            [replace(c, version=item.library, profile=str(release.profile(profile, c.role))) for c in asked.cells],
        )


def _check(reports: Sequence[Report], gate: frozenset[Finding]) -> None:
    if all(report.finding is Finding.UNKNOWN for report in reports) and Finding.UNKNOWN not in gate:
        raise NothingJudgedError("nothing is stored about these services; `probe audit --run` runs the missing cells")
    bad = [report for report in reports if report.finding in gate or any(report.of(item) for item in gate)]
    if bad:
        raise GateError(f"{len(bad)} of {len(reports)} services are at risk ({', '.join(sorted(gate))}): {bad[0].name}")
