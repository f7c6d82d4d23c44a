"""How a client came to the new target, and what it sent elsewhere meanwhile (SEMANTICS 2, moved)."""

from __future__ import annotations

from dataclasses import dataclass

from probe.model import EngineKind, Reaction, Reroute, Rescuer, Symptom, Trigger
from probe.verdict import apis
from probe.verdict.discovery import Discovery
from probe.verdict.recovery import Recovery, first_success
from probe.verdict.service import started_at
from probe.verdict.wire_evidence import WireEvidence, spread

BY_TRIGGER: dict[Trigger, Reroute] = {
    Trigger.CONNECT: Reroute.CONNECT,
    Trigger.PERIODIC: Reroute.PERIODIC,
    Trigger.BOOTSTRAP: Reroute.BOOTSTRAP,
}
"""Every other discovery that told the client is a refresh."""

RESCUERS: dict[Trigger, Rescuer] = {
    Trigger.CONNECT: Rescuer.CONNECT,
    Trigger.PERIODIC: Rescuer.PERIODIC,
    Trigger.BOOTSTRAP: Rescuer.BOOTSTRAP,
    Trigger.DISCONNECT: Rescuer.CONNECT,
    Trigger.NONE: Rescuer.RETRY,
}
"""What rescued a client that did not come because of the fault; `unknown` for every other trigger."""
HINTING = frozenset({apis.PRODUCE, apis.FETCH})
MIN_FUTILE_US = 1_000_000
"""Rates are never taken over less than a second."""
EXCUSE_US = 1_000_000
"""So long after the announcement a client may not have been told yet."""


@dataclass(frozen=True, slots=True)
class Route:
    """What led the client to the target."""

    reroute: Reroute = Reroute.NONE
    at: int | None = None
    """When the first successful request left for the target."""
    trigger: Trigger = Trigger.NONE
    """Of the discovery that told it; `none` where none did."""
    by_cause: bool = False
    """A hint, or a discovery because of the fault."""

    @property
    def rescuer(self) -> Rescuer:
        """Return what rescued a late client."""
        return Rescuer.ITSELF if self.by_cause else RESCUERS.get(self.trigger, Rescuer.UNKNOWN)


def find_route(evidence: WireEvidence, discoveries: tuple[Discovery, ...]) -> Route:
    """Explain the first success at the target.

    Among several useful answers that came before it, one that was asked for because of the fault counts first: who
    asks because of the fault, is told and goes there, did what is asked.
    """
    if evidence.play.expects is not Reaction.DISCOVER:
        return Route(by_cause=True)  # nobody has to move
    first = first_success(evidence, apis.work(evidence.play.target))
    if first is None:
        return Route()
    left = first.request.at
    since = evidence.timeline.earliest if evidence.timeline.term == evidence.timeline.begin else evidence.timeline.term
    told = [item for item in discoveries if item.reported_before(left) and (item.answered or 0) >= since]
    if not told:
        hinted = _hinted(evidence, left)
        return Route(Reroute.HINT if hinted else Reroute.NONE, left, by_cause=hinted)
    because = [item for item in told if _because(evidence, item)]
    trigger = (because or told)[0].trigger
    return Route(BY_TRIGGER.get(trigger, Reroute.REFRESH), left, trigger, bool(because))


def _because(evidence: WireEvidence, item: Discovery) -> bool:
    """Say whether a client asked because of the fault.

    Where the fault is an error answer, who does not heed those was saved by the lost connection, even where that is a
    cause for those who meet nothing else: a broker that is restarted at last.
    """
    return item.trigger in evidence.causes and not (item.unheeded and evidence.play.kind is Symptom.ANSWER)


def _hinted(evidence: WireEvidence, left: int) -> bool:
    """Say whether an answer had named the target before a request left for it (KIP-951)."""
    target = evidence.timeline.target
    return any(
        row.leader == target and evidence.affected.named_by(row)
        for item in evidence.exchanges
        if item.answer is not None and item.request.api in HINTING and item.answer.at <= left
        for row in item.answer.rows
        if target >= 0
    )


@dataclass(frozen=True, slots=True)
class FutileRequests:
    """Requests about the affected object at brokers that are not the target, once that was announced."""

    sent: tuple[tuple[int, float, float], ...] = ()
    """(time, requests, bytes)"""
    reported: int = 0
    """From when on the client has no excuse (see `_no_excuse`)."""
    requests_per_s: float | None = None
    per_op: float | None = None
    bytes_per_s: float | None = None


def find_futile(
    evidence: WireEvidence, discoveries: tuple[Discovery, ...], recovery: Recovery, provoked: bool
) -> FutileRequests:
    """Count futile requests; rates are over the time in which the client had not recovered, nor was slowed down."""
    available, target = evidence.timeline.available, evidence.timeline.target
    if evidence.play.expects is not Reaction.DISCOVER or available is None or target < 0 or not provoked:
        return FutileRequests()
    sent = tuple(sorted(_elsewhere(evidence, available)))
    end = _before_slowed(evidence, recovery.start, evidence.timeline.until if recovery.at is None else recovery.at)
    meanwhile = [item for item in sent if item[0] <= end]
    requests = sum(item[1] for item in meanwhile)
    seconds = max(MIN_FUTILE_US, end - recovery.start) / 1_000_000
    started = sum(1 for at in started_at(evidence) if recovery.start <= at <= end)
    return FutileRequests(
        sent,
        reported=_no_excuse(discoveries, evidence.timeline.term, available, evidence.timeline.until),
        requests_per_s=requests / seconds,
        per_op=requests / max(1, started),
        bytes_per_s=sum(item[2] for item in meanwhile) / seconds,
    )


def _before_slowed(evidence: WireEvidence, begin: int, end: int) -> int:
    """Return when a span ends in which the relay let the client ask as fast as it would; `end` if it never did."""
    slowed = (event.at for event in evidence.events.engine if event.kind is EngineKind.SLOWED and event.value)
    first = next(slowed, end)
    return first if begin < first < end else end


def _no_excuse(discoveries: tuple[Discovery, ...], office: int, available: int, until: int) -> int:
    """Return when the client was told the target, or could have been for a second; who waits for an answer cannot.

    What it was told before the target's term of office was about an earlier one.
    """
    excused = available + EXCUSE_US
    for item in (item for item in discoveries if item.answered is None or item.answered >= office):
        answered = until if item.answered is None else item.answered
        if item.useful and item.reported_before(excused):
            return max(available, answered)
        if item.at <= excused < answered:
            excused = answered
    return excused


def _elsewhere(evidence: WireEvidence, since: int) -> list[tuple[int, float, float]]:
    until, target = evidence.timeline.until, evidence.timeline.target
    found: list[tuple[int, float, float]] = [
        (item.request.at, 1.0, float(item.request.size))
        for item in evidence.exchanges
        if since < item.request.at <= until
        and item.request.broker != target
        and evidence.is_work(item.request.api)
        and item.about
        and not (item.answer is not None and item.succeeded)  # a replica in sync serves readers, too
    ]
    for folded in evidence.folded_about():
        if folded.broker != target and evidence.is_work(folded.api):
            each = folded.bytes / max(1, folded.requests + folded.responses)
            shares = spread(folded, folded.requests)
            found += [(at, share, share * each) for at, share in shares if since < at <= until]
    return found
