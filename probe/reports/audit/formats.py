"""The one table of formats of an audit, besides the table for people. A writer is imported when it is used."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from probe.reports.audit.result import AuditResult


class Format(StrEnum):
    """The format of a printed audit."""

    TABLE = "table"
    """For people."""
    JSON = "json"
    CSV = "csv"
    SARIF = "sarif"
    CYCLONEDX = "cyclonedx-vex"
    OPENVEX = "openvex"
    JUNIT = "junit"
    MARKDOWN = "markdown"


WRITERS: Mapping[Format, tuple[str, str]] = {
    Format.JSON: ("plain_data", "as_json"),
    Format.CSV: ("plain_data", "as_csv"),
    Format.SARIF: ("sarif", "sarif"),
    Format.CYCLONEDX: ("cyclonedx", "cyclonedx"),
    Format.OPENVEX: ("openvex", "openvex"),
    Format.JUNIT: ("junit", "junit"),
    Format.MARKDOWN: ("markdown", "markdown"),
}
"""Module of this package and its function."""


def write(form: Format, audit: AuditResult) -> str:
    """Return an audit in a format other than the table for people."""
    module, name = WRITERS[form]
    writer: Callable[[AuditResult], str] = getattr(import_module(f"{__package__}.{module}"), name)
    return writer(audit)
