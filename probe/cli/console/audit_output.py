"""Output of `probe audit`: a table with its evidence, JSON, or CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict

import typer

from probe.catalogue.apps import App, release_key
from probe.cells.audit import Fault, Finding, Report
from probe.cells.citations import cited, command, provenance
from probe.cells.cli_hints import run_command
from probe.cli.console.plain_table import lines_of
from probe.model.versions import version_key

COLOURS = {Finding.FAILS: "red", Finding.SUSPECTED: "yellow", Finding.UNKNOWN: "magenta", Finding.PASSES: "green"}
HEADER = ("service", "instances", "client", "driven as", "finding", "fails at", "not known", "smallest upgrade")
COLUMNS = (
    *("service", "client", "stands_for", "count", "role", "profile", "scenario", "engine", "broker"),
    *("finding", "outcome", "reason", "run_id", "upgrade", "outcomes", "worst"),
    *("evidence", "measured", "days", "rules", "conditions"),
)


def print_audit(reports: Sequence[Report], results: str, apps: Mapping[str, App]) -> None:
    """Print the table, then the failures of each service with evidence and the smallest upgrade."""
    typer.echo("services, worst first")
    colours = [COLOURS.get(report.finding, "") for report in reports]
    for line in lines_of(HEADER, [_row(report) for report in reports], colours, HEADER.index("finding")):
        typer.echo(line)
    for report in reports:
        for line in _evidence(report, results, apps):
            typer.echo(line)
    counts = Counter(report.finding for report in reports)
    typer.echo(", ".join(f"{counts[item]} {item}" for item in Finding if counts[item]))


def _row(report: Report) -> list[str]:
    bad = [*report.of(Finding.FAILS), *report.of(Finding.SUSPECTED)]
    return [
        report.name,
        str(report.count),
        report.client,
        report.stands_for if report.stands_for != report.client else "",
        str(report.finding),
        "\n".join(_fault_lines(fault) for fault in bad) or report.problem,
        str(len(report.of(Finding.UNKNOWN)) or ""),
        (report.upgrade.application or report.upgrade.version) if report.upgrade else ("none is stored" if bad else ""),
    ]


def _fault_lines(fault: Fault) -> str:
    outcome = fault.evidence.tally if fault.evidence else ""
    doubt = " (with the library's own settings)" if fault.finding is Finding.SUSPECTED else ""
    return f"{fault.cell.role} {fault.cell.scenario}: {outcome}{doubt}"


def way_out(report: Report, apps: Mapping[str, App]) -> str:
    """Return the smallest upgrade as text; for an application, its first version with that library."""
    found = report.upgrade
    if found is None:
        return ""
    family = report.stands_for.partition("@")[0]
    version = f"{family} {found.version} ({found.last_bad} is not enough)"
    if found.application:
        return f"{found.application}, which has {version}"
    doubt = "" if found.exact else ", by the library's own settings"
    return version + doubt + _of_application(report, apps, found.version)


def _of_application(report: Report, apps: Mapping[str, App], library: str) -> str:
    name, _, version = report.client.partition("@")
    app = apps.get(name)
    if app is None or app.artifacts or name == report.stands_for.partition("@")[0]:
        return ""
    later = [item for item in app.versions if release_key(item.last) > release_key(version)]
    enough = [item for item in later if version_key(item.library) >= version_key(library)]
    if not enough:
        return f"; no {app.name} is known to have it"
    first = min(enough, key=lambda item: release_key(item.since))
    return f"; {app.name} {first.since} has {first.library}"


def _evidence(report: Report, results: str, apps: Mapping[str, App]) -> Iterator[str]:
    for fault in [*report.of(Finding.FAILS), *report.of(Finding.SUSPECTED)]:
        if fault.evidence is not None:
            proof = cited(fault.cell, fault.evidence, results)
            yield f"{report.name}: {_fault_lines(fault)}. {_reason(fault)}; {proof}"
    if way := way_out(report, apps):
        yield f"{report.name}: smallest upgrade: {way}"
    elif bad := [*report.of(Finding.FAILS), *report.of(Finding.SUSPECTED)]:
        cell = bad[0].cell
        way = f"probe bisect {cell.family} {cell.scenario} --role {cell.role}"
        yield f"{report.name}: no stored upgrade conforms; {way}"
    unknown = report.of(Finding.UNKNOWN)
    if unknown:
        why = next(
            (f"{fault.evidence.tally}: {_reason(fault)}" for fault in unknown if fault.evidence), "never measured"
        )
        yield f"{report.name}: not known ({why}); {run_command([fault.cell for fault in unknown], results)}"


def _reason(fault: Fault) -> str:
    return fault.evidence.reason if fault.evidence else ""


def as_json(reports: Sequence[Report], results: str) -> str:
    """Return the reports as JSON; each fault has the command that shows its evidence or runs it."""
    return json.dumps({"services": [_service(report, results) for report in reports]}, indent=1)


def _service(report: Report, results: str) -> dict[str, object]:
    found = report.upgrade
    return {
        "service": report.name,
        "client": report.client,
        "stands_for": report.stands_for,
        "count": report.count,
        "finding": report.finding,
        "problem": report.problem,
        "upgrade": found and asdict(found),
        "faults": [_fault(fault, results) for fault in report.faults],
    }


def _fault(fault: Fault, results: str) -> dict[str, object]:
    seen = fault.evidence
    known = seen is not None and fault.finding is not Finding.UNKNOWN
    return {
        **fault.cell.columns(),
        "finding": fault.finding,
        "outcome": seen.outcome if seen is not None else "",
        "reason": _reason(fault),
        "run_id": seen.run_id if seen is not None else "",
        "command": command(fault.cell, seen, results) if known and seen else run_command([fault.cell], results),
        "outcomes": seen.outcomes if seen is not None else "",
        "worst": seen.worst if seen is not None else "",
        **provenance(seen),
    }


def as_csv(reports: Sequence[Report]) -> str:
    """Return CSV with one line per service, role and fault (RFC 4180, line ends LF)."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for report in reports:
        service = {
            "service": report.name,
            "client": report.client,
            "stands_for": report.stands_for,
            "count": report.count,
            "upgrade": report.upgrade.version if report.upgrade else "",
        }
        for fault in report.faults or ():
            writer.writerow({**service, **_fault(fault, "")})
        if not report.faults:
            writer.writerow({**service, "finding": report.finding, "reason": report.problem})
    return out.getvalue()
