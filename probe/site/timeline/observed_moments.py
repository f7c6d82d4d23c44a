"""The moments of a trouble that was only watched on the wire (pure)."""

from __future__ import annotations

from probe.model import EngineKind, History
from probe.site.timeline.folding import BY_TIME
from probe.site.timeline.moments import Moment, MomentKind
from probe.site.timeline.wire import wire
from probe.verdict.wire_evidence import WireEvidence

STAGES = {EngineKind.FAULT_ON: "the trouble begins", EngineKind.MOVED: "answers name broker {broker}"}


def observed_moments(history: History) -> list[Moment]:
    """Return requests, answers and connections around a trouble, by time in microseconds since it began.

    Nobody watched the application, so it has no lane.
    """
    evidence = WireEvidence(history)
    start = evidence.timeline.begin
    stages = [
        Moment(event.at, MomentKind.STAGE, "stage", STAGES[event.kind].format(broker=event.broker))
        for event in evidence.events.engine
        if event.kind in STAGES
    ]
    found = [*wire(evidence), *stages]
    moved = [one._replace(at=one.at - start, until=None if one.until is None else one.until - start) for one in found]
    return sorted(moved, key=BY_TIME)
