"""An audit as Markdown, for the step summary of a pipeline or a comment: what fails, what to do, what is not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from probe.cells.audit import TOLD, Fault, Finding, Report
from probe.cells.audit_groups import grouped
from probe.cells.fault_words import proof, unknown_reason
from probe.model.counts import counted
from probe.reports.audit.lines import driven_as, fault_line, line_of
from probe.reports.audit.result import AuditResult
from probe.reports.markdown import MAX_ROWS, code, table, text


def markdown(audit: AuditResult) -> str:
    """Return an audit as Markdown."""
    return "\n".join([*_head(audit), *_bad(audit), *_unknown(audit), *_ignored(audit)])


def _head(audit: AuditResult) -> list[str]:
    counts = Counter(report.finding for report in audit.reports)
    findings = ", ".join(f"{counts[item]} {audit.question.worded(item)}" for item in Finding if counts[item])
    services = f"{counted(len(audit.reports), 'service')}: {findings or 'none'}."
    return [
        "## Kafka clients at risk",
        "",
        text(f"Asked{str(audit.question).removeprefix('asked')}."),
        "",
        services,
        "",
    ]


def _bad(audit: AuditResult) -> list[str]:
    found = [(report, one) for report in audit.reports for one in grouped(report.of(*TOLD))]
    broken = [report for report in audit.reports if report.is_broken]
    if not (found or broken):
        return []
    rows = [
        [
            text(str(one.first.finding)),
            *_service(report),
            text(line_of(one)),
            text(proof(one.first)),
        ]
        for report, one in found
    ]
    rows += [[text(str(report.finding)), *_service(report), "", text(report.problem)] for report in broken]
    ways = [[text(report.name), text(f"{advice}.")] for report in audit.reports if (advice := audit.advice(report))]
    return [
        *table(("finding", "service", "client", "at", "why"), rows),
        "",
        *(["### What to do", "", *table(("service", "upgrade"), ways), ""] if ways else []),
        *(_commands([audit.command(one.first) for _, one in found[:MAX_ROWS]]) if found else []),
    ]


def _commands(commands: Sequence[str]) -> list[str]:
    head = "<details><summary>The commands that show the evidence</summary>"
    return [head, "", *code(commands), "", "</details>", ""]


def _unknown(audit: AuditResult) -> list[str]:
    rows = []
    for report in audit.reports:
        unknown = report.of(Finding.UNKNOWN)
        if report.problem and not report.is_broken:
            rows.append([*_service(report), text(report.problem)])
        elif unknown:
            rows.append([*_service(report), text(f"{counted(len(unknown), 'question')}: {unknown_reason(unknown[0])}")])
    return ["### Not known", "", *table(("service", "client", "why"), rows), ""] if rows else []


def _ignored(audit: AuditResult) -> list[str]:
    rows = [
        [*_service(report), text(_at(fault)), text(fault.ignored)]
        for report in audit.reports
        for fault in report.ignored
    ]
    return ["### Accepted by the ignore file", "", *table(("service", "client", "at", "why"), rows), ""] if rows else []


def _at(fault: Fault) -> str:
    return f"{fault.finding}: {fault_line(fault)}"


def _service(report: Report) -> list[str]:
    place = f" ({report.place})" if report.place else ""
    return [text(f"{report.name}{place}"), text(driven_as(report))]
