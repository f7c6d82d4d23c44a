"""Storms: clients that send too many discoveries, connects or futile requests (docs/verdicts.md#storm)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from probe.model import AppKind, EngineEvent, EngineKind, MarkKind, Reaction, StormBound, Symptom, Trigger
from probe.model.roles import ROLES
from probe.verdict import apis
from probe.verdict.broker_delay import JOINS
from probe.verdict.discovery import Discovery, folded_discoveries
from probe.verdict.hits import Hit
from probe.verdict.route import FutileRequests
from probe.verdict.service import started_at
from probe.verdict.wire_evidence import WireEvidence

WINDOW_US = 2_000_000
SHORTEST_PAUSE_MS = 100
"""A client may open connections as often as with this back-off, however short its own is."""
IDLE = 4
"""Number of discoveries without a reason that make a storm."""
REASON_US = 1_000_000
"""A reason to ask is valid for this time, since a client may still process earlier events when an answer comes."""
REFRESH_SHARE = 0.8
"""Libraries shorten the interval of a refresh at random, by at most a fifth (librdkafka)."""
TIMERS = 2
"""A library may have a timer for the client and one for the group (sarama's loopCheckPartitionNumbers)."""
EXPECTED = frozenset({Trigger.PERIODIC, Trigger.STARTUP})
"""A periodic refresh is configured behaviour, never a storm."""
DOWN_OR_UP = frozenset({EngineKind.STOPPED, EngineKind.RETURNED, EngineKind.HEALED})
QUESTIONS = frozenset({AppKind.SENT, AppKind.LISTED, AppKind.LIST_ERROR})

Weighted = tuple[int, float]


@dataclass(frozen=True, slots=True)
class Storms:
    """The bounds that were exceeded."""

    letters: str
    """Those of the exceeded bounds, joined."""
    discoveries_over: float
    """Discoveries above the nearer one of the bounds of discoveries (a, b); negative = below both."""


def find_storms(
    evidence: WireEvidence, discoveries: Sequence[Discovery], hits: Sequence[Hit], futile: FutileRequests
) -> Storms:
    """Return the exceeded bounds."""
    begin, until = evidence.timeline.begin, evidence.timeline.usual
    asked = [item for item in discoveries if begin <= item.at <= until and item.trigger not in EXPECTED]
    back_off = max(1, evidence.header.limits.back_off_ms)
    allowed = _allowed(back_off)
    idle_over = idle_discoveries(evidence, asked, discoveries, hits) - IDLE
    asked_over = _most_above(_asked(evidence, asked), sorted(_questions(evidence)), allowed_discoveries(back_off))
    broken = {
        StormBound.IDLE: idle_over >= 0,
        StormBound.ASKED: asked_over > 0,
        StormBound.CONNECTED: _most_connects(evidence) > allowed_connects(back_off),
        StormBound.FUTILE: _most_above(_unexcused(futile, until), sorted(started_at(evidence)), 2 + allowed) > 0,
    }
    return Storms("".join(bound for bound, found in broken.items() if found), max(idle_over, asked_over))


def allowed_discoveries(back_off_ms: int) -> float:
    """Return how many discoveries may be sent in two seconds by who is asked nothing (bound b)."""
    return 2 + _allowed(back_off_ms)


def allowed_connects(back_off_ms: int) -> float:
    """Return how many connections to one broker may be opened in two seconds (bound c)."""
    return 2 + min(_allowed(back_off_ms), _allowed(SHORTEST_PAUSE_MS))


def _allowed(back_off_ms: int) -> float:
    return 1.5 * WINDOW_US / 1000 / max(1, back_off_ms)


def idle_discoveries(
    evidence: WireEvidence, asked: Iterable[Discovery], discoveries: Iterable[Discovery], hits: Sequence[Hit]
) -> int:
    """Count discoveries without any event since the last useful answer and in the second before."""
    useful = sorted(item.answered for item in discoveries if item.useful and item.answered is not None)
    events = sorted(_happenings(evidence, hits))
    ordered = sorted(discoveries, key=_asked_at)
    count = 0
    for item in asked:
        before = bisect_left(useful, item.at)
        if not before or _has_reason(evidence, ordered, item.at):
            continue
        last = min(useful[before - 1], item.at - REASON_US)
        quiet = bisect_right(events, item.at) == bisect_left(events, last)
        if quiet and not _unanswered(ordered, useful[before - 1], item.at) and not _is_down(evidence, item.at):
            count += 1
    return count


def _has_reason(evidence: WireEvidence, ordered: Sequence[Discovery], at: int) -> bool:
    """Return whether a member of a group of two has a reason to ask that no event shows.

    Metadata is not whole until the revert where a member joins; or a refresh is due. That may wait for a call of the
    application, and is then no tick of a clock.
    """
    if evidence.play.kind is not Symptom.MEMBERSHIP:
        return False
    healed = evidence.timeline.healed
    if evidence.events.marked(MarkKind.JOINS) is not None and (healed is None or at <= healed + REASON_US):
        return True
    every_us = evidence.setting_us("refresh_ms")
    if every_us is None:
        return False
    before = bisect_left(ordered, at, key=_asked_at)
    return before < TIMERS or at - ordered[before - TIMERS].at >= REFRESH_SHARE * every_us


def _is_down(evidence: WireEvidence, at: int) -> bool:
    """Return whether the broker that the client waits for refuses connections, or did so a second ago.

    Refused attempts are not observed. Where leaders move, it is the current leader, which may be stopped in its turn (a
    rolling restart) before another is elected. A broker that is elsewhere behind its name refuses those who have not
    looked the name up again.
    """
    changes = [event for event in evidence.events.engine if event.kind in DOWN_OR_UP]

    def refused(then: int) -> bool:
        waited = _during_term(evidence, then)
        mine = (one.kind for one in reversed(changes) if one.at <= then and one.broker in {waited, -1})
        return next(mine, None) is EngineKind.STOPPED or _is_left_behind(evidence, waited, then)

    return refused(at) or refused(at - REASON_US)


def _is_left_behind(evidence: WireEvidence, broker: int | None, at: int) -> bool:
    """Return whether no connection has been made to a broker since its name leads elsewhere."""
    moved = (event.at for event in reversed(evidence.events.engine) if event.at <= at and _leads_away(event, broker))
    since = next(moved, None)
    return since is not None and not any(
        event.broker == broker and since <= event.at <= at for event in evidence.events.opened
    )


def _leads_away(event: EngineEvent, broker: int | None) -> bool:
    return event.kind is EngineKind.RELOCATED and event.broker == broker


def _during_term(evidence: WireEvidence, at: int) -> int | None:
    """Return the broker that the client waits for. None where no broker has taken over yet."""
    if evidence.play.expects is Reaction.RETRY:
        return evidence.subject.old
    terms, old = evidence.timeline.terms, evidence.subject.old
    before = old if terms and terms[0][1] == old else None  # it returns, and nobody took over meanwhile
    return next((broker for since, broker in reversed(terms) if since <= at), before)


def _asked_at(item: Discovery) -> int:
    return item.at


def _unanswered(ordered: Sequence[Discovery], since: int, at: int) -> bool:
    first, last = bisect_left(ordered, since, key=_asked_at), bisect_left(ordered, at, key=_asked_at)
    return any(other.answered is None or other.answered > at for other in ordered[first:last])


def _happenings(evidence: WireEvidence, hits: Sequence[Hit]) -> Iterable[int]:
    """Yield all possible reasons to ask: hits, any error answer, connections lost or opened, questions."""
    yield from (hit.at for hit in hits)
    yield from _questions(evidence)
    yield from (event.at for event in evidence.events.opened)
    yield from (event.at for event in evidence.events.closed)
    if evidence.play.kind is Symptom.MEMBERSHIP:  # who joins may ask for what it subscribes to
        yield from (item.at for item in evidence.events.requests if item.api in JOINS)
    for answer in evidence.events.responses:
        codes = (answer.code, *(row.code for row in answer.rows))
        if any(code and code not in apis.BENIGN for code in codes):
            yield answer.at


def _questions(evidence: WireEvidence) -> Iterable[int]:
    """Yield when an admin client got a question. It may look up the leader before every answer (Java does)."""
    if ROLES[evidence.role].asks:
        yield from (item.at for item in evidence.events.apps if item.kind in QUESTIONS)


def _asked(evidence: WireEvidence, asked: Iterable[Discovery]) -> list[Weighted]:
    begin, until = evidence.timeline.begin, evidence.timeline.usual
    folded = (item for item in folded_discoveries(evidence) if begin <= item[0] <= until)
    return sorted([*((item.at, 1.0) for item in asked), *folded])


def _most_connects(evidence: WireEvidence) -> float:
    begin, until = evidence.timeline.begin, evidence.timeline.usual
    brokers: dict[int, list[Weighted]] = {}
    for event in evidence.events.opened:
        if begin <= event.at <= until:
            brokers.setdefault(event.broker, []).append((event.at, 1.0))
    return max(map(_most, brokers.values()), default=0)


def _most(points: Sequence[Weighted]) -> float:
    """Return the greatest sum in any two seconds."""
    return max((total for _, total in _sums(points)), default=0)


def _most_above(points: Sequence[Weighted], begun: Sequence[int], allowed: float) -> float:
    """Return by how much points exceeded the started operations and `allowed` in any two seconds; negative = never."""
    above = (total - allowed - _between(begun, at - WINDOW_US, at) for at, total in _sums(points))
    return max(above, default=-allowed)


def _sums(points: Sequence[Weighted]) -> Iterator[Weighted]:
    """Yield the sum of the two seconds that end at each point. `points` are sorted."""
    total, oldest = 0.0, 0
    for at, weight in points:
        total += weight
        while points[oldest][0] < at - WINDOW_US:
            total -= points[oldest][1]
            oldest += 1
        yield at, total


def _unexcused(futile: FutileRequests, until: int) -> list[Weighted]:
    """Return the futile requests from the time on at which the client should know the target.

    Good consumers fetch again at once until they know it.
    """
    return [(at, weight) for at, weight, _ in futile.sent if futile.reported <= at <= until]


def _between(times: Sequence[int], since: int, until: int) -> int:
    return bisect_right(times, until) - bisect_left(times, since)
