"""Find the faults that a service's client does not survive, and the gaps. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import CellHarm, harm_in
from probe.cells.levels import RoleLevel
from probe.cells.lines import sides_of
from probe.cells.targets import Target
from probe.inventory.entries import Place
from probe.model import CONTROL, Cell, Profile
from probe.model.harm import Harm
from probe.model.refusals import asks_absent_protocol


class Finding(StrEnum):
    """Stored cells about one fault."""

    FAILS = "fails"
    """The client in this configuration does not conform."""
    LIKELY_STOPS = "likely stops"
    """Not measured; the nearest measured releases on both sides stop work, and nothing is known to differ."""
    LIKELY_FAILS = "likely fails"
    """The same, with a graver harm than none on both sides that does not stop work."""
    SUSPECTED = "suspected"
    """This configuration was not measured. The same version with the library's default settings does not conform."""
    LOSES = "loses"
    """The client does what the scenario requires, and records that it reported as written are lost."""
    UNKNOWN = "unknown"
    """No measurement answers the question, or too few trials where chance decides."""
    ACCEPTED = "accepted"
    """Of a service: what counts against it is accepted by an ignore file. No single fault has it."""
    SUSPECTED_FINE = "suspected fine"
    """Not measured; something near it does no harm: releases of other lines, or the library inside."""
    LIKELY_FINE = "likely fine"
    """Not measured; the nearest measured releases on both sides do no harm, and nothing is known to differ."""
    PASSES = "passes"
    INFORMATIVE = "informative"
    """Measured, but the scenario requires nothing of the client."""


ORDER = tuple(Finding)
BAD = (Finding.FAILS, Finding.LIKELY_STOPS, Finding.LIKELY_FAILS, Finding.SUSPECTED)
"""Findings that call for an upgrade."""
LIKELY = (Finding.LIKELY_STOPS, Finding.LIKELY_FAILS, Finding.LIKELY_FINE)
"""Findings of releases that were not measured, from those on both sides; no exit code 1 rests on them."""
UNPROVEN = frozenset({Finding.UNKNOWN, Finding.SUSPECTED, Finding.SUSPECTED_FINE, *LIKELY})
"""Findings that a measurement of the client itself could change."""
TOLD = (*BAD, Finding.LOSES)
"""Findings that are named one by one."""


@dataclass(frozen=True)
class Fault:
    """One fault for one role of a service."""

    cell: Cell
    finding: Finding
    evidence: SettledCell | None
    """The cell behind the finding; for `suspected`, the cell with the library's default settings."""
    ignored: str = ""
    """Why and until when the finding is accepted, by an ignore file; empty = it counts."""
    stand_in: str = ""
    """Stand-in for the client, in words: the library inside it, or another release with it; empty = itself."""
    passes_in: str = ""
    """The smallest later version of the library that is known to pass in this cell; empty = none, or nothing fails."""
    mended_in: str = ""
    """The smallest later version in which work is known to go on and nothing to be lost; empty = none, or no need."""
    target: Target | None = None
    """The later version that mends most of what a service suffers, this among it; None = none, or no need."""
    helped_by: str = ""
    """A profile in which this version is known to pass the same; empty = none is known, or nothing fails."""
    restart_helps: bool | None = None
    """Whether a second instance works that starts under the fault; None = not known, or nothing stops."""

    @property
    def is_control(self) -> bool:
        """Return whether the question is if the client works with brokers of the line at all."""
        return self.cell.scenario == CONTROL

    @property
    def is_proven(self) -> bool:
        """Return whether a measurement of the client itself decides: it is no guess from another release or profile."""
        return self.finding not in UNPROVEN and self.evidence is not None

    @property
    def is_own(self) -> bool:
        """Return whether trials of the client itself answer, be they enough or not."""
        seen = self.evidence
        return self.is_proven or (seen is not None and not self.stand_in and seen.cell.client == self.cell.client)

    @cached_property
    def harm(self) -> CellHarm | None:
        """The harm that the evidence shows; None = unknown."""
        if self.evidence is None or self.finding is Finding.UNKNOWN or asks_absent_protocol(self.cell):
            return None
        return harm_in(self.evidence)

    @property
    def grade(self) -> int:
        """Return the severity of the evidence; 0 = none."""
        return self.evidence.grade.severity or 0 if self.evidence is not None else 0


@dataclass(frozen=True, slots=True)
class Upgrade:
    """The smallest later version that conforms in every cell in which it was measured."""

    version: str
    last_bad: str
    """The newest lower version that was measured and does not conform."""
    exact: bool
    """Whether the version was measured in the configuration of the service."""
    family: str = ""
    """The owner of the version: the client, or the library inside it."""
    application: str = ""
    """The release of the application that contains the version, with that release's settings: `filebeat 9.0.0`."""


