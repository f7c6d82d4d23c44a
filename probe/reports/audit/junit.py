"""An audit as JUnit XML, one suite per service: a finding by which the command fails is a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from probe.cells.audit import TOLD, Fault, Finding, Report
from probe.cells.fault_words import proof, unknown_reason
from probe.reports.audit.lines import driven_as, fault_line
from probe.reports.audit.result import TOOL, AuditResult
from probe.reports.gates import Result
from probe.reports.junit import TAGS, document, legal

GOOD = frozenset({Finding.PASSES, Finding.INFORMATIVE})


def junit(audit: AuditResult) -> str:
    """Return an audit as JUnit XML. A service without a known client is one case."""
    suites = [_suite(report, audit) for report in audit.reports]
    root = ET.Element("testsuites", {"name": f"{TOOL} audit", **_sum(suites)})
    root.extend(suites)
    return document(root)


def _sum(suites: Sequence[ET.Element]) -> dict[str, str]:
    names = ("tests", "failures", "errors")
    return {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in names}


def _result(fault: Fault, audit: AuditResult) -> Result:
    if fault.ignored:
        return Result.SKIPPED
    if audit.failing.ends(fault):
        return Result.FAILED
    return Result.PASSED if fault.finding in GOOD else Result.SKIPPED


def _suite(report: Report, audit: AuditResult) -> ET.Element:
    cases = [_case(report, fault, audit) for fault in report.faults] or [_problem(report, audit)]
    seen = Counter(case[0].tag for case in cases)
    suite = ET.Element(
        "testsuite",
        {
            "name": legal(f"{report.name} ({driven_as(report)})"),
            "tests": str(len(cases)),
            "failures": str(seen["failure"]),
            "errors": "0",
            "skipped": str(seen["skipped"]),
        },
    )
    about = ET.SubElement(suite, "properties")
    ET.SubElement(about, "property", {"name": "asked", "value": legal(str(audit.question))})
    suite.extend(cases)
    return suite


def _case(report: Report, fault: Fault, audit: AuditResult) -> ET.Element:
    cell = fault.cell
    name = f"{cell.scenario} {cell.role} {cell.profile} {cell.place}"
    case = _empty(report, name)
    known = fault.finding is not Finding.UNKNOWN
    text = f"{fault_line(fault)}. {proof(fault)}" if known else f"not known ({unknown_reason(fault)})"
    kind = _result(fault, audit)
    if kind is Result.PASSED:
        ET.SubElement(case, "system-out").text = legal(text)
        return case
    message = f"accepted: {fault.ignored}; {text}" if fault.ignored else text
    note = ET.SubElement(case, TAGS[kind], {"message": legal(message)})
    if kind is Result.FAILED:
        note.set("type", str(fault.finding))
    advice = audit.advice(report, fault) if fault.finding in TOLD else ""
    note.text = legal("\n".join(filter(None, [message, advice, audit.command(fault)])))
    return case


def _problem(report: Report, audit: AuditResult) -> ET.Element:
    """Return the case of a service about which nothing can be said."""
    case = _empty(report, "client")
    kind = Result.FAILED if audit.failing.is_at_risk(report) else Result.SKIPPED
    note = ET.SubElement(case, TAGS[kind], {"message": legal(report.problem)})
    if kind is Result.FAILED:
        note.set("type", str(report.finding))
    return case


def _empty(report: Report, name: str) -> ET.Element:
    # viewers take the last dot of a class name as the end of a package
    where = f"{report.name}.{report.client}".replace(".", "_")
    named = {"name": legal(name), "classname": legal(where), "time": "0"}
    if report.place is not None and report.place.is_file:
        named["file"] = legal(report.place.file)
        if report.place.line:
            named["line"] = str(report.place.line)
    return ET.Element("testcase", named)
