"""Which findings end an audit with exit code 1 (`--fail-on`). Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType

from probe.cells.audit import Fault, Finding, Report
from probe.cells.harm import Harm, harms


class Gate(StrEnum):
    """What may end an audit: a finding, or a finding `fails` of at least this harm (docs/comparisons.md)."""

    FAILS = "fails"
    STALLS = "stalls"
    """What fails by more than an error: the client stops, or recovers late, or floods the brokers."""
    STOPS = "stops"
    """What fails for good: work stops, or a promise is broken. One error that reached the application is none."""
    SUSPECTED = "suspected"
    LOSES = "loses"
    UNKNOWN = "unknown"


GATES = tuple(Gate)
_HARMS: Mapping[Gate, Harm] = MappingProxyType({Gate.STALLS: Harm.STALLS, Gate.STOPS: Harm.STOPS})
_FINDINGS: Mapping[Gate, Finding] = MappingProxyType(
    {gate: Finding.FAILS if gate in _HARMS else Finding(gate.value) for gate in Gate}
)


def ends(fault: Fault, gates: Collection[Gate]) -> bool:
    """Return whether a fault that no ignore file accepts ends the audit with exit code 1."""
    return not fault.ignored and any(_is_of(fault, gate) for gate in gates)


def is_at_risk(report: Report, gates: Collection[Gate]) -> bool:
    """Return whether a service ends the audit: by one of its faults, or by what it is as a whole.

    A client that cannot work at all stops. One of which nothing is known has no fault, and is `unknown`.
    """
    as_a_whole = {_FINDINGS[gate] for gate in gates if report.is_broken or gate not in _HARMS}
    return report.finding in as_a_whole or any(ends(fault, gates) for fault in report.faults)


def _is_of(fault: Fault, gate: Gate) -> bool:
    if fault.finding is not _FINDINGS[gate]:
        return False
    least = _HARMS.get(gate)
    return least is None or fault.evidence is None or max(harms(fault.evidence), default=Harm.STOPS) >= least
