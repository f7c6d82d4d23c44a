"""The question of an audit, and its limits. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.catalogue.purposes import PURPOSES
from probe.cells.audit import Finding
from probe.model.counts import counted

NAMED = 6
"""Scenarios that are named; more are counted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """The scenarios that an audit asked about, and where."""

    scenarios: tuple[str, ...]
    """By name, the control scenario first."""
    is_baseline: bool
    """Whether they are those of the baseline, which an audit asks about where none is named."""
    left: int
    """Scenarios of the default catalogue that were not asked about."""
    broker: str
    """Release line."""
    engine: str
    purpose: str = ""
    """The purpose of the audit, as `--for` names it; empty = none."""

    @property
    def noun(self) -> str:
        """The scenarios as a number: `the baseline's 26 scenarios`."""
        count = counted(len(self.scenarios), "scenario")
        return f"the baseline's {count}" if self.is_baseline else count

    def worded(self, finding: Finding) -> str:
        """Return a finding about a service in words: what passes, passes these scenarios and no more."""
        return f"{finding} {self.noun}" if finding is Finding.PASSES else str(finding)

    def __str__(self) -> str:
        """Return the question as one line."""
        purpose = f"{PURPOSES[self.purpose].question}? " if self.purpose else ""
        what = f"{purpose}{self.noun} ({_listed(self.scenarios)})"
        asked = f"asked: {what} on broker line {self.broker}, {self.engine} engine"
        if not self.left:
            return asked
        verb = "was" if self.left == 1 else "were"
        return f"{asked}; {counted(self.left, 'more scenario')} {verb} not asked (--scenario '*' asks them)"


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"