@dataclass(frozen=True, slots=True)
class Report:
    """The findings about a service."""

    name: str
    client: str
    """The client as the inventory names it."""
    stands_for: str
    """The client that is run in its place."""
    count: int
    faults: tuple[Fault, ...]
    upgrade: Upgrade | None
    problem: str = ""
    """The reason why there are no findings, or why the client is broken."""
    place: Place | None = None
    """The place of the client in an inventory; None = not known."""
    note: str = ""
    """A gap of the inventory, or the thing that stands behind the version."""
    otherwise: str = ""
    """A way out where no released version is known to mend a fault; empty = none is known, or no need."""
    measured: str = ""
    """The measured releases near one of which something was not measured, and what measures it; empty = no need."""
    levels: tuple[RoleLevel, ...] = ()
    """The level of each role, or its share of scenarios in which it reacts, as in `probe lookup`."""
    suspicions: tuple[Fault, ...] = ()
    """Stops and losses of releases around it with the library's defaults, where it was not measured so."""
    is_broken: bool = False
    """Whether the client cannot work at all, by what else its inventory lists: it fails without a fault."""

    def of(self, *findings: Finding) -> list[Fault]:
        """Return the faults that count with one of these findings: by finding, control cells first, then the worst."""
        counted = (item for item in self.counted if item.finding in findings)
        return sorted(counted, key=lambda item: (findings.index(item.finding), not item.is_control, -item.grade))

    @property
    def harm(self) -> CellHarm | None:
        """The gravest harm that evidence of the client itself shows and that counts; None = none is known."""
        counted = (item.harm for item in self.of(Finding.FAILS, Finding.LOSES))
        return max((harm for harm in counted if harm is not None), default=None)

    @property
    def counted(self) -> list[Fault]:
        """The faults that no ignore file accepts."""
        return [item for item in self.faults if not item.ignored]

    @property
    def ignored(self) -> list[Fault]:
        """Return the faults that an ignore file accepts."""
        return [item for item in self.faults if item.ignored]

    @property
    def finding(self) -> Finding:
        """Return the worst finding that counts; `accepted` if an ignore file accepts what is worse."""
        if self.is_broken:
            return Finding.FAILS
        found = {item.finding for item in self.faults if not item.ignored} - {Finding.INFORMATIVE}
        accepted = {item.finding for item in self.ignored}
        if accepted:
            found.add(Finding.ACCEPTED)
        if not accepted.isdisjoint(BAD):
            found.discard(Finding.UNKNOWN)
        return min(found, key=ORDER.index, default=Finding.UNKNOWN)


def examine(
    cells: Iterable[Cell], stored: Mapping[Cell, SettledCell], *, usual_settings: bool = False
) -> tuple[Fault, ...]:
    """Return the finding for every cell, from the stored cells.

    With `usual_settings` the properties are an application's own defaults, so that what passes with the library's is
    suspected to pass with them, too; settings that somebody chose can do anything.
    """
    return tuple(_fault(cell, stored, usual_settings=usual_settings) for cell in cells)


def _fault(cell: Cell, stored: Mapping[Cell, SettledCell], *, usual_settings: bool) -> Fault:
    own = stored.get(cell)
    if own is not None and own.judged:
        return Fault(cell, _finding(cell, own), own)
    plain = stored.get(in_plain_profile(cell))
    if plain is not None and plain.judged and plain.grade.severity:
        return Fault(cell, Finding.SUSPECTED, plain)
    if plain is not None and plain.passes and usual_settings:
        return Fault(cell, Finding.SUSPECTED_FINE, plain)
    return Fault(cell, Finding.UNKNOWN, own)


def _finding(cell: Cell, answer: SettledCell) -> Finding:
    """Return what an answer shows. Other lines prove something only together, from both sides of the asked one."""
    if asks_absent_protocol(cell):  # no group where brokers lack the protocol that is set is no fault of the client
        return Finding.INFORMATIVE
    sides = sides_of(cell, answer)
    found = {_shown(item) for item in sides or [answer]}
    if len(sides) == 1:
        return Finding.SUSPECTED if found == {Finding.FAILS} else Finding.UNKNOWN
    return found.pop() if len(found) == 1 else Finding.SUSPECTED


def _shown(answer: SettledCell) -> Finding:
    """Return what a settled cell shows. Old evidence, or too little of it, does not prove that a client passes."""
    severity = answer.grade.severity
    if severity:
        return Finding.FAILS
    if answer.loses:
        return Finding.LOSES
    if severity is None:
        return Finding.INFORMATIVE
    return Finding.UNKNOWN if answer.is_old or answer.chance else Finding.PASSES


def in_plain_profile(cell: Cell) -> Cell:
    """Return the cell of the same profile without properties."""
    return replace(cell, profile=Profile.parse(cell.profile).name)


def worst_first(reports: Iterable[Report]) -> list[Report]:
    """Order by what stops or loses work, worst finding, severity, number of faults, number of instances, then name."""
    return sorted(reports, key=_rank)


def _rank(report: Report) -> tuple[int, int, int, int, int, str]:
    harm = report.harm
    faults = report.of(report.finding)
    grade = max((item.grade for item in faults), default=0)
    stops = harm.rank if harm is not None and harm.rank >= Harm.STOPS else Harm.NONE
    return -stops, ORDER.index(report.finding), -grade, -len(faults), -report.count, report.name
