"""The right statement about a trial's client, by the trial's own verdict."""

from __future__ import annotations

from probe.diagnose.findings import Status
from probe.diagnose.spells import ANSWERED_US
from probe.model import History, Outcome, Reaction
from probe.model.outcomes import UNOBSERVED
from probe.store import TrialRow
from probe.verdict.hits import find_hits
from probe.verdict.wire_evidence import WireEvidence

WORKS = frozenset({Status.RECOVERED, Status.HEALTHY})
LEFT_OUT = frozenset({*UNOBSERVED, Outcome.NOT_PROVOKED})
"""Of a client that its fault did not reach a verdict does not say what became of it after another error."""
ANYTHING = frozenset({Status.STUCK, Status.WAS_STUCK, Status.UNKNOWN, *WORKS})
QUIET_US = 1_000_000
"""Time without another sign after which a client has recovered (docs/verdicts.md#recovered)."""


def right_for(row: TrialRow, expects: Reaction, *, closes: bool) -> frozenset[Status]:
    """Return the statuses that agree with a verdict."""
    verdict = row.verdict
    if verdict.outcome is Outcome.STORMS:
        return frozenset({Status.STORMS})
    return (
        _without_storm(row, expects, closes=closes)
        | _late(row)
        | ({Status.STORMS} if verdict.facts.storm else frozenset())
    )


def _late(row: TrialRow) -> frozenset[Status]:
    """Return what may be said, too, of a client that recovered after its time, or was given up."""
    facts = row.verdict.facts
    if facts.recovered:
        late = facts.recovery_ms is not None and facts.recovery_ms * 1000 >= ANSWERED_US
    else:
        late = facts.recovered is False and row.verdict.outcome is not Outcome.STUCK
    return frozenset({Status.WAS_STUCK}) if late else frozenset()


def _without_storm(row: TrialRow, expects: Reaction, *, closes: bool) -> frozenset[Status]:
    verdict = row.verdict
    stuck = verdict.outcome is Outcome.STUCK and expects is not Reaction.SURFACE
    if closes:
        return frozenset({Status.STUCK, Status.UNKNOWN, *WORKS})
    if verdict.facts.recovered or (verdict.facts.recovered is None and not stuck):
        return WORKS
    return frozenset({Status.STUCK}) if stuck else frozenset({Status.STUCK, Status.UNKNOWN})


def right_within(row: TrialRow, history: History, begin: int, end: int) -> frozenset[Status]:
    """Return the statuses that agree with a verdict about a part of the trial, on the clock of the history.

    A client that had recovered by the end works; one that had not been hit by then does, too; between the two it is
    stuck, or too little of it was seen. A part that begins after the recovery shows no storm that was before.
    """
    play = history.header.play
    whole = right_for(row, play.expects, closes=play.closes)
    evidence = WireEvidence(history)
    first = next((hit.at for hit in find_hits(evidence)), None)
    facts = row.verdict.facts
    storm = frozenset({Status.STORMS}) if Status.STORMS in whole else frozenset()
    if first is None or end < first:
        return WORKS | storm
    if not facts.recovered or facts.recovery_ms is None:
        return whole | {Status.UNKNOWN} if begin <= first else whole | {Status.UNKNOWN} | storm
    start = max(first, evidence.timeline.available or first)
    over = start + round(facts.recovery_ms * 1000)
    if begin >= over:
        return WORKS | storm
    return whole if end >= over + QUIET_US else ANYTHING | storm
