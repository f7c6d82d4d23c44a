"""Rows of matrix.csv as settled cells, for what compares them. Pure."""

from __future__ import annotations

from probe.cells.aggregate import SettledCell
from probe.cells.comparison_steps import expectation
from probe.model import Facts, Outcome, Verdict
from probe.model.harm import TrialHarm
from probe.model.outcomes import SAY_NOTHING
from probe.site.data.matrix_rows import MatrixRow


def settled(row: MatrixRow) -> SettledCell:
    """Return a row as a settled cell: its trials have no order, and the median recovery of all of them."""
    votes = row.votes or {row.outcome: 1}
    facts = Facts(recovery_ms=row.number("recovery_ms_p50"))
    verdicts = tuple(
        Verdict(outcome=outcome, reason=row.values["reason"], conforms=conforms, facts=facts)
        for outcome, conforms in _judged(row, list(votes)).items()
        for _ in range(votes[outcome])
    )
    told = tuple(TrialHarm(rank=harm) for harm, count in row.harms.items() for _ in range(count))
    return SettledCell(
        cell=row.cell, run_id=row.run_id, trial=0, verdicts=verdicts, conditions=row.conditions, told=told
    )


def _judged(row: MatrixRow, outcomes: list[Outcome]) -> dict[Outcome, bool | None]:
    """Return for each outcome whether its trials conform; matrix.csv has that for the whole cell."""
    about = [outcome for outcome in outcomes if outcome not in SAY_NOTHING]
    if row.conforms is not False or len(about) < 2 or (play := expectation(row.cell)) is None:
        return {outcome: None if outcome in SAY_NOTHING else row.conforms for outcome in outcomes}
    return {outcome: outcome in play.conforms if outcome in about else None for outcome in outcomes}
