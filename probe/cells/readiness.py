"""Answer whether an operator may do what an audit was asked for, and what services suffer meanwhile. Pure.

The findings are those of the audit. Where the library's defaults were measured, they tell more of what a service
suffers than trials without periodic refreshes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from probe.cells.aggregate import SettledCell
from probe.cells.audit import UNPROVEN, Fault, Finding, Report
from probe.cells.audit_gate import Gates
from probe.cells.cell_harm import CellHarm
from probe.cells.gate_words import DEFAULT
from probe.model import Profile
from probe.model.harm import Harm

_STOPS = Gates(of=frozenset({DEFAULT}))
_PLACES: Mapping[Harm, int] = {Harm.STALLS: 3, Harm.BURDENS: 2, Harm.ERRORS: 0, Harm.NONE: -1}
"""The place of a harm among services: those that stop or lose come before all, `_UNKNOWN` before errors."""
_GRAVE, _UNKNOWN = 4, 1
_LEAN = (
    Finding.LIKELY_STOPS,
    Finding.LIKELY_FAILS,
    Finding.SUSPECTED,
    Finding.UNKNOWN,
    Finding.SUSPECTED_FINE,
    Finding.LIKELY_FINE,
)
"""The findings of what was not measured, those that speak against a service first."""


class May(StrEnum):
    """The answer for a service."""

    NO = "no"
    """Work stops, or records are lost or repeated."""
    UNKNOWN = "not known"
    """Something that is asked was not measured of the client itself. What is only likely is no answer."""
    YES = "yes"
    """All was measured, and work goes on, if late."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """The answer for a service, with its reasons."""

    may: May
    harm: CellHarm | None
    """The gravest harm that was measured; None = nothing was."""
    stood_ms: float
    """The longest standstill after which work went on, whether it is a harm or not.

    Where a trial was observed to the end it begins with the first error or silence, also while brokers elect a leader,
    since that is what monitoring shows.
    """
    everything: bool
    """Whether partitions without a fault stand still or have errors, too."""
    errors: tuple[Fault, ...]
    """Faults in which an error reached the application."""
    stalls: tuple[Fault, ...]
    """Faults in which work stands still beyond the bound."""
    silent: tuple[Fault, ...]
    """Faults in which work stops, or records are lost or repeated, without an error of the application."""
    unproven: Mapping[Finding, tuple[Fault, ...]]
    """Faults that were not measured of the client itself, by finding."""
    profiles: Mapping[str, int]
    """Measured cells by the name of their profile."""


def readiness(report: Report) -> Readiness:
    """Return the answer for a service."""
    counted = [one for one in report.faults if not one.ignored and one.finding is not Finding.INFORMATIVE]
    proven = [one for one in counted if one.is_proven]
    unproven = {finding: tuple(one for one in counted if one.finding is finding) for finding in _LEAN}
    harms = [(one, one.harm) for one in proven]
    return Readiness(
        may=_may(report, counted),
        harm=max((harm for _, harm in harms if harm is not None), default=None),
        stood_ms=max((_stood_ms(one.evidence) for one in proven if one.evidence is not None), default=0.0),
        everything=any(harm is not None and harm.worst.everything for _, harm in harms),
        errors=tuple(one for one in proven if one.evidence is not None and _has_errors(one.evidence)),
        stalls=tuple(one for one, harm in harms if harm is not None and harm.rank is Harm.STALLS),
        silent=tuple(one for one, harm in harms if harm is not None and _is_silent(one, harm)),
        unproven={finding: mine for finding, mine in unproven.items() if mine},
        profiles=Counter(Profile.parse(one.evidence.cell.profile).name for one in proven if one.evidence is not None),
    )


def in_turn(reports: Iterable[Report]) -> list[Report]:
    """Order services by which needs attention first.

    Those that stop or lose, then those that stall, burden brokers, are not known, show errors. Among these what is
    likely of those that are not known, the graver harm, the longer standstill, the number of instances decide.
    """
    return sorted(reports, key=_rank)


def _may(report: Report, counted: Sequence[Fault]) -> May:
    if report.is_broken or _STOPS.those(counted):
        return May.NO
    return May.UNKNOWN if not counted or any(one.finding in UNPROVEN for one in counted) else May.YES


def _rank(report: Report) -> tuple[int, int, int, float, int, int, str, str]:
    found = readiness(report)
    known = Harm.NONE if found.harm is None else found.harm.rank
    place = _GRAVE if found.may is May.NO else _PLACES.get(known, _GRAVE)
    if found.may is May.UNKNOWN:
        place = max(place, _UNKNOWN)
    lean = min((place for place, one in enumerate(_LEAN) if one in found.unproven), default=len(_LEAN))
    first = lean if place == _UNKNOWN else 0
    return -place, first, -known, -found.stood_ms, lean, -report.count, report.name, report.client


def _stood_ms(evidence: SettledCell) -> float:
    went_on = (one.facts for one in evidence.verdicts if one.facts.recovered is not False)
    return max((max(one.own_recovery_ms or 0.0, one.still_ms or 0.0) for one in went_on), default=0.0)


def _is_silent(fault: Fault, harm: CellHarm) -> bool:
    breaks = harm.rank >= Harm.REPEATS and fault.evidence is not None and not _has_errors(fault.evidence)
    return harm.worst.silently or breaks


def _has_errors(evidence: SettledCell) -> bool:
    return any(one.facts.has_errors for one in evidence.verdicts)
