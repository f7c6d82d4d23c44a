"""`probe audit` for people: a table with its evidence. Plain, since rich takes longer to load than an audit runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import typer

from probe.cells.audit import BAD, Finding, Report
from probe.cells.citations import cited
from probe.cells.cli_hints import run_command
from probe.cells.fault_words import reason, unknown_reason
from probe.cli.console.plain_table import lines_of
from probe.model.versions import version_key
from probe.model.visible import visible
from probe.reports.audit.result import AuditResult, bisect_command, fault_line, part_of_way, way_out

COLOURS = {
    Finding.FAILS: "red",
    Finding.SUSPECTED: "yellow",
    Finding.UNKNOWN: "magenta",
    Finding.ACCEPTED: "cyan",
    Finding.PASSES: "green",
}
HEADER = ("service", "instances", "client", "driven as", "finding", "fails at", "not known", "smallest upgrade")


def print_audit(audit: AuditResult) -> None:
    """Print the table, then the failures of each service with evidence and the smallest upgrade."""
    if not audit.reports:
        return
    typer.echo("services, worst first")
    colours = [COLOURS.get(report.finding, "") for report in audit.reports]
    for line in lines_of(HEADER, [_row(report) for report in audit.reports], colours, HEADER.index("finding")):
        typer.echo(line)
    for report in audit.reports:
        for line in _evidence(report, audit):
            typer.echo(visible(line))
    counts = Counter(report.finding for report in audit.reports)
    typer.echo(", ".join(f"{counts[item]} {item}" for item in Finding if counts[item]))


def _row(report: Report) -> list[str]:
    bad = report.of(*BAD)
    return [
        report.name,
        str(report.count),
        report.client,
        report.stands_for if report.stands_for != report.client else "",
        str(report.finding),
        "\n".join(fault_line(fault) for fault in bad) or report.problem,
        str(len(report.of(Finding.UNKNOWN)) or ""),
        _upgrade(report),
    ]


def _upgrade(report: Report) -> str:
    if report.upgrade:
        return report.upgrade.application or report.upgrade.version
    bad = report.of(*BAD)
    in_part = max((fault.passes_in for fault in bad if fault.passes_in), key=version_key, default="")
    return f"{in_part} in part" if in_part else "none is known" if bad else ""


def _evidence(report: Report, audit: AuditResult) -> Iterator[str]:
    if report.note:
        yield f"{report.name}: {report.client}: {report.note}"
    bad = report.of(*BAD)
    for fault in bad:
        proof = cited(fault.cell, fault.evidence, audit.results) if fault.evidence else ""
        yield f"{report.name}: {fault_line(fault)}. {reason(fault)}; {proof}"
    if way := way_out(report, audit.apps):
        yield f"{report.name}: smallest upgrade: {way}"
    elif part := part_of_way(report, bad, audit.apps):
        yield f"{report.name}: upgrade in part: {part}"
    elif bad:
        yield f"{report.name}: no upgrade is known to pass; {bisect_command(bad[0])}"
    if unknown := report.of(Finding.UNKNOWN):
        why = unknown_reason(next((fault for fault in unknown if fault.evidence), unknown[0]))
        yield f"{report.name}: not known ({why}); {run_command([fault.cell for fault in unknown], audit.results)}"
    for fault in report.ignored:
        yield f"{report.name}: accepted: {fault.finding}: {fault_line(fault)}; {fault.ignored}"
