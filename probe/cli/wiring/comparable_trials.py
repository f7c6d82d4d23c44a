"""Stored trials that new ones may be compared with (docs/verdicts.md#numbers-of-the-conditions)."""

from __future__ import annotations

from probe.cells.aggregate import settle
from probe.errors import ProbeError
from probe.model import Cell, Outcome
from probe.model.conditions import current, is_current
from probe.model.outcomes import UNOBSERVED
from probe.store import trials as stored_trials


def known_outcomes(results: str) -> dict[Cell, frozenset[Outcome]]:
    """Return the outcomes of each cell in the run that gives it its row, if comparable with those of today."""
    settled = settle(stored_trials(results))
    return {
        cell: frozenset(one.votes)
        for cell, one in settled.items()
        if one.is_current and UNOBSERVED.isdisjoint(one.votes)
    }


def check_conditions(results: str, run_id: str) -> None:
    """Raise ProbeError if a run is not to be continued: its control cells would not fit its new trials."""
    for row in stored_trials(results, run_id):
        if not is_current(row.cell, row.conditions):
            engine = row.cell.engine
            raise ProbeError(
                f"--resume {run_id}: its trials ran under conditions {row.conditions} of the {engine} engine, and new "
                f"ones would run under {current(engine)}, which is not comparable; begin a new run without --resume"
            )
