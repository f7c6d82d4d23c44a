"""Find what mends the faults of a service: a later version, a release of its application, a profile. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from probe.catalogue.families import is_local
from probe.cells.aggregate import SettledCell
from probe.cells.audit import BAD, Fault, Finding, Report, Upgrade, examine, in_plain_profile
from probe.cells.cell_harm import harm_in
from probe.cells.targets import Target, targets
from probe.cells.trends import question
from probe.cells.upgrades import next_conforming, next_harmless, works
from probe.model import Cell
from probe.model.harm import Harm
from probe.model.versions import version_key
from probe.model.ways_out import RESTARTS, mending_profiles, restarts


def upgrade(faults: Sequence[Fault], stored: Mapping[Cell, SettledCell]) -> Upgrade | None:
    """Return the smallest later version that conforms in every cell that fails or is suspected; None if there is none.

    The version must not fail in a measured cell that the service passes today. Cells that are not comparable with the
    evidence of the service do not count.
    """
    bad = [item for item in faults if item.finding in {Finding.FAILS, Finding.SUSPECTED}]
    good = [item for item in faults if item.finding is Finding.PASSES]
    if not bad:
        return None
    exact = _smallest(bad, good, stored, lambda cell: cell)
    if exact is not None:
        return replace(exact, exact=True)
    return _smallest(bad, good, stored, in_plain_profile)


def with_remedies(reports: Sequence[Report], stored: Mapping[Cell, SettledCell]) -> list[Report]:
    """Return the reports with what passes, for each fault that fails or is suspected: a version, a profile."""
    bad = [fault.evidence for report in reports for fault in report.of(*BAD) if fault.evidence is not None]
    named = {one.cell for one in bad}
    every = (fault.evidence for report in reports for fault in report.faults if fault.evidence is not None)
    good = [one for one in every if one.cell not in named and works(one)]
    found = Ways(
        passing=next_conforming(bad, stored.values()),
        mending=next_harmless(bad, stored.values()),
        targets=targets(bad, good, stored.values()),
        helping=mending_profiles(bad, stored.values()),
        restarting=restarting(bad, stored.values()),
    )
    return [replace(one, faults=tuple(_remedied(fault, found) for fault in one.faults)) for one in reports]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways:
    """Remedies by the cell of the evidence: versions that pass, versions in which work goes on, profiles, restarts."""

    passing: Mapping[Cell, str]
    mending: Mapping[Cell, str]
    targets: Mapping[Cell, Target]
    helping: Mapping[Cell, str]
    restarting: Mapping[Cell, bool]


def ways_of(faults: Iterable[Fault]) -> Ways:
    """Return what `with_remedies` found for these faults."""
    known = [(one.evidence.cell, one) for one in faults if one.evidence is not None]
    return Ways(
        passing={cell: one.passes_in for cell, one in known if one.passes_in},
        mending={cell: one.mended_in for cell, one in known if one.mended_in},
        targets={cell: one.target for cell, one in known if one.target is not None},
        helping={cell: one.helped_by for cell, one in known if one.helped_by},
        restarting={cell: one.restart_helps for cell, one in known if one.restart_helps is not None},
    )


def _remedied(fault: Fault, ways: Ways) -> Fault:
    if fault.evidence is None or fault.finding not in BAD:
        return fault
    cell = fault.evidence.cell
    return replace(
        fault,
        passes_in=ways.passing.get(cell, ""),
        mended_in=ways.mending.get(cell, ""),
        target=ways.targets.get(cell),
        helped_by=ways.helping.get(cell, ""),
        restart_helps=ways.restarting.get(cell),
    )


def restarting(bad: Iterable[SettledCell], stored: Iterable[SettledCell]) -> dict[Cell, bool]:
    """Return for each cell in which work stops whether a second instance works that starts under its fault."""
    starts = [item for item in stored if item.cell.scenario.startswith(RESTARTS)]
    harms = {item.cell: harm.rank for item in starts if (harm := harm_in(item)) is not None}
    stopped = [one.cell for one in bad if (harm := harm_in(one)) is not None and harm.rank >= Harm.STOPS]
    return restarts(stopped, harms)


def first_good(
    faults: Sequence[Fault], releases: Iterable[tuple[str, Sequence[Cell]]], stored: Mapping[Cell, SettledCell]
) -> Upgrade | None:
    """Return the first later release of an application that conforms in every cell of the service.

    Every release comes with the cells of `faults` for its own library version and settings, in the order of releases.
    """
    if not any(item.finding in {Finding.FAILS, Finding.SUSPECTED} for item in faults):
        return None
    last_bad = faults[0].cell.version
    for name, cells in releases:
        found = {_compared(mine, item) for mine, item in zip(faults, examine(cells, stored), strict=False)}
        if found <= {Finding.PASSES, Finding.INFORMATIVE, Finding.LOSES}:
            return Upgrade(cells[0].version, last_bad, exact=True, application=name, family=cells[0].family)
        if found & {Finding.FAILS, Finding.SUSPECTED}:
            last_bad = cells[0].version
    return None


def _compared(mine: Fault, later: Fault) -> Finding:
    """Return the finding of a later release; unknown if its evidence is not comparable with that of the service."""
    known = mine.evidence is None or later.evidence is None or mine.evidence.is_comparable(later.evidence)
    return later.finding if known else Finding.UNKNOWN


def _smallest(
    bad: Sequence[Fault], good: Sequence[Fault], stored: Mapping[Cell, SettledCell], asked_as: Callable[[Cell], Cell]
) -> Upgrade | None:
    asked = {question(asked_as(item.cell), "version"): item.evidence for item in bad}
    kept = {question(asked_as(item.cell), "version"): item.evidence for item in good}
    evidence, own = kept | asked, bad[0].cell.version
    graded: dict[str, dict[tuple[str, ...], int | None]] = {}
    for cell, settled in stored.items():
        key = question(cell, "version")
        mine = evidence.get(key)
        if mine is not None and _counts(settled) and settled.is_comparable(mine):
            graded.setdefault(cell.version, {})[key] = settled.grade.severity
    last_bad = own
    for version in sorted(graded, key=version_key):
        if version_key(version) <= version_key(own):
            continue
        found = graded[version]
        if any(found.values()):
            last_bad = version
        elif all(key in found for key in asked):
            return Upgrade(version, last_bad, exact=False, family=bad[0].cell.family)
    return None


def _counts(later: SettledCell) -> bool:
    """Return whether an answer says if a release passes or fails; an old one does not show that it passes."""
    shows = bool(later.grade.severity) or not later.is_old
    return later.judged and shows and not is_local(later.cell.version)
