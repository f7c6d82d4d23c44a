"""`probe audit` for people: a table with its evidence. Plain, since rich takes longer to load than an audit runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import typer

from probe.cells.audit import BAD, TOLD, Finding, Report
from probe.cells.audit_groups import Group, grouped
from probe.cells.citations import rests_on
from probe.cells.cli_hints import run_command
from probe.cells.fault_words import reason, unknown_reason
from probe.cli.console.line_wrap import terminal_columns, wrapped
from probe.cli.console.plain_table import lines_of
from probe.model.safe_text import visible
from probe.model.versions import version_key
from probe.reports.audit.lines import line_of, short_line
from probe.reports.audit.question import Question
from probe.reports.audit.recommendations import bisect_command, helps, part_of_way, way_out
from probe.reports.audit.result import AuditResult

COLOURS = {
    Finding.FAILS: "red",
    Finding.LIKELY_STOPS: "yellow",
    Finding.LIKELY_FAILS: "yellow",
    Finding.SUSPECTED: "yellow",
    Finding.LOSES: "yellow",
    Finding.UNKNOWN: "magenta",
    Finding.ACCEPTED: "cyan",
    Finding.SUSPECTED_FINE: "green",
    Finding.LIKELY_FINE: "green",
    Finding.PASSES: "green",
}
HEADER = ("service", "instances", "client", "driven as", "finding", "at", "not known", "smallest upgrade")
INDENT = 4
"""Columns by which the later lines of a text are indented on a terminal."""


def print_audit(audit: AuditResult) -> None:
    """Print what was asked, the table, then what is known of each service with evidence and the way out."""
    if not audit.reports:
        return
    columns = terminal_columns()
    for line in (*wrapped(str(audit.question), columns, INDENT), "services, worst first"):
        typer.echo(line)
    rows = [_row(report, audit.question) for report in audit.reports]
    colours = [COLOURS.get(report.finding, "") for report in audit.reports]
    for line in lines_of(HEADER, rows, colours, HEADER.index("finding"), HEADER.index("at"), columns):
        typer.echo(line)
    for report in audit.reports:
        for text in _evidence(report, audit):
            for line in wrapped(visible(text), columns, INDENT):
                typer.echo(line)
    counts = Counter(report.finding for report in audit.reports)
    typer.echo(", ".join(f"{counts[item]} {audit.question.worded(item)}" for item in Finding if counts[item]))


def _row(report: Report, question: Question) -> list[str]:
    return [
        report.name,
        str(report.count),
        report.client,
        report.stands_for if report.stands_for != report.client else "",
        question.worded(report.finding),
        "\n".join(f"{short_line(one.first)}{one.also}" for one in grouped(report.of(*TOLD))),
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
    if report.problem:
        yield f"{report.name}: {report.client}: {report.problem}"
    for one in grouped(report.of(*TOLD)):
        yield f"{report.name}: {_proof(one, audit)}"
    yield from (f"{report.name}: {text}" for text in _recommendations(report, audit))
    if unknown := report.of(Finding.UNKNOWN):
        why = unknown_reason(next((fault for fault in unknown if fault.evidence), unknown[0]))
        to_run = f"; {run_command([fault.cell for fault in unknown], audit.results)}" if audit.can_run else ""
        yield f"{report.name}: not known ({why}){to_run}"
    for one in grouped(report.ignored):
        fault = one.first
        yield f"{report.name}: accepted: {fault.finding}: {line_of(one)}; {fault.ignored}"


def _proof(one: Group, audit: AuditResult) -> str:
    """Return a fault with its reason, its evidence and the command that shows it."""
    fault = one.first
    sources = rests_on(fault.evidence) if fault.evidence else ()
    return f"{line_of(one)}. {'; '.join([reason(fault), *sources, audit.command(fault)])}"


def _recommendations(report: Report, audit: AuditResult) -> Iterator[str]:
    """Yield what to do: the smallest upgrade, or what mends a part; what helps without one."""
    bad = report.of(*BAD)
    if way := way_out(report, audit.apps):
        yield f"smallest upgrade: {way}"
    elif part := part_of_way(report, bad, audit.apps):
        yield f"upgrade in part: {part}"
    elif bad:
        yield f"no upgrade is known to pass{f'; {bisect_command(bad[0])}' if audit.can_run else ''}"
    if bad and not report.upgrade:
        yield from helps(bad)
    if report.of(Finding.LOSES):
        yield f"what loses no record: {audit.advice(report, report.of(Finding.LOSES)[0])}"
