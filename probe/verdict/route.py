"""The route of a client to the new target, and its futile requests (docs/verdicts.md#moved-and-reroute)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from probe.model import EngineKind, Reaction, Reroute, Rescuer, Symptom, Trigger
from probe.verdict import apis
from probe.verdict.discovery import Discovery
from probe.verdict.obligations import stays
from probe.verdict.recovery import Recovery, first_success
from probe.verdict.service import paces, started_at
from probe.verdict.wire_evidence import WireEvidence, spread

BY_TRIGGER: dict[Trigger, Reroute] = {
    Trigger.CONNECT: Reroute.CONNECT,
    Trigger.PERIODIC: Reroute.PERIODIC,
    Trigger.BOOTSTRAP: Reroute.BOOTSTRAP,
}
"""Any other discovery that named the target is a refresh."""

RESCUERS: dict[Trigger, Rescuer] = {
    Trigger.CONNECT: Rescuer.CONNECT,
    Trigger.PERIODIC: Rescuer.PERIODIC,
    Trigger.BOOTSTRAP: Rescuer.BOOTSTRAP,
    Trigger.DISCONNECT: Rescuer.CONNECT,
    Trigger.NONE: Rescuer.RETRY,
}
"""The rescue of a client that did not move because of the fault. `unknown` for every other trigger."""
HINTING = frozenset({apis.PRODUCE, apis.FETCH, apis.SHARE_FETCH, apis.SHARE_ACKNOWLEDGE})
MIN_FUTILE_US = 1_000_000
"""Rates are never computed over less than a second."""
EXCUSE_US = 1_000_000
"""Time after the announcement in which a client need not know the target yet."""


@dataclass(frozen=True, slots=True)
class Route:
    """The trigger that led the client to the target."""

    reroute: Reroute = Reroute.NONE
    at: int | None = None
    """Time at which the first successful request was sent to the target."""
    trigger: Trigger = Trigger.NONE
    """Trigger of the discovery that named the target. `none` without one."""
    asked: int | None = None
    """Time at which that discovery was sent."""
    by_cause: bool = False
    """By a hint, or by a discovery because of the fault; where no move is needed: it left the connection where an
    answer asks for it."""

    @property
    def rescuer(self) -> Rescuer:
        """Return what rescued a late client."""
        return Rescuer.ITSELF if self.by_cause else RESCUERS.get(self.trigger, Rescuer.UNKNOWN)


def find_route(evidence: WireEvidence, discoveries: tuple[Discovery, ...]) -> Route:
    """Explain the first success at the target.

    Of several useful answers before it, one to a discovery because of the fault has priority: a client that asks
    because of the fault and moves to the named target meets the expectation.
    """
    if evidence.play.expects is not Reaction.DISCOVER:
        return Route(by_cause=not stays(evidence))  # no move is needed
    first = first_success(evidence, apis.work(evidence.play.target))
    if first is None:
        return Route()
    left = first.request.at
    since = evidence.timeline.earliest if evidence.timeline.term == evidence.timeline.begin else evidence.timeline.term
    informed = [item for item in discoveries if item.reported_before(left) and (item.answered or 0) >= since]
    if not informed:
        hinted = _hinted(evidence, left)
        return Route(Reroute.HINT if hinted else Reroute.NONE, left, by_cause=hinted)
    because = [item for item in informed if _because(evidence, item)]
    led = (because or informed)[0]
    return Route(BY_TRIGGER.get(led.trigger, Reroute.REFRESH), left, led.trigger, led.at, bool(because))


def _because(evidence: WireEvidence, item: Discovery) -> bool:
    """Return whether a discovery was sent because of the fault.

    Where the fault is an error answer, a client that ignored the errors was saved by the lost connection (the broker is
    restarted in the end). For such a client a disconnect is no cause.
    """
    return item.trigger in evidence.causes and not (item.unheeded and evidence.play.kind is Symptom.ANSWER)


def _hinted(evidence: WireEvidence, left: int) -> bool:
    """Return whether an answer named the target before a request was sent to it (KIP-951)."""
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
    """Requests about the affected object at brokers other than the target, after that was announced."""

    sent: tuple[tuple[int, float, float], ...] = ()
    """(time, requests, bytes)"""
    reported: int = 0
    """From this time on the client should know the target (see `_no_excuse`)."""
    requests_per_s: float | None = None
    per_op: float | None = None
    bytes_per_s: float | None = None


def find_futile(
    evidence: WireEvidence, discoveries: tuple[Discovery, ...], recovery: Recovery, provoked: bool
) -> FutileRequests:
    """Count futile requests.

    Rates cover the time before the recovery and before the relay slowed the client down, while the workload runs at
    its full pace (docs/verdicts.md#rates).
    """
    available, target = evidence.timeline.available, evidence.timeline.target
    if evidence.play.expects is not Reaction.DISCOVER or available is None or target < 0 or not provoked:
        return FutileRequests()
    sent = tuple(sorted(_elsewhere(evidence, available)))
    end = _before_slowed(evidence, recovery.start, evidence.timeline.until if recovery.at is None else recovery.at)
    end = min(end, evidence.timeline.usual)
    slower = _slower(evidence, recovery.start, end)
    meanwhile = [item for item in sent if item[0] <= end and not _inside(slower, item[0])]
    requests = sum(item[1] for item in meanwhile)
    taken_us = end - recovery.start - sum(until - since for since, until in slower)
    seconds = max(MIN_FUTILE_US, taken_us) / 1_000_000
    started = sum(1 for at in started_at(evidence) if recovery.start <= at <= end and not _inside(slower, at))
    return FutileRequests(
        sent,
        reported=_no_excuse(discoveries, evidence.timeline.term, available, evidence.timeline.until),
        requests_per_s=requests / seconds,
        per_op=requests / max(1, started),
        bytes_per_s=sum(item[2] for item in meanwhile) / seconds,
    )


def _slower(evidence: WireEvidence, begin: int, end: int) -> list[tuple[int, int]]:
    """Return the spans in which operations were further apart than in the rest, which lasts at least a second."""
    spans = [
        (max(since, begin), min(until, end), interval_us)
        for since, until, interval_us in paces(evidence)
        if since < end and until > begin
    ]
    full_us = min((interval_us for _, _, interval_us in spans), default=0)
    slower = [(since, until) for since, until, interval_us in spans if interval_us > full_us]
    at_full_pace = end - begin - sum(until - since for since, until in slower)
    return slower if at_full_pace >= MIN_FUTILE_US else []


def _inside(spans: Sequence[tuple[int, int]], at: int) -> bool:
    return any(since < at <= until for since, until in spans)


def _before_slowed(evidence: WireEvidence, begin: int, end: int) -> int:
    """Return the time at which the relay began to slow the client down. `end` if it never did."""
    slowed = (event.at for event in evidence.events.engine if event.kind is EngineKind.SLOWED and event.value)
    first = next(slowed, end)
    return first if begin < first < end else end


def _no_excuse(discoveries: tuple[Discovery, ...], office: int, available: int, until: int) -> int:
    """Return when the client got the target, or could have got it for a second.

    A client that waits for an answer could not. Answers before the target's term of office were about an earlier term.
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
