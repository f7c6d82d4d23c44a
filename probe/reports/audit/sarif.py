"""An audit as SARIF 2.1.0 (https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html).

A rule is a library's finding in a role and a scenario; its id is that of the OSV record. Results are what fails, is
suspected or loses acknowledged records. What is not known is a notification of the invocation, since it is no result.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import PurePosixPath
from typing import Any
from urllib.parse import quote

from probe import __version__
from probe.catalogue.scenarios import about
from probe.cells.audit import LIKELY, TOLD, Fault, Finding, Report
from probe.cells.audit_groups import Group, grouped
from probe.cells.fault_words import harm_columns, proof, unknown_reason
from probe.cells.finding_ids import PREFIX, finding_id
from probe.inventory.entries import Place
from probe.model import Cell
from probe.model.counts import counted
from probe.model.harm import Harm
from probe.model.run_ids import iso
from probe.reports.audit.lines import driven_as, line_of
from probe.reports.audit.result import TOOL, AuditResult

VERSION = "2.1.0"
SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ERROR, SUSPECTED, LIKELY_LEVEL = "error", "warning", "note"
LEVELS: Mapping[Harm, str] = {
    Harm.LOSES: ERROR,
    Harm.REPEATS: "warning",
    Harm.STOPS: ERROR,
    Harm.STALLS: "warning",
    Harm.BURDENS: "note",
    Harm.ERRORS: "note",
    Harm.NONE: "note",
}
"""The level of a result by its harm."""
RULE = "warning"
"""The level of a rule: readers take that level of a result, the format's default, for the rule's."""
FINGERPRINT = "findingAtService/v1"
BROKEN: Mapping[str, Any] = {
    "id": f"{PREFIX}-broken-client",
    "name": "BrokenClient",
    "shortDescription": {"text": "The client cannot work at all."},
    "defaultConfiguration": {"level": RULE},
}
"""The rule of clients that cannot work by what else their inventory lists."""
ROOT = "ROOT"
"""Name of the folder that relative paths begin at; the reader knows it, not this program."""


def sarif(audit: AuditResult) -> str:
    """Return an audit as SARIF."""
    found = [(report, one) for report in audit.reports for one in grouped(_of_levels(report))]
    broken = [report for report in audit.reports if report.is_broken]
    cells = {finding_id(one.first.cell): one.first.cell for _, one in found}
    described = [rule(name, cells[name]) for name in sorted(cells)] + ([BROKEN] if broken else [])
    rules = {one["id"]: number for number, one in enumerate(described)}
    results = [
        *(_result(report, one, audit, rules) for report, one in found),
        *(_broken(report, rules) for report in broken),
    ]
    return log(described, results, [note(str(audit.question)), *_notes(audit)], audit.moment)


def log(
    rules: Sequence[Mapping[str, Any]],
    results: Sequence[Mapping[str, Any]],
    notes: Sequence[Mapping[str, Any]],
    moment: datetime,
) -> str:
    """Return a SARIF log of one run of this program, which ended at `moment`."""
    run = {
        "tool": {"driver": {"name": TOOL, "version": __version__, "rules": rules}},
        "invocations": [{"executionSuccessful": True, "endTimeUtc": iso(moment), "toolExecutionNotifications": notes}],
        "originalUriBaseIds": {ROOT: {"description": {"text": "The folder in which the command was run."}}},
        "columnKind": "unicodeCodePoints",
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": VERSION, "runs": [run]}, indent=1) + "\n"


def rule(name: str, cell: Cell) -> dict[str, Any]:
    """Return the rule of a finding in a cell, whose id is `name`."""
    story = about(cell.scenario) or f"Scenario {cell.scenario}."
    question = f"{cell.scenario}{cell.unusual}"
    return {
        "id": name,
        "name": "".join(part.capitalize() for part in re.split("[-/ ]", f"{cell.family}/{cell.role}/{question}")),
        "shortDescription": {"text": f"{cell.family} as {cell.role} does not do what is required in {question}."},
        "fullDescription": {"text": story},
        "help": {"text": f"{story} docs/scenarios.md says what a good client does, docs/verdicts.md how it is judged."},
        "defaultConfiguration": {"level": RULE},
        "properties": {"tags": ["kafka", "availability", cell.scenario.partition("/")[0]]},
    }


def _of_levels(report: Report) -> list[Fault]:
    return [fault for fault in report.faults if fault.finding in TOLD]


def _result(report: Report, one: Group, audit: AuditResult, rules: Mapping[str, int]) -> dict[str, Any]:
    fault = one.first
    name = finding_id(fault.cell)
    parts = [
        f"{report.name} ({driven_as(report)}): {line_of(one)}",
        proof(fault),
        audit.advice(report, fault),
    ]
    return {
        "ruleId": name,
        "ruleIndex": rules[name],
        "level": _level(fault),
        "message": {"text": " ".join(f"{part.rstrip('.')}." for part in parts if part)},
        "locations": [_location(report)],
        "partialFingerprints": {FINGERPRINT: fingerprint(report, str(fault.cell))},
        **({"suppressions": [accepted_because(fault.ignored)]} if fault.ignored else {}),
        "properties": {
            **fault.cell.columns(),
            "workloads": [str(item.cell.workload) for item in (fault, *one.others)],
            "finding": str(fault.finding),
            **harm_columns(fault),
            "service": report.name,
            "packageUrls": audit.purls(report),
            "command": audit.command(fault),
        },
    }


def _level(fault: Fault) -> str:
    """Return the level of a result, by its harm: what stops or loses work is an error; what is suspected never is."""
    if fault.finding in LIKELY:
        return LIKELY_LEVEL
    harm = fault.harm
    if harm is None or fault.finding is Finding.SUSPECTED:
        return SUSPECTED
    return LEVELS[harm.rank]


def _broken(report: Report, rules: Mapping[str, int]) -> dict[str, Any]:
    return {
        "ruleId": BROKEN["id"],
        "ruleIndex": rules[BROKEN["id"]],
        "level": ERROR,
        "message": {"text": f"{report.name} ({report.client}): {report.problem}."},
        "locations": [_location(report)],
        "partialFingerprints": {FINGERPRINT: fingerprint(report, BROKEN["id"])},
        "properties": {"finding": str(report.finding), "service": report.name},
    }


def accepted_because(reason: str) -> dict[str, str]:
    """Return the suppression of an accepted finding."""
    return {"kind": "external", "status": "accepted", "justification": reason}


def _location(report: Report) -> dict[str, Any]:
    named = {"logicalLocations": [{"fullyQualifiedName": report.name}]}
    place = report.place
    return {"physicalLocation": physical(place), **named} if place is not None and place.is_file else named


def physical(place: Place) -> dict[str, Any]:
    """Return the location of a file; a relative path begins at `ROOT`."""
    absolute = PurePosixPath(place.file).is_absolute()
    path = quote(str(PurePosixPath(place.file)))
    where = {"uri": f"file://{path}"} if absolute else {"uri": path, "uriBaseId": ROOT}
    return {"artifactLocation": where, **({"region": {"startLine": place.line}} if place.line else {})}


def fingerprint(report: Report, what: str) -> str:
    """Return what makes a finding the same in the next audit: not its line, nor its evidence."""
    place = report.place.file if report.place else ""
    return digest([place, report.name, report.client, what])


def digest(parts: Sequence[str]) -> str:
    """Return a fingerprint that is the same for the same parts."""
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:32]


def _notes(audit: AuditResult) -> Iterator[dict[str, Any]]:
    for report in audit.reports:
        unknown = report.of(Finding.UNKNOWN)
        if report.problem and not report.is_broken:
            text = report.problem
        elif unknown:
            text = f"{counted(len(unknown), 'question')} not answered ({unknown_reason(unknown[0])})"
        else:
            continue
        yield {**note(f"{report.name} ({report.client}): {text}"), "locations": [_location(report)]}


def note(text: str) -> dict[str, Any]:
    """Return a notification of the invocation; the text has no full stop."""
    return {"level": "note", "message": {"text": f"{text}."}}
