"""Cells that were watched for less than the client's own limits, as a comparison takes them. Pure."""

from __future__ import annotations

from dataclasses import replace

from probe.cells.aggregate import SettledCell
from probe.model import Outcome, Verdict


def as_late(settled: SettledCell) -> SettledCell:
    """Return a cell in which trials that still wait are late.

    Both sides of the comparison were watched for the same time: who still stands still at its end stalls, whatever
    may rescue it afterwards.
    """
    return replace(settled, verdicts=tuple(map(_late, settled.verdicts)))


def _late(verdict: Verdict) -> Verdict:
    waits = verdict.outcome is Outcome.WAITING
    return replace(verdict, outcome=Outcome.LATE, conforms=False) if waits else verdict
