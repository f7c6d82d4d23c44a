"""Findings that end a look-up or an audit with exit code 1 (`--fail-on`). Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from probe.cells.audit import Fault, Finding, Report
from probe.cells.causes import is_scored
from probe.cells.gate_words import Gate
from probe.model.harm import Harm
from probe.model.roles import UNLEVELLED

_HARMS: Mapping[Gate, Harm] = MappingProxyType(
    {
        Gate.LOSES: Harm.LOSES,
        Gate.STOPS: Harm.STOPS,
        Gate.STALLS: Harm.STALLS,
        Gate.BURDENS: Harm.BURDENS,
        Gate.ERRORS: Harm.ERRORS,
    }
)
_FINDINGS: Mapping[Gate, Finding] = MappingProxyType(
    {Gate.FAILS: Finding.FAILS, Gate.SUSPECTED: Finding.SUSPECTED, Gate.UNKNOWN: Finding.UNKNOWN}
)
_PROVEN = frozenset({Finding.FAILS, Finding.LOSES})
"""Findings whose evidence is of the client itself, in a scenario that requires something of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gates:
    """The reasons that end with exit code 1."""

    of: frozenset[Gate]
    scored_only: bool = False
    """Whether a harm counts only where the baseline scores it for a level. Findings always count."""

    def __str__(self) -> str:
        return ", ".join(sorted(self.of))

    def ends(self, fault: Fault) -> bool:
        """Return whether a fault that no ignore file accepts ends it."""
        return not fault.ignored and any(self._counts(fault, gate) for gate in self.of)

    def those(self, faults: Iterable[Fault]) -> list[Fault]:
        """Return the faults that end it."""
        return [fault for fault in faults if self.ends(fault)]

    def is_at_risk(self, report: Report) -> bool:
        """Return whether a service ends an audit: by one of its faults, or by what it is as a whole.

        A client that cannot work at all stops. One of which nothing is known has no fault, and is `unknown`.
        """
        if report.is_broken and self.of & {Gate.FAILS, *_HARMS} - {Gate.LOSES}:
            return True
        as_a_whole = {_FINDINGS[gate] for gate in self.of if gate in _FINDINGS}
        return report.finding in as_a_whole or any(map(self.ends, report.faults))

    def _counts(self, fault: Fault, gate: Gate) -> bool:
        if gate in _FINDINGS:
            return fault.finding is _FINDINGS[gate]
        harm = fault.harm
        if fault.finding not in _PROVEN or harm is None or harm.rank < _HARMS[gate]:
            return False
        return not self.scored_only or (is_scored(fault) and fault.cell.role not in UNLEVELLED)


def gates_of(words: Collection[str], *, scored_only: bool = False) -> Gates | None:
    """Return the gates of these words; None if one is not known."""
    known = frozenset(gate for gate in Gate if gate in words)
    return Gates(of=known, scored_only=scored_only) if len(known) == len(set(words)) else None
