"""The one table of formats of an audit, besides the table for people."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum

from probe.reports.audit.cyclonedx import cyclonedx
from probe.reports.audit.junit import junit
from probe.reports.audit.markdown import markdown
from probe.reports.audit.openvex import openvex
from probe.reports.audit.plain import as_csv, as_json
from probe.reports.audit.result import AuditResult
from probe.reports.audit.sarif import sarif


class Format(StrEnum):
    """How an audit is printed."""

    TABLE = "table"
    """For people."""
    JSON = "json"
    CSV = "csv"
    SARIF = "sarif"
    CYCLONEDX = "cyclonedx-vex"
    OPENVEX = "openvex"
    JUNIT = "junit"
    MARKDOWN = "markdown"


WRITERS: Mapping[Format, Callable[[AuditResult], str]] = {
    Format.JSON: as_json,
    Format.CSV: as_csv,
    Format.SARIF: sarif,
    Format.CYCLONEDX: cyclonedx,
    Format.OPENVEX: openvex,
    Format.JUNIT: junit,
    Format.MARKDOWN: markdown,
}
