"""The time for which work stood still, and its end, of clients observed to the end (docs/verdicts.md#to-the-end)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType

from probe.model import Ender, OwnLimit, Reaction, Reroute, Response, Symptom, Trigger
from probe.protocol.apis import METADATA
from probe.verdict.apis import BENIGN
from probe.verdict.discovery import Discovery
from probe.verdict.patience import helps, longest_limit, own_limits
from probe.verdict.progress import Progress
from probe.verdict.route import Route
from probe.verdict.service import longest_gap_ms, served_at
from probe.verdict.wire_evidence import WireEvidence, within

AT = attrgetter("at")
MOVES = frozenset({Reaction.DISCOVER, Reaction.RETRY})
ENDERS: Mapping[Trigger, Ender] = MappingProxyType(
    {
        Trigger.NONE: Ender.RETRY,
        Trigger.ERROR: Ender.ERROR,
        Trigger.DISCONNECT: Ender.DISCONNECT,
        Trigger.CONNECT: Ender.CONNECT,
        Trigger.PERIODIC: Ender.PERIODIC,
        Trigger.BOOTSTRAP: Ender.BOOTSTRAP,
        Trigger.STARTUP: Ender.STARTUP,
    }
)
"""The end of a standstill, by the trigger of the discovery that led out of it."""
TIMED = (OwnLimit.REQUEST, OwnLimit.CONNECTION)
"""Limits that show as a connection which the client gives up."""
NEAR = 0.25
"""A time-out ended a standstill that differs from it by at most this share."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Standstill:
    """The facts about a standstill, with their meaning in `Facts`."""

    still_ms: float | None = None
    ended_by: Ender = Ender.NONE
    own_limit: OwnLimit = OwnLimit.NONE
    own_limit_ms: float | None = None
    age_ms: float | None = None


def find_standstill(progress: Progress, route: Route, discoveries: tuple[Discovery, ...]) -> Standstill:
    """Return what stood still and what ended it; empty where the client is not observed to the end."""
    evidence = progress.reading
    if not evidence.header.limits.to_the_end:
        return Standstill()
    age_ms = _age_ms(evidence)
    if progress.first_hit is None or evidence.play.expects not in MOVES or evidence.play.closes:
        return Standstill(age_ms=age_ms)
    if progress.recovery.at is None:
        limit, longest_ms = longest_limit(evidence.header) if helps(evidence.header) else (OwnLimit.NONE, 0)
        still_ms = (evidence.timeline.until - progress.first_hit) / 1000
        return _standstill(still_ms, Ender.NOTHING, limit, longest_ms, age_ms)
    if evidence.play.expects is Reaction.RETRY:
        ended_by = Ender.HEALED if evidence.timeline.healed is not None else Ender.RETRY
        return Standstill(still_ms=_gap_ms(evidence), ended_by=ended_by, age_ms=age_ms)
    if route.at is None:
        return Standstill(age_ms=age_ms)
    still_ms = max(0, route.at - progress.first_hit) / 1000
    ended_by = _ended_by(evidence, route, discoveries, progress.first_hit)
    limit, length_ms = _limit(evidence, ended_by, still_ms)
    return _standstill(still_ms, ended_by, limit, length_ms, age_ms)


def _leading(route: Route, discoveries: tuple[Discovery, ...], hit: int) -> Discovery | None:
    """Return the discovery that led out of a standstill; None without one.

    One from before the first hit does not if another followed: where a broker returns with another address, it named
    the old one.
    """
    if route.asked is None or route.at is None:
        return None
    since, until = route.asked, route.at
    known = [item for item in discoveries if item.at >= since and item.reported_before(until)]
    return next((item for item in known if item.at >= hit), known[0])


def _ended_by(evidence: WireEvidence, route: Route, discoveries: tuple[Discovery, ...], hit: int) -> Ender:
    """Return what led the client out of its standstill.

    A discovery whose cause is not the affected object follows from what else went wrong since the last useful answer: a
    member whose coordinator answers with an error joins its group again, and asks for its topics meanwhile.
    """
    if route.reroute is Reroute.HINT:
        return Ender.HINT
    led = _leading(route, discoveries, hit)
    if led is None or led.trigger is not Trigger.UNKNOWN:
        return ENDERS[Trigger.NONE if led is None else led.trigger]
    since = max((item.answered or 0 for item in discoveries if item.reported_before(led.at)), default=0)
    refused = (item.at for item in evidence.events.responses if _refuses(item))
    lost = (item.at for item in evidence.events.closed if item.by != "client")
    error, loss = (max(within(times, max(hit, since), led.at), default=0) for times in (refused, lost))
    if not max(error, loss):
        return Ender.UNKNOWN
    return Ender.ERROR if error > loss else Ender.DISCONNECT


def _refuses(answer: Response) -> bool:
    return not {answer.code, *(row.code for row in answer.rows)} <= {0, *BENIGN}


def _standstill(
    still_ms: float, ended_by: Ender, limit: OwnLimit, length_ms: float, age_ms: float | None
) -> Standstill:
    own_limit_ms = float(length_ms) if limit else None
    return Standstill(still_ms=still_ms, ended_by=ended_by, own_limit=limit, own_limit_ms=own_limit_ms, age_ms=age_ms)


def _limit(evidence: WireEvidence, ended_by: Ender, still_ms: float) -> tuple[OwnLimit, float]:
    """Return the library's own limit that ended a standstill; none where its reaction did."""
    limits = dict(own_limits(evidence.header.settings))
    if ended_by is Ender.PERIODIC:
        every_ms = limits.get(OwnLimit.REFRESH, 0)
        return (OwnLimit.REFRESH, every_ms) if every_ms else (OwnLimit.NONE, 0)
    if evidence.play.kind is not Symptom.SILENCE or ended_by in {Ender.HINT, Ender.ERROR, Ender.BOOTSTRAP}:
        return OwnLimit.NONE, 0  # elsewhere an election that took as long may be the cause
    near = [(abs(still_ms - limits[one]), one) for one in TIMED if one in limits]
    apart_ms, limit = min(near, default=(0.0, OwnLimit.NONE))
    return (limit, limits[limit]) if limit and apart_ms <= NEAR * limits[limit] else (OwnLimit.NONE, 0)


def _gap_ms(evidence: WireEvidence) -> float | None:
    return longest_gap_ms(evidence, served_at(evidence, evidence.subject.affected), evidence.timeline.begin)


def _age_ms(evidence: WireEvidence) -> float | None:
    """Return the age of the last Metadata answer about the topic when the fault came. None without one."""
    topic, answers, fault = evidence.subject.topic, evidence.events.responses, evidence.timeline.fault
    if fault is None:
        return None
    before = reversed(answers[: bisect_left(answers, fault, key=AT)])
    mine = (one.at for one in before if one.api == METADATA and any(row.topic == topic for row in one.rows))
    last = next(mine, None)
    return None if last is None else (fault - last) / 1000
