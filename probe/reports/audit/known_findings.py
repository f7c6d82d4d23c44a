"""Findings that an earlier audit had, from its SARIF: an audit may fail by new ones alone. Pure."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

from probe.cells.audit import Fault, Report
from probe.model.cell import Workload
from probe.reports.audit.sarif import FINGERPRINT, fingerprint

KnownFindings = Mapping[str, frozenset[str]]
"""The workloads of each finding, by the fingerprint of the one that stands for them."""


def read_sarif(text: str) -> KnownFindings:
    """Return the findings of a SARIF log. ValueError with the reason if it is none of an audit."""
    try:
        results = [result for run in json.loads(text)["runs"] for result in run["results"]]
        pairs = [(one["partialFingerprints"][FINGERPRINT], one.get("properties", {})) for one in results]
        return {name: frozenset(more.get("workloads", [Workload.CONTINUOUS])) for name, more in pairs}
    except (KeyError, TypeError, AttributeError, RecursionError, json.JSONDecodeError) as error:
        raise ValueError(f"it is no SARIF of an audit ({type(error).__name__}: {error})") from None


def accepted_as_known(report: Report, known: KnownFindings, words: str) -> Report:
    """Return a report whose known findings are accepted, as `words` says."""
    return replace(report, faults=tuple(_accepted(fault, report, known, words) for fault in report.faults))


def _accepted(fault: Fault, report: Report, known: KnownFindings, words: str) -> Fault:
    names = (fingerprint(report, str(replace(fault.cell, workload=workload))) for workload in Workload)
    is_known = any(str(fault.cell.workload) in known.get(name, ()) for name in names)
    return replace(fault, ignored=words) if is_known and not fault.ignored else fault
