"""What every format of an audit is made of, and the words that they share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from probe.catalogue.packages import Packages
from probe.cells.audit import BAD, Fault, Finding, Report
from probe.cells.citations import command
from probe.cells.cli_hints import run_command
from probe.cells.fault_words import doubt
from probe.cells.finding_ids import finding_id
from probe.model import Cell, Client
from probe.model.profile import named_profile
from probe.model.versions import release_key, version_key

if TYPE_CHECKING:
    from probe.catalogue.apps import App

TOOL = "kafka-metadata-probe"


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
    failing: frozenset[Finding]
    """Findings by which the command fails."""
    moment: datetime
    """When the audit was made."""

    def command(self, fault: Fault) -> str:
        """Return the command that shows the evidence of a fault, or that runs its cell."""
        if fault.evidence is not None and fault.finding is not Finding.UNKNOWN:
            return command(fault.cell, fault.evidence, self.results)
        return run_command([fault.cell], self.results)

    def purls(self, report: Report) -> list[str]:
        """Return the package URLs of a service's client, else of its library; empty if it is no package, or unknown."""
        named, library = (Client(*text.partition("@")[::2]) for text in (report.client, report.stands_for))
        return self.packages.purls(named, library) if library.version else []

    def advice(self, report: Report, fault: Fault | None = None) -> str:
        """Return the smallest upgrade of a service; or how to look for one for a fault, by default for its worst.

        The text is a sentence without its full stop, empty if there is nothing to do.
        """
        if way := way_out(report, self.apps):
            return f"Upgrade to {way}"
        bad = report.of(*BAD) if fault is None else [fault]
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


def bisect_command(fault: Fault) -> str:
    """Return the command that looks for a version that conforms."""
    cell = fault.cell
    line = f" --broker {cell.broker}" if fault.is_control else ""
    profile = named_profile(cell.profile)
    own = f" --profile {profile}" if profile else ""
    way = f" --workload {cell.workload}" if cell.unusual else ""
    return f"probe bisect {cell.family} {cell.scenario} --role {cell.role}{own}{line}{way}"


def fault_line(fault: Fault) -> str:
    """Return a fault in words: role, scenario, the profile if it is not the usual one, outcome."""
    seen = fault.evidence
    outcome = "" if seen is None else f"refused by Kafka {seen.cell.broker}" if seen.refusal else seen.tally
    return f"{_asked(fault.cell)}: {outcome}{doubt(fault)}"


def _asked(cell: Cell) -> str:
    profile = named_profile(cell.profile)
    return f"{cell.role} {cell.scenario}{cell.unusual}{f', profile {profile}' if profile else ''}"


def driven_as(report: Report) -> str:
    """Return the client of a service, and the library that is driven in its place."""
    same = not report.stands_for or report.stands_for == report.client
    return report.client if same else f"{report.client}, driven as {report.stands_for}"


def way_out(report: Report, apps: Mapping[str, App]) -> str:
    """Return the smallest upgrade as text; for an application, its first version with that library."""
    found = report.upgrade
    if found is None:
        return ""
    family = found.family or report.stands_for.partition("@")[0]
    version = f"{family} {found.version} ({found.last_bad} is not enough)"
    if found.application:
        return f"{found.application}, which has {version}"
    doubt = "" if found.exact else ", by the library's own settings"
    return version + doubt + _of_application(report, apps, family, found.version)


def part_of_way(report: Report, faults: Sequence[Fault], apps: Mapping[str, App]) -> str:
    """Return the versions that pass some of these faults where none is known to pass all of a service, as text."""
    passing: dict[tuple[str, str], list[str]] = {}
    for fault in faults:
        if fault.passes_in:
            key = (fault.cell.family, fault.passes_in)
            passing.setdefault(key, []).append(f"{_asked(fault.cell)}{doubt(fault)}")
    ways = [
        f"{family} {version} for {', '.join(names)}{_of_application(report, apps, family, version)}"
        for (family, version), names in sorted(passing.items(), key=lambda item: (item[0][0], version_key(item[0][1])))
    ]
    return f"{'; '.join(ways)} (no version is known to pass all that fails)" if ways else ""


def _of_application(report: Report, apps: Mapping[str, App], family: str, library: str) -> str:
    """Return which release of a service's application has a version of the library; empty for other families."""
    name, _, version = report.client.partition("@")
    app = apps.get(name) or next((one for one in apps.values() if one.driven_by == name and one.family == family), None)
    if app is None or app.artifacts or app.family != family or name == family:
        return ""
    later = [item for item in app.versions if release_key(item.last) > release_key(version)]
    enough = [item for item in later if version_key(item.library) >= version_key(library)]
    if not enough:
        return f"; no {name} is known to have it"
    first = min(enough, key=lambda item: release_key(item.since))
    return f"; {name} {first.since} has {first.library}"
