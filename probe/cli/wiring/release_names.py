"""Ways out under names that can be installed: a commit that is measured for releases is the first of these."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from probe.catalogue.identities import driven_as
from probe.cells.audit import Fault, Report, Upgrade
from probe.cells.targets import Target
from probe.cli.wiring.catalogue import apps
from probe.model import Cell
from probe.model.versions import is_commit


def installable(family: str, version: str) -> str:
    """Return the first release that a measured commit of an application stands for (`Inside.measured`); else itself."""
    if not is_commit(version):
        return version
    rows = (row for app in driven_as(family, apps()) for row in app.versions)
    return next((row.since for row in rows if row.measured == version), version)


def named_releases(versions: Mapping[Cell, str]) -> dict[Cell, str]:
    """Return later versions, by the cell that they mend, by the names of releases."""
    return {cell: installable(cell.family, version) for cell, version in versions.items()}


def named_targets(targets: Mapping[Cell, Target]) -> dict[Cell, Target]:
    """Return the same of releases to go to."""
    return {cell: _target(cell.family, one) for cell, one in targets.items()}


def reports_in_releases(reports: Sequence[Report]) -> list[Report]:
    """Return the reports of an audit with their upgrades by the names of releases."""
    return [replace(one, faults=tuple(map(_fault, one.faults)), upgrade=_upgraded(one)) for one in reports]


def _target(family: str, one: Target) -> Target:
    name = installable(family, one.version)
    return one if name == one.version else replace(one, version=name)


def _fault(one: Fault) -> Fault:
    if one.evidence is None or not (one.passes_in or one.mended_in or one.target):
        return one
    family = one.evidence.cell.family
    return replace(
        one,
        passes_in=installable(family, one.passes_in),
        mended_in=installable(family, one.mended_in),
        target=one.target and _target(family, one.target),
    )


def _upgraded(one: Report) -> Upgrade | None:
    found = one.upgrade
    return found and replace(found, version=installable(found.family, found.version))
