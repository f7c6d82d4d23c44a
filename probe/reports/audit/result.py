"""The parts of every format of an audit, and the words that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from probe.catalogue.packages import Packages
from probe.cells.audit import BAD, Fault, Finding, Report
from probe.cells.audit_gate import Gates
from probe.cells.citations import command
from probe.cells.cli_hints import run_command
from probe.cells.finding_ids import finding_id
from probe.model import Client
from probe.reports.audit.question import Question
from probe.reports.audit.recommendations import bisect_command, part_of_way, way_out

if TYPE_CHECKING:
    from probe.catalogue.apps import App

TOOL = "kafka-metadata-probe"
WRITE_TO_ALL = "write with acks=all: with less, a leader acknowledges records that no other replica has"


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditResult:
    """The reports of an audit, with what formats need besides."""

    reports: Sequence[Report]
    """The worst first."""
    results: str
    """The results folder as commands name it."""
    packages: Packages
    apps: Mapping[str, App]
    """Applications by all their names."""
    failing: Gates
    """What ends the command with exit code 1."""
    moment: datetime
    """When the audit was made."""
    question: Question
    """The question."""
    can_run: bool = True
    """Whether clients can be run here, so that a command to run one is of use."""

    def command(self, fault: Fault) -> str:
        """Return the command that shows the evidence of a fault, or that runs its cell."""
        if fault.evidence is not None and (fault.finding is not Finding.UNKNOWN or not self.can_run):
            return command(fault.cell, fault.evidence, self.results, can_run=self.can_run)
        return run_command([fault.cell], self.results)

    def purls(self, report: Report) -> list[str]:
        """Return the package URLs of a service's client, else of its library; empty if it is no package, or unknown."""
        named, library = (Client(*text.partition("@")[::2]) for text in (report.client, report.stands_for))
        return self.packages.purls(named, library) if library.version else []

    def advice(self, report: Report, fault: Fault | None = None) -> str:
        """Return the smallest upgrade of a service; or how to look for one for a fault, by default for its worst.

        The text is a sentence without its full stop, empty if there is nothing to do.
        """
        if fault is not None and fault.finding is Finding.LOSES:
            return WRITE_TO_ALL
        if way := way_out(report, self.apps):
            return f"Upgrade to {way}"
        bad = report.of(*BAD) if fault is None else [fault]
        if not bad and report.of(Finding.LOSES):
            return WRITE_TO_ALL
        if way := part_of_way(report, bad, self.apps):
            return f"Upgrade to {way}"
        return f"No upgrade is known to pass; {bisect_command(bad[0])}" if bad else ""

    def by_id(self) -> Mapping[str, list[tuple[Report, Fault]]]:
        """Return the faults of all services by the id of their finding; informative ones are left out."""
        found: dict[str, list[tuple[Report, Fault]]] = {}
        for report in self.reports:
            for fault in report.faults:
                if fault.finding is not Finding.INFORMATIVE:
                    found.setdefault(finding_id(fault.cell), []).append((report, fault))
        return dict(sorted(found.items()))
