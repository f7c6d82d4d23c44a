"""The moments of a history: wire, application, brokers (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from probe.model import AppKind, EngineEvent, EngineKind, History, MarkKind, Symptom
from probe.site.timeline.folding import BY_TIME
from probe.site.timeline.moments import Moment, MomentKind
from probe.site.timeline.wire import wire
from probe.verdict.wire_evidence import WireEvidence

GAP_US = 1_000_000

APP_SORTS = {
    AppKind.SENT: (MomentKind.BEGUN, "operation started"),
    AppKind.TXN_BEGUN: (MomentKind.BEGUN, "transaction begun"),
    AppKind.ACKED: (MomentKind.DONE, "acknowledged"),
    AppKind.RECEIVED: (MomentKind.DONE, "received"),
    AppKind.COMMITTED: (MomentKind.DONE, "offset committed"),
    AppKind.TXN_COMMITTED: (MomentKind.DONE, "transaction committed"),
    AppKind.LISTED: (MomentKind.DONE, "answer received"),
    AppKind.SEND_ERROR: (MomentKind.FAILED, "send failed"),
    AppKind.RECEIVE_ERROR: (MomentKind.FAILED, "receive failed"),
    AppKind.COMMIT_ERROR: (MomentKind.FAILED, "commit failed"),
    AppKind.TXN_ERROR: (MomentKind.FAILED, "transaction failed"),
    AppKind.TXN_ABORTED: (MomentKind.FAILED, "transaction aborted"),
    AppKind.LIST_ERROR: (MomentKind.FAILED, "request failed"),
    AppKind.FATAL: (MomentKind.FAILED, "fatal"),
}
"""Sort and words per kind; every other kind is a state."""
STAGES = {
    EngineKind.FAULT_ON: "fault injected",
    EngineKind.MOVED: "moved to broker {broker}",
    EngineKind.ANNOUNCED: "all name broker {broker}",
    EngineKind.WITHHELD: "broker {broker} withholds records",
    EngineKind.HANDSHAKE_FAILED: "TLS handshake with broker {broker} failed",
    EngineKind.TOKEN_REFUSED: "the token server refuses a token",
    EngineKind.HEALED: "fault reverted",
    EngineKind.STOPPED: "broker {broker} stopped",
    EngineKind.RETURNED: "broker {broker} returned",
    EngineKind.RELOCATED: "the name of broker {broker} leads elsewhere",
}
MILESTONES = {
    MarkKind.WARM: "warm",
    MarkKind.PACED: "works every {text} ms",
    MarkKind.AWAY: "away: {text}",
    MarkKind.BACK: "back",
    MarkKind.KILLED: "the other member killed",
    MarkKind.JOINS: "another member starts",
    MarkKind.STOPPING: "asked to close",
    MarkKind.STOPPED: "closed",
}


def moments(history: History) -> list[Moment]:
    """Return the moments of a history, ordered by time relative to the fault (or to the end of the warm-up)."""
    evidence = WireEvidence(history)
    start = evidence.timeline.begin
    application = list(_application(evidence))
    found = [*wire(evidence), *application, *_gaps(evidence, application), *_stages(evidence)]
    return sorted([_since(start, *one) for one in found], key=BY_TIME)


def _since(start: int, at: int, sort: MomentKind, lane: str, text: str, until: int | None, count: int) -> Moment:
    """Return a moment with times relative to `start`; `_replace` would be slow for thousands of moments."""
    return Moment(at - start, sort, lane, text, None if until is None else until - start, count)


def _application(evidence: WireEvidence) -> Iterator[Moment]:
    for event in evidence.events.apps:
        if event.kind is AppKind.READY:
            continue
        sort, words = APP_SORTS.get(event.kind, (MomentKind.STATE, event.kind.value))
        lane = "bystander" if event.partition == evidence.subject.bystander else "affected"
        if event.error is not None:
            words = f"{words}: {event.error.label()}"
        elif event.text and event.kind in {AppKind.NOTICE, AppKind.FATAL, AppKind.UNSUPPORTED}:
            words = f"{words}: {event.text[:160]}"
        if event.left_out:
            words = f"{words} (and {event.left_out} equal ones before it)"
        yield Moment(event.at, sort, lane, words)


def _gaps(evidence: WireEvidence, application: list[Moment]) -> Iterator[Moment]:
    """Yield the gaps of a second or more without a success, until the client is asked to close."""
    end = evidence.timeline.stopping or 0
    for lane in ("affected", "bystander"):
        done = [one.at for one in application if one.lane == lane and one.sort is MomentKind.DONE]
        for before, after in pairwise([*done, max(end, *done)] if done else ()):
            if after - before >= GAP_US:
                yield Moment(before, MomentKind.GAP, lane, f"no success for {(after - before) / 1e6:.1f} s", after)


def _once(events: Iterable[EngineEvent]) -> Iterator[EngineEvent]:
    """Leave out repetitions: withheld records are reported every half second."""
    reached = 0
    for event in events:
        if event.kind is EngineKind.WITHHELD:
            begun, since, reached = event.at - event.value * 1000, reached, event.at
            if begun - since < GAP_US:
                continue
        yield event


def _stages(evidence: WireEvidence) -> Iterator[Moment]:
    for event in _once(evidence.events.engine):
        if event.kind in STAGES:
            words = STAGES[event.kind].format(broker=event.broker)
            nothing = evidence.play.kind is Symptom.NONE and event.kind is EngineKind.FAULT_ON
            yield Moment(event.at, MomentKind.STAGE, "stage", "observation begins" if nothing else words)
    for mark in evidence.events.marks:
        if mark.kind in MILESTONES:
            yield Moment(mark.at, MomentKind.STAGE, "stage", MILESTONES[mark.kind].format(text=mark.text))
