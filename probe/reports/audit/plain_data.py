"""An audit as JSON (docs/schema/audit.json) and as CSV."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import asdict

from probe.cells.audit import Fault, Report
from probe.cells.causes import placed
from probe.cells.citations import evidence_of, said
from probe.cells.fault_words import harm_columns, reason, remarks
from probe.cells.readiness import readiness
from probe.model.safe_text import csv_cell
from probe.reports.audit.result import AuditResult

COLUMNS = (
    *("service", "client", "stands_for", "count", "role", "profile", "scenario", "engine", "broker"),
    *("finding", "outcome", "reason", "run_id", "upgrade", "outcomes", "worst", "ignored", "file", "line"),
    *("evidence", "measured", "days", "rules", "conditions", "passes_in"),
    *("measured_on", "measured_profile", "rests_on", "workload", "stand_in"),
    *("trials", "failing", "lost", "remark", "helped_by", "asked", "not_asked"),
    *("harm", "silently", "stalls_s", "everything", "mended_in", "restart_helps", "mended_by"),
)


def as_json(audit: AuditResult) -> str:
    """Return the reports as JSON; each fault has the command that shows its evidence or runs it."""
    asked = audit.question
    question = {"text": str(asked), **asdict(asked)}
    return (
        json.dumps({"asked": question, "services": [_service(report, audit) for report in audit.reports]}, indent=1)
        + "\n"
    )


def _service(report: Report, audit: AuditResult) -> dict[str, object]:
    found = report.upgrade
    return {
        "service": report.name,
        "client": report.client,
        "stands_for": report.stands_for,
        "count": report.count,
        "finding": report.finding,
        "problem": report.problem,
        "upgrade": found and asdict(found),
        "note": report.note,
        "place": report.place and asdict(report.place),
        "readiness": _readiness(report, audit) if audit.question.purpose else None,
        "faults": [{**_fault(fault), "command": audit.command(fault)} for fault in report.faults],
    }


def _readiness(report: Report, audit: AuditResult) -> dict[str, object]:
    """Return whether an operator may do what was asked for, and what will happen."""
    found = readiness(report)
    return {
        "may": found.may,
        "harm": found.harm.words if found.harm is not None else None,
        "stands_s": round(found.stood_ms / 1000, 1),
        "everything": found.everything,
        "errors": placed(found.errors),
        "stalls": placed(found.stalls),
        "silent": placed(found.silent),
        "unproven": {finding: len(faults) for finding, faults in found.unproven.items()},
        "profiles": found.profiles,
        "before": audit.advice(report),
    }


def _fault(fault: Fault) -> dict[str, object]:
    seen = fault.evidence
    return {
        **fault.cell.columns(),
        "finding": fault.finding,
        **said(seen),
        "reason": reason(fault),
        "ignored": fault.ignored,
        "passes_in": fault.passes_in,
        "stand_in": fault.stand_in,
        "helped_by": fault.helped_by,
        "mended_in": fault.mended_in,
        **harm_columns(fault),
        "rests_on": "; ".join(evidence_of(fault.cell, seen)) if seen is not None else "",
        "remark": "; ".join(remarks(seen)) if seen is not None else "",
    }


def as_csv(audit: AuditResult) -> str:
    """Return CSV with one line per service, role and fault (RFC 4180, line ends LF); no cell is a formula."""
    out = io.StringIO()
    writer = csv.DictWriter(out, COLUMNS, lineterminator="\n", extrasaction="ignore")
    writer.writeheader()
    for report in audit.reports:
        service = {
            "service": report.name,
            "client": report.client,
            "stands_for": report.stands_for,
            "count": report.count,
            "upgrade": report.upgrade.version if report.upgrade else "",
            "file": report.place.file if report.place else "",
            "line": (report.place and report.place.line) or "",
            "asked": audit.question.noun,
            "not_asked": audit.question.left,
        }
        for fault in report.faults:
            writer.writerow(_cells({**service, **_fault(fault)}))
        if not report.faults:
            writer.writerow(_cells({**service, "finding": report.finding, "reason": report.problem}))
    return out.getvalue()


def _cells(row: dict[str, object]) -> dict[str, str]:
    return {name: "" if value is None else csv_cell(str(value)) for name, value in row.items()}
