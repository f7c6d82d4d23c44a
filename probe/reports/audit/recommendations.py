"""Recommendations about the faults of a service: the upgrade, a part of one, a profile, or a search for one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from probe.catalogue.selectors import PROFILES
from probe.cells.audit import Fault, Report
from probe.cells.audit_groups import grouped
from probe.cells.fault_words import doubt
from probe.model.profile import named_profile
from probe.model.versions import version_key
from probe.reports.audit.lines import asked_in

if TYPE_CHECKING:
    from probe.catalogue.apps import App


def bisect_command(fault: Fault) -> str:
    """Return the command that looks for a version that conforms."""
    cell = fault.cell
    line = f" --broker {cell.broker}" if fault.is_control else ""
    profile = named_profile(cell.profile)
    own = f" --profile {profile}" if profile else ""
    way = f" --workload {cell.workload}" if cell.unusual else ""
    return f"probe bisect {cell.family} {cell.scenario} --role {cell.role}{own}{line}{way}"


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
    return version + doubt + of_application(report, apps, family, found.version)


def part_of_way(report: Report, faults: Sequence[Fault], apps: Mapping[str, App]) -> str:
    """Return the versions that pass some of these faults where none is known to pass all of a service, as text."""
    passing: dict[tuple[str, str], list[str]] = {}
    left = []
    for one in grouped(faults):
        fault = one.first
        words = f"{asked_in(fault.cell)}{doubt(fault)}{one.also}"
        if fault.passes_in:
            passing.setdefault((fault.cell.family, fault.passes_in), []).append(words)
        elif fault.evidence is not None:
            left.append(f"{words}: {fault.evidence.worst}")
    ways = [
        f"{family} {version} for {', '.join(names)}{of_application(report, apps, family, version)}"
        for (family, version), names in sorted(passing.items(), key=lambda item: (item[0][0], version_key(item[0][1])))
    ]
    if not ways:
        return ""
    rest = f"; what stays: {', '.join(left)}" if left else ""
    return f"{'; '.join(ways)} (no version is known to pass all that fails{rest})"


def of_application(report: Report, apps: Mapping[str, App], family: str, library: str) -> str:
    """Return which release of a service's application has a version of the library; empty for other families."""
    app, name = _around(report, apps, family), report.client.partition("@")[0]
    if app is None:
        return ""
    first = app.release_with(library, report.client.partition("@")[2])
    return f"; {name} {first.since} has {first.library}" if first else f"; no {name} is known to have it"


def installed_as(report: Report, apps: Mapping[str, App], family: str, version: str) -> str:
    """Return a later version of a service's client, or of the library inside it, as its owner installs it."""
    app = _around(report, apps, family)
    return version if app is None else app.words_of(version, report.client.partition("@")[2])


def _around(report: Report, apps: Mapping[str, App], family: str) -> App | None:
    """Return the application of a service with a library of this family inside; None = it is that library."""
    name = report.client.partition("@")[0]
    app = apps.get(name) or next((one for one in apps.values() if one.driven_by == name and one.family == family), None)
    return None if app is None or app.family != family or name == family else app


def helps(faults: Sequence[Fault]) -> Iterator[str]:
    """Yield the profiles in which the same version passes some of these faults."""
    passing: dict[str, list[str]] = {}
    for one in grouped(faults):
        if one.first.helped_by:
            passing.setdefault(one.first.helped_by, []).append(f"{asked_in(one.first.cell)}{one.also}")
    for profile, names in passing.items():
        yield f"helps without an upgrade: profile {profile} ({PROFILES[profile]}) passes {', '.join(names)}"
