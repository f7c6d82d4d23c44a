"""Write a run as JUnit XML according to the schema of the Jenkins plug-in, one suite per client version. Pure.

A cell that does not conform is a failure, a broken one is an error. A cell without an outcome about its client is
skipped.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from xml.etree import ElementTree as ET

from probe.cells.aggregate import SettledCell
from probe.model import Client
from probe.reports.gates import Result, result
from probe.reports.run_report import Report

ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that XML 1.0 cannot contain; messages of clients and brokers may contain them."""
TAGS = {Result.FAILED: "failure", Result.ERROR: "error", Result.SKIPPED: "skipped"}


def junit(report: Report) -> str:
    """Return a run as JUnit XML."""
    # viewers show the name of a suite together with its counts
    name = f"probe {report.run_id}" + (f", {report.left} cells left" if report.left else "")
    root = ET.Element("testsuites", {"name": name, **_counts(list(report.cells.values()))})
    for client, cells in report.by_client().items():
        root.append(_suite(report, client, cells))
    return document(root)


def document(root: ET.Element) -> str:
    """Return an element as an XML file."""
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(report: Report, client: Client, cells: Sequence[SettledCell]) -> ET.Element:
    moment = {"timestamp": report.started.removesuffix("Z")} if report.started else {}
    suite = ET.Element(
        "testsuite", {"name": legal(str(client)), **_counts(cells), "skipped": _skipped(cells), **moment}
    )
    properties = ET.SubElement(suite, "properties")
    ET.SubElement(properties, "property", {"name": "run_id", "value": report.run_id})
    if report.left:
        ET.SubElement(properties, "property", {"name": "cells_left", "value": str(report.left)})
    for one in cells:
        suite.append(_case(report, one))
    return suite


def _counts(cells: Sequence[SettledCell]) -> dict[str, str]:
    seen = Counter(map(result, cells))
    return {
        "tests": str(len(cells)),
        "failures": str(seen[Result.FAILED]),
        "errors": str(seen[Result.ERROR]),
        "time": f"{sum(map(_seconds, cells)):.3f}",
    }


def _skipped(cells: Sequence[SettledCell]) -> str:
    return str(sum(1 for one in cells if result(one) is Result.SKIPPED))


def _seconds(settled: SettledCell) -> float:
    """Return the observation time of a cell, the sum over all trials, in seconds."""
    return sum(one.facts.watched_ms for one in settled.verdicts) / 1000


def _case(report: Report, settled: SettledCell) -> ET.Element:
    cell = settled.cell
    name = f"{cell.scenario} {cell.role} {cell.profile} {cell.place}"
    # viewers take the last dot of a class name as the end of a package
    where = f"{cell.family}.{cell.version.replace('.', '_')}"
    case = ET.Element("testcase", {"name": legal(name), "classname": legal(where), "time": f"{_seconds(settled):.3f}"})
    kind = result(settled)
    text = f"{settled.tally}: {settled.reason}"
    if kind is Result.PASSED:
        ET.SubElement(case, "system-out").text = legal(text)
        return case
    note = ET.SubElement(case, TAGS[kind], {"message": legal(text)})
    if kind is not Result.SKIPPED:  # the schema has no type for it
        note.set("type", str(settled.outcome))
    note.text = legal(f"{text}\n{report.evidence(settled)}\n")
    return case


def legal(text: str) -> str:
    """Return text without the characters that XML 1.0 cannot contain."""
    return ILLEGAL.sub("\ufffd", text)
