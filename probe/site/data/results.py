"""The known answer of a cell: a row of the matrix, or a settled cell of evidence that ships. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from probe.cells.aggregate import SettledCell
from probe.cells.cell_harm import harm_in
from probe.model import Cell, Outcome
from probe.model.grades import worst_trial
from probe.model.harm import Harm
from probe.site.data.matrix_rows import MatrixRow
from probe.site.data.shipped_evidence import source
from probe.site.data.wording import duration, recovery


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """A known answer in the words of the pages. Of a settled cell the figures are those of its trials."""

    cell: Cell
    outcome: Outcome
    worst: Outcome
    conforms: bool | None
    reason: str
    """The reason of the worst trial."""
    harm: Harm | None
    """None = unknown."""
    harm_words: str
    """The harm with its share of the trials; empty = unknown."""
    votes: Mapping[Outcome, int]
    """Number of trials per outcome, the commonest first."""
    lost: int
    """Acknowledged records that a writer's trial lost, the most of any."""
    recovery: str
    """Time after which the client worked again, or for which it was observed in vain; empty = it does not apply."""
    slowest_ms: float | None
    """The longest recovery; None if there was none."""
    stood_ms: float | None
    """The longest standstill; None = work did not go on, or the fact is not known."""
    errors: int
    """Errors that reached the application, the most of any trial."""
    futile_per_s: float | None
    """Futile requests a second."""
    row: MatrixRow | None = None
    """The row; None = a settled cell of evidence that ships."""
    measured: str = ""
    """The source of a settled cell: `from shipped evidence, measured on 2026-11-27`."""


def of_row(row: MatrixRow) -> Result:
    """Return what a row says."""
    times = [time for name in ("still_ms_max", "recovery_ms_p95") if (time := row.number(name)) is not None]
    return Result(
        cell=row.cell,
        outcome=row.outcome,
        worst=row.worst,
        conforms=row.conforms,
        reason=row.values["reason"],
        harm=row.harm,
        harm_words=row.harm_words,
        votes=row.votes,
        lost=row.lost,
        recovery=recovery(row),
        slowest_ms=row.number("recovery_ms_p95"),
        stood_ms=max(times, default=None),
        errors=int(row.number("errors_surfaced") or 0),
        futile_per_s=row.number("futile_requests_per_s"),
        row=row,
    )


def of_shipped(held: SettledCell) -> Result:
    """Return what a settled cell of evidence that ships says."""
    harm, facts = harm_in(held), [one.facts for one in held.verdicts]
    recoveries = [one.recovery_ms for one in facts if one.recovery_ms is not None]
    stills = [one.still_ms for one in facts if one.still_ms is not None]
    return Result(
        cell=held.cell,
        outcome=held.outcome,
        worst=held.worst,
        conforms=held.conforms,
        reason=held.reason,
        harm=None if harm is None else harm.rank,
        harm_words="" if harm is None else harm.words,
        votes=dict(held.votes.most_common()),
        lost=0 if held.loss is None else held.loss.lost,
        recovery=_recovery(held),
        slowest_ms=max(recoveries, default=None),
        stood_ms=max([*recoveries, *stills], default=None),
        errors=max((one.errors_surfaced for one in facts), default=0),
        futile_per_s=max((one.futile_requests_per_s or 0.0 for one in facts), default=None),
        measured=source([held]),
    )


def _recovery(held: SettledCell) -> str:
    facts = worst_trial(held.verdicts).facts
    if facts.recovered is False:
        return f"> {duration(facts.watched_ms)}" if facts.watched_ms else "never"
    return duration(facts.recovery_ms)
