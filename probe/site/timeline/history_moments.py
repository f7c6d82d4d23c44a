"""A history as moments: wire, application, and what was done to the brokers (pure)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from probe.model import AppKind, EngineEvent, EngineKind, History, Kind, MarkKind
from probe.site.timeline.moments import Moment, Sort
from probe.site.timeline.wire import wire
from probe.verdict.wire_evidence import Reading

GAP_US = 1_000_000

APP_SORTS = {
    AppKind.SENT: (Sort.BEGUN, "operation started"),
    AppKind.TXN_BEGUN: (Sort.BEGUN, "transaction begun"),
    AppKind.ACKED: (Sort.DONE, "acknowledged"),
    AppKind.RECEIVED: (Sort.DONE, "received"),
    AppKind.COMMITTED: (Sort.DONE, "offset committed"),
    AppKind.TXN_COMMITTED: (Sort.DONE, "transaction committed"),
    AppKind.LISTED: (Sort.DONE, "answer received"),
    AppKind.SEND_ERROR: (Sort.FAILED, "send failed"),
    AppKind.RECEIVE_ERROR: (Sort.FAILED, "receive failed"),
    AppKind.COMMIT_ERROR: (Sort.FAILED, "commit failed"),
    AppKind.TXN_ERROR: (Sort.FAILED, "transaction failed"),
    AppKind.TXN_ABORTED: (Sort.FAILED, "transaction aborted"),
    AppKind.LIST_ERROR: (Sort.FAILED, "question failed"),
    AppKind.FATAL: (Sort.FAILED, "fatal"),
}
"""Every other kind is a state."""
STAGES = {
    EngineKind.FAULT_ON: "fault on",
    EngineKind.MOVED: "moved to broker {broker}",
    EngineKind.ANNOUNCED: "all name broker {broker}",
    EngineKind.WITHHELD: "broker {broker} gives readers nothing",
    EngineKind.HEALED: "healed",
    EngineKind.STOPPED: "broker {broker} stopped",
    EngineKind.RETURNED: "broker {broker} returned",
}
MILESTONES = {
    MarkKind.WARM: "warm",
    MarkKind.PACED: "works each {text} ms",
    MarkKind.STOPPING: "told to close",
    MarkKind.STOPPED: "closed",
}


def moments(history: History) -> list[Moment]:
    """Return everything worth drawing, in order of time relative to the fault (the end of warm-up without one)."""
    reading = Reading(history)
    start = reading.moments.begin
    application = list(_application(reading))
    found = [*wire(reading), *application, *_gaps(reading, application), *_stages(reading)]
    return sorted((_since(start, one) for one in found), key=lambda one: (one.at, one.lane))


def _since(start: int, one: Moment) -> Moment:
    """Move a moment's times; written out, since there are thousands in a trial and `replace` is slow."""
    until = None if one.until is None else one.until - start
    return Moment(one.at - start, one.sort, one.lane, one.text, until, one.count)


def _application(reading: Reading) -> Iterator[Moment]:
    for event in reading.strands.apps:
        if event.kind is AppKind.READY:
            continue
        sort, words = APP_SORTS.get(event.kind, (Sort.STATE, event.kind.value))
        lane = "bystander" if event.partition == reading.subject.bystander else "affected"
        if event.error is not None:
            words = f"{words}: {event.error.label()}"
        elif event.text and event.kind in {AppKind.NOTICE, AppKind.FATAL, AppKind.UNSUPPORTED}:
            words = f"{words}: {event.text[:160]}"
        yield Moment(event.at, sort, lane, words)


def _gaps(reading: Reading, application: list[Moment]) -> Iterator[Moment]:
    """Find the spans of a second or more without a success, up to the moment the client is told to close."""
    end = reading.moments.stopping or 0
    for lane in ("affected", "bystander"):
        done = [one.at for one in application if one.lane == lane and one.sort is Sort.DONE]
        for before, after in pairwise([*done, max(end, *done)] if done else ()):
            if after - before >= GAP_US:
                yield Moment(before, Sort.GAP, lane, f"no success for {(after - before) / 1e6:.1f} s", after)


def _once(events: Iterable[EngineEvent]) -> Iterator[EngineEvent]:
    """Leave out what goes on: that records are withheld is told each half second."""
    reached = 0
    for event in events:
        if event.kind is EngineKind.WITHHELD:
            begun, since, reached = event.at - event.value * 1000, reached, event.at
            if begun - since < GAP_US:
                continue
        yield event


def _stages(reading: Reading) -> Iterator[Moment]:
    for event in _once(reading.strands.engine):
        if event.kind in STAGES:
            words = STAGES[event.kind].format(broker=event.broker)
            nothing = reading.play.kind is Kind.NONE and event.kind is EngineKind.FAULT_ON
            yield Moment(event.at, Sort.STAGE, "stage", "watch begins" if nothing else words)
    for mark in reading.strands.marks:
        if mark.kind in MILESTONES:
            yield Moment(mark.at, Sort.STAGE, "stage", MILESTONES[mark.kind].format(text=mark.text))
