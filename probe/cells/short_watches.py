"""Cells that were watched for less than the client's own limits, as a comparison takes them. Pure."""

from __future__ import annotations

from dataclasses import replace

from probe.cells.aggregate import SettledCell
from probe.model import Cell, Outcome, Verdict
from probe.model.harm import Harm, TrialHarm
from probe.model.harm_bounds import trial_harm


def as_late(settled: SettledCell) -> SettledCell:
    """Return a cell in which trials that still wait are late, and stall.

    Both sides of the comparison were watched for the same time: who still stands still at its end stalls, whatever
    may rescue it afterwards.
    """
    harms = (_harm(settled.cell, one) for one in settled.verdicts)
    told = tuple(one for one in harms if one is not None)
    return replace(settled, verdicts=tuple(map(_late, settled.verdicts)), told=told)


def _harm(cell: Cell, verdict: Verdict) -> TrialHarm | None:
    if verdict.outcome is Outcome.WAITING:
        return TrialHarm(rank=Harm.STALLS, stalls_ms=verdict.facts.watched_ms)
    return trial_harm(cell, verdict)


def _late(verdict: Verdict) -> Verdict:
    waits = verdict.outcome is Outcome.WAITING
    return replace(verdict, outcome=Outcome.LATE, conforms=False) if waits else verdict
