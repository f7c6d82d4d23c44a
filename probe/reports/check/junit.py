"""`probe check` as JUnit XML, one suite per role: a worse cell that nothing accepts is a failure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from probe.cells.cell_names import cell_name
from probe.cells.change_words import sentence
from probe.cells.comparison import NO_HARM, Answer, Compared
from probe.model import Role
from probe.reports.check.result import CheckResult, basis
from probe.reports.gates import Result
from probe.reports.junit import TAGS, document, legal


def junit(check: CheckResult) -> str:
    """Return a check as JUnit XML. Stale entries of the ignore file are a suite of failures of their own."""
    by_role = {role: [one for one in check.found if one.step.after.cell.role is role] for role in Role}
    suites = [
        _suite(f"{check.build} {role}", [_case(check, one) for one in mine]) for role, mine in by_role.items() if mine
    ]
    if check.accepted.stale:
        suites.append(_suite("ignore file", [_failed(str(one.entry), str(one)) for one in check.accepted.stale]))
    sums = {name: str(sum(int(suite.get(name, "0")) for suite in suites)) for name in ("tests", "failures", "errors")}
    root = ET.Element("testsuites", {"name": legal(f"probe check against {check.release}"), **sums})
    root.extend(suites)
    return document(root)


def _suite(name: str, cases: Sequence[ET.Element]) -> ET.Element:
    seen = Counter(case[0].tag for case in cases)
    counts = {"failures": str(seen["failure"]), "errors": "0", "skipped": str(seen["skipped"])}
    suite = ET.Element("testsuite", {"name": legal(name), "tests": str(len(cases)), **counts})
    suite.extend(cases)
    return suite


def _case(check: CheckResult, one: Compared) -> ET.Element:
    case = _empty(cell_name(one.step.after.cell), str(one.step.after.cell.role))
    text = f"{one.answer}: {basis(one)}"
    result = _result(check, one)
    if result is Result.PASSED:
        ET.SubElement(case, "system-out").text = legal(text)
        return case
    why = check.reason_for(one) or text
    if result is Result.SKIPPED:
        ET.SubElement(case, TAGS[result], {"message": legal(why)}).text = legal(text)
        return case
    note = ET.SubElement(case, TAGS[result], {"message": legal(sentence(one)), "type": str(one.answer)})
    note.text = legal(f"{text}\n{one.step.after.reason}\n{check.command(one)}\n")
    return case


def _result(check: CheckResult, one: Compared) -> Result:
    if one.answer is Answer.WORSE:
        return Result.SKIPPED if check.reason_for(one) else Result.FAILED
    return Result.PASSED if one.answer in NO_HARM or one.answer is Answer.BETTER else Result.SKIPPED


def _failed(name: str, text: str) -> ET.Element:
    case = _empty(name, "ignore file")
    ET.SubElement(case, "failure", {"message": legal(text), "type": "stale"}).text = legal(text)
    return case


def _empty(name: str, group: str) -> ET.Element:
    return ET.Element("testcase", {"name": legal(name), "classname": legal(group), "time": "0"})
