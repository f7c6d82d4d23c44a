"""The facts that are kept with an outcome (docs/verdicts.md#facts-kept-beside-the-outcome)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from probe.model import AfterHeal, Facts, LearnedBy, PhaseClock, Reaction, Trigger
from probe.verdict.age import is_young
from probe.verdict.broker_delay import broker_delay_ms
from probe.verdict.bystander import BystanderGaps, bystander_gaps
from probe.verdict.calls import Calls
from probe.verdict.discovery import Discovery, find_discoveries, folded_discoveries, side_requests
from probe.verdict.members import find_taken
from probe.verdict.phases import find_ticking
from probe.verdict.progress import Progress, has_recovered
from probe.verdict.records import Records
from probe.verdict.recovery import after_heal
from probe.verdict.refusal_reasons import find_reason
from probe.verdict.route import Route, find_futile, find_route
from probe.verdict.service import longest_gap_ms, reported, served_at
from probe.verdict.standstill import Standstill, find_standstill
from probe.verdict.storms import find_storms
from probe.verdict.triggers import explain
from probe.verdict.usage_counts import close_ms, connects, joins, versions_used
from probe.verdict.wire_evidence import WireEvidence
from probe.verdict.writer_promises import Promises


@dataclass(frozen=True, slots=True)
class Evidence:
    """The facts, and the route that they are based on."""

    facts: Facts
    route: Route


def gather(progress: Progress, promises: Promises, records: Records, calls: Calls) -> Evidence:
    """Compute all facts."""
    evidence, hits, errors, recovery = progress.reading, progress.hits, progress.errors, progress.recovery
    discoveries = explain(evidence, find_discoveries(evidence), hits)
    route = find_route(evidence, discoveries)
    futile = find_futile(evidence, discoveries, recovery, bool(hits))
    storms = find_storms(evidence, discoveries, hits, futile)
    first, asked = _asked(progress, discoveries)
    met = bool(hits)
    beside = BystanderGaps() if evidence.play.closes else bystander_gaps(evidence)
    has_to_move = met and evidence.play.expects is Reaction.DISCOVER
    recovered = has_recovered(progress)
    ticking, share = _phase(evidence)
    facts = Facts(
        fault_codes=tuple(dict.fromkeys(hit.code for hit in hits if hit.code)),
        api_versions=versions_used(evidence),
        fault_hits=round(sum(hit.weight for hit in hits)),
        soft_hits=round(sum(hit.weight for hit in hits if hit.soft)),
        hits_before_ask=None if first is None else round(sum(hit.weight for hit in hits if hit.at <= first.at)),
        refresh_trigger=None if not met else Trigger.NONE if first is None else first.trigger,
        refresh_ms=None if first is None else _since(progress.first_hit, first.at),
        refreshes=asked,
        side_requests=0 if progress.first_hit is None else side_requests(evidence, progress.first_hit),
        storm=storms.letters,
        connects=connects(evidence),
        reroute=route.reroute if has_to_move else None,
        reroute_ms=_since(progress.first_hit, route.at) if has_to_move else None,
        recovered=recovered,
        recovery_ms=None if recovered is None else recovery.ms,
        outage_ms=_outage_ms(evidence),
        after_heal=AfterHeal.NONE if recovered is None else after_heal(evidence, recovered),
        close_ms=close_ms(evidence),
        errors_surfaced=reported(errors.affected),
        failed_ops=errors.failed_operations,
        first_error=_first_error(progress),
        futile_requests_per_s=futile.requests_per_s,
        futile_per_op=futile.per_op,
        futile_bytes_per_s=futile.bytes_per_s,
        bystander_gap_ms=beside.longest,
        bystander_errors=reported(errors.bystander),
        acked=promises.acked,
        lost=promises.lost,
        duplicated=promises.duplicated,
        reordered=promises.reordered,
        position_jump=promises.position_jump,
        watched_ms=evidence.header.watched_ms or progress.watched_ms,
        kept_ms=None if recovered is None or recovery.ms is None else broker_delay_ms(evidence, recovery),
        discoveries_over=storms.discoveries_over,
        announced_hit_ms=_announced_hit_ms(progress),
        joins=joins(evidence, progress.first_hit),
        bystander_own_gap_ms=beside.own,
        unresolved=records.unresolved,
        phantom=records.phantom,
        phase_clock=ticking,
        phase=share,
        blocked_ms=calls.blocked_ms,
        young=is_young(evidence),
    )
    facts = _with_reason(facts, *find_reason(evidence, hits))
    return Evidence(_with_standstill(facts, find_standstill(progress, route, discoveries)), route)


def _with_reason(facts: Facts, learned_by: LearnedBy, after_ms: float | None) -> Facts:
    return replace(facts, reason_by=learned_by, reason_ms=after_ms)


def _with_standstill(facts: Facts, stood: Standstill) -> Facts:
    return replace(
        facts,
        still_ms=stood.still_ms,
        ended_by=stood.ended_by,
        own_limit=stood.own_limit,
        own_limit_ms=stood.own_limit_ms,
        age_ms=stood.age_ms,
    )


def _phase(evidence: WireEvidence) -> tuple[PhaseClock, float | None]:
    """Return what the client did at an interval when the fault came, and the share of it that had passed."""
    fault = evidence.timeline.fault
    found = None if fault is None else find_ticking(evidence.header, evidence.events, fault)
    return (PhaseClock.NONE, None) if found is None or fault is None else (found.clock, round(found.share(fault), 3))


def _outage_ms(evidence: WireEvidence) -> float | None:
    taken = find_taken(evidence)
    if taken is not None:
        return taken.longest_ms
    return longest_gap_ms(evidence, served_at(evidence, evidence.subject.affected), evidence.timeline.begin)


def _asked(progress: Progress, discoveries: tuple[Discovery, ...]) -> tuple[Discovery | None, int]:
    """Return the first discovery after the first hit, and the number of discoveries after it."""
    if progress.first_hit is None:
        return None, 0
    after = [item for item in discoveries if item.at >= progress.first_hit]
    folded = sum(share for at, share in _folded(progress.reading) if at >= progress.first_hit)
    return after[0] if after else None, len(after) + round(folded)


def _folded(evidence: WireEvidence) -> list[tuple[int, float]]:
    return [item for item in folded_discoveries(evidence) if item[0] <= evidence.timeline.until]


def _since(first_hit: int | None, at: int | None) -> float | None:
    """Return the milliseconds since the first hit. 0 for a client that was faster than the fault."""
    return None if first_hit is None or at is None else max(0, at - first_hit) / 1000


def _announced_hit_ms(progress: Progress) -> float | None:
    """Return the time from the announcement to the first or the last hit, whichever is nearer to it.

    Only a hit that could have been on its other side counts. A client that meets the fault again and again is not in
    doubt because one of the hits between these two is near: it meets others on both sides.
    """
    timeline = progress.reading.timeline
    announced = timeline.announced
    if announced is None or not progress.hits or progress.reading.play.expects is not Reaction.DISCOVER:
        return None
    since = (hit.at - announced for hit in (progress.hits[0], progress.hits[-1]))
    return min((at / 1000 for at in since if at < announced - timeline.begin), key=abs, default=None)


def _first_error(progress: Progress) -> str:
    first = next((item for item in progress.errors.affected if item.error is not None), None)
    return first.error.label() if first is not None and first.error is not None else ""
