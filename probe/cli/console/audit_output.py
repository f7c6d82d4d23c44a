"""Output of `probe audit` for people: a table with its evidence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from probe.cells.audit import BAD, Finding, Report
from probe.cells.cli_hints import run_command
from probe.cli.console.streams import OUT
from probe.model.visible import visible
from probe.reports.audit.result import AuditResult, bisect_command, fault_line, reason, unknown_reason, way_out

if TYPE_CHECKING:
    from rich.text import Text

STYLES = {Finding.FAILS: "bold red", Finding.SUSPECTED: "yellow", Finding.UNKNOWN: "magenta", Finding.PASSES: "green"}


def print_audit(audit: AuditResult) -> None:
    """Print the table, then the failures of each service with evidence and the smallest upgrade."""
    from rich.table import Table  # noqa: PLC0415  # other formats are printed without rich

    if not audit.reports:
        return
    table = Table(title="services, worst first", title_justify="left")
    for column in (
        "service",
        "instances",
        "client",
        "driven as",
        "finding",
        "fails at",
        "not known",
        "smallest upgrade",
    ):
        table.add_column(column)
    for report in audit.reports:
        table.add_row(*_row(report))
    OUT.print(table)
    for report in audit.reports:
        for line in _evidence(report, audit):
            OUT.print(visible(line), markup=False)
    counts = Counter(report.finding for report in audit.reports)
    OUT.print(", ".join(f"{counts[item]} {item}" for item in Finding if counts[item]), markup=False)


def _row(report: Report) -> list[Text]:
    from rich.text import Text  # noqa: PLC0415  # as above

    bad = report.of(*BAD)
    row = [
        report.name,
        str(report.count),
        report.client,
        report.stands_for if report.stands_for != report.client else "",
        str(report.finding),
        "\n".join(fault_line(fault) for fault in bad) or report.problem,
        str(len(report.of(Finding.UNKNOWN)) or ""),
        (report.upgrade.application or report.upgrade.version) if report.upgrade else ("none is stored" if bad else ""),
    ]
    return [
        Text("\n".join(map(visible, text.splitlines())), style=STYLES.get(report.finding, "") if number == 4 else "")
        for number, text in enumerate(row)
    ]


def _evidence(report: Report, audit: AuditResult) -> Iterator[str]:
    if report.note:
        yield f"{report.name}: {report.client}: {report.note}"
    bad = report.of(*BAD)
    for fault in bad:
        yield f"{report.name}: {fault_line(fault)}. {reason(fault)}; {audit.command(fault)}"
    if way := way_out(report, audit.apps):
        yield f"{report.name}: smallest upgrade: {way}"
    elif bad:
        yield f"{report.name}: no stored upgrade conforms; {bisect_command(bad[0])}"
    if unknown := report.of(Finding.UNKNOWN):
        why = unknown_reason(next((fault for fault in unknown if fault.evidence), unknown[0]))
        yield f"{report.name}: not known ({why}); {run_command([fault.cell for fault in unknown], audit.results)}"
    for fault in report.ignored:
        yield f"{report.name}: ignored: {fault.finding}: {fault_line(fault)}; {fault.ignored}"
