"""The right statement about a trial's client, by the trial's own verdict."""

from __future__ import annotations

from dataclasses import replace

from probe.diagnose.findings import Status
from probe.diagnose.observation import Wire
from probe.diagnose.spells import ANSWERED_US
from probe.model import History, Outcome, Reaction, Verdict
from probe.model.outcomes import UNOBSERVED
from probe.verdict import judge
from probe.verdict.apis import COORDINATED, LED
from probe.verdict.hits import find_hits
from probe.verdict.wire_evidence import WireEvidence

WORKS = frozenset({Status.RECOVERED, Status.HEALTHY})
LEFT_OUT = frozenset({*UNOBSERVED, Outcome.NOT_PROVOKED})
"""Of a client that its fault did not reach a verdict does not say what became of it after another error."""
ANYTHING = frozenset({Status.STUCK, Status.WAS_STUCK, Status.UNKNOWN, *WORKS})
QUIET_US = 1_000_000
"""Time without another sign after which a client has recovered (docs/verdicts.md#recovered)."""


def right_for(verdict: Verdict, expects: Reaction, *, closes: bool) -> frozenset[Status]:
    """Return the statuses that agree with a verdict."""
    if verdict.outcome is Outcome.STORMS:
        return frozenset({Status.STORMS})
    return (
        _without_storm(verdict, expects, closes=closes)
        | _late(verdict)
        | ({Status.STORMS} if verdict.facts.storm else frozenset())
    )


def _late(verdict: Verdict) -> frozenset[Status]:
    """Return what may be said, too, of a client that recovered after its time, or was given up."""
    facts = verdict.facts
    if facts.recovered:
        late = facts.recovery_ms is not None and facts.recovery_ms * 1000 >= ANSWERED_US
    else:
        late = facts.recovered is False and verdict.outcome is not Outcome.STUCK
    return frozenset({Status.WAS_STUCK}) if late else frozenset()


def _without_storm(verdict: Verdict, expects: Reaction, *, closes: bool) -> frozenset[Status]:
    stuck = verdict.outcome is Outcome.STUCK and expects is not Reaction.SURFACE
    if closes:
        return frozenset({Status.STUCK, Status.UNKNOWN, *WORKS})
    if verdict.facts.recovered or (verdict.facts.recovered is None and not stuck):
        return WORKS
    return frozenset({Status.STUCK}) if stuck else frozenset({Status.STUCK, Status.UNKNOWN})


def right_within(verdict: Verdict, history: History, begin: int, end: int) -> frozenset[Status]:
    """Return the statuses that agree with a verdict about a part of the trial, on the clock of the history.

    A client that had recovered by the end works; one that had not been hit by then does, too; between the two it is
    stuck, or too little of it was seen. Where a part begins after the first sign and the client sends nothing in it
    about the affected object, what it says of others is all there is. A storm counts if the part has it.
    """
    play = history.header.play
    storm = frozenset({Status.STORMS}) if storms_within(history, begin, end) else frozenset()
    evidence = WireEvidence(history)
    first = next((hit.at for hit in find_hits(evidence)), None)
    if first is None or end < first:
        return WORKS | storm
    plain = _without_storm(verdict, play.expects, closes=play.closes) | _late(verdict)
    facts = verdict.facts
    if not facts.recovered or facts.recovery_ms is None:
        silent = begin > first and not _sends(evidence, begin, end)
        return plain | storm | {Status.UNKNOWN} | (WORKS if silent else frozenset())
    start = max(first, evidence.timeline.available or first)
    over = start + round(facts.recovery_ms * 1000)
    if begin >= over:
        return WORKS | storm
    if end < over + QUIET_US:
        return ANYTHING | storm
    return storm if storm and verdict.outcome is Outcome.STORMS else plain | storm


def storms_within(history: History, begin: int, end: int) -> bool:
    """Return whether what a client sent in a part of its trial is a storm (docs/verdicts.md#storm)."""
    events = (one for one in history.events if not isinstance(one, Wire) or begin <= one.at <= end)
    return bool(judge(replace(history, events=tuple(events))).facts.storm)


def _sends(evidence: WireEvidence, begin: int, end: int) -> bool:
    """Return whether the client sends requests about the affected object between two times."""
    about = (one.request for one in evidence.exchanges if one.about)
    return any(begin <= one.at <= end and one.api in LED | COORDINATED for one in about)
