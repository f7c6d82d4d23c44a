"""When a client works again (docs/verdicts.md#recovered)."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from probe.model import AfterHeal, AppKind, Reaction, Role, Target
from probe.model.cluster_history import OLD
from probe.model.roles import ROLES
from probe.verdict import apis
from probe.verdict.hits import Hit
from probe.verdict.obligations import find_debt
from probe.verdict.questions import is_affected
from probe.verdict.record_keys import beat
from probe.verdict.service import SERVING, Errors
from probe.verdict.wire_evidence import Exchange, WireEvidence

QUIET_US = 1_000_000
"""Time without a hit and an error after the last success that recovery needs."""
UNDER_WAY_US = 10_000_000
"""A client that is served again completes its recovery within this time. Operations begin at least every 800 ms, and a
group commits every 5 s. Operations that waited complete first, and do not count."""

OPERATION, COMMIT = "operation", "commit"


@dataclass(frozen=True, slots=True)
class Recovery:
    """Start and end of a recovery."""

    start: int
    """max(first hit, available): the recovery time is counted from here."""
    at: int | None = None
    """The success that completed it. None = not recovered."""
    pending: bool = False
    """The client is served again, but for too short a time yet, or what it owes besides may come yet."""
    owed: str = ""
    """Obligations of a client that is served again (docs/verdicts.md#owed)."""
    proven: bool = False
    """It will go on owing that: it need not be watched for its patience."""

    @property
    def ms(self) -> float | None:
        """Return how long it took, in ms."""
        return None if self.at is None else (self.at - self.start) / 1000


def needs(role: Role) -> dict[str, int]:
    """Return the number of successes that make a recovery; operations that begin together are one.

    Unless the coordinator was hit, a commit, which may come as seldom as every 5 s, must occur but does not date the
    recovery.
    """
    info = ROLES[role]
    return {OPERATION: info.needs, **({COMMIT: info.commits} if info.commits else {})}


def find_recovery(evidence: WireEvidence, hits: tuple[Hit, ...], errors: Errors) -> Recovery:
    """Find the first moment that has enough successes before it and a quiet second after it."""
    timeline = evidence.timeline
    first = hits[0].at if hits else timeline.begin
    if timeline.available is None:
        return Recovery(first)
    start = max(first, timeline.available)
    gate = _gate(evidence, hits)
    if gate is None:
        return Recovery(start)
    lost = (since for since, _ in _without_partition(evidence) if since <= timeline.until)
    bad = sorted([*(hit.at for hit in hits if not hit.soft), *(item.at for item in errors.affected), *lost])
    successes = sorted(_successes(evidence, start, gate))
    found = _with_commits(evidence, _search(evidence, start, bad, successes), successes)
    if found.at is not None and (debt := find_debt(evidence, found.at, _served(evidence))) is not None:
        found = Recovery(start, pending=debt.pending, owed=debt.text, proven=debt.proven)
    return replace(found, pending=True) if found.at is None and _under_way(evidence, max(start, gate), bad) else found


def _served(evidence: WireEvidence) -> list[tuple[int, int]]:
    return [(began, ended) for began, ended, what in successes_of(evidence) if what == OPERATION]


def _under_way(evidence: WireEvidence, since: int, bad: list[int]) -> bool:
    """Return whether a recovering client has been served again for a short time only, in every way that is needed."""
    if evidence.play.expects not in {Reaction.DISCOVER, Reaction.RETRY}:
        return False
    until = evidence.timeline.until
    since = max([since, *(at for at in bad if at <= until)])
    served = [(ended, what) for _, ended, what in successes_of(evidence) if since < ended <= until]
    lacking = _needed(evidence, served).keys() - {what for _, what in served}
    return not lacking and until - min(served)[0] < UNDER_WAY_US


def _needed(evidence: WireEvidence, successes: list[tuple[int, str]]) -> dict[str, int]:
    needed = needs(evidence.role)
    needed[OPERATION] *= beat(evidence.header, evidence.events.apps)
    if evidence.play.target is not Target.COORDINATOR and any(what == COMMIT for _, what in successes):
        needed.pop(COMMIT, None)
    return needed


def _search(evidence: WireEvidence, start: int, bad: list[int], successes: list[tuple[int, str]]) -> Recovery:
    until = evidence.timeline.until
    successes = [item for item in successes if item[0] <= until]
    needed = _needed(evidence, successes)
    seen = Counter[str]()
    for at, what in successes:
        seen[what] += 1
        if any(seen[kind] < count for kind, count in needed.items()):
            continue
        following = bisect_right(bad, at)
        if following < len(bad) and bad[following] <= at + QUIET_US:
            continue
        if at + QUIET_US > until:
            return Recovery(start, pending=True)
        return Recovery(start, at)
    return Recovery(start)


def _with_commits(evidence: WireEvidence, found: Recovery, successes: list[tuple[int, str]]) -> Recovery:
    """Date a member's recovery by its first commit, if one failed before it; one that is not due yet dates nothing."""
    if found.at is None or not ROLES[evidence.role].commits:
        return found
    first = next((at for at, what in successes if what == COMMIT), None)
    failed = (one.at for one in evidence.events.apps if one.kind is AppKind.COMMIT_ERROR and one.at > found.at)
    return replace(found, at=first) if first is not None and any(at < first for at in failed) else found


def _gate(evidence: WireEvidence, hits: tuple[Hit, ...]) -> int | None:
    """Return the earliest time of a success at the target. None if the client never succeeded there.

    It matters only where the target moved and the client had more than soft hits, since a client that is served well
    need not move. A reader need not move either if it gets the records written at the new leader. Since Fetch v11,
    followers in sync serve consumers (KIP-392), and the old leader may be one of them.
    """
    timeline = evidence.timeline
    if evidence.play.expects is not Reaction.DISCOVER or all(hit.soft for hit in hits):
        return timeline.begin
    first = first_success(evidence, apis.main(evidence.play.target, evidence.role))
    if first is not None:
        return first.done_at
    return timeline.begin if ROLES[evidence.role].reads and evidence.play.target is not Target.COORDINATOR else None


def first_success(evidence: WireEvidence, keys: frozenset[int]) -> Exchange | None:
    """Return the first successful request about the affected object at the target, sent during its current term.

    Where no broker is the target, any broker counts.
    """
    begin, until, target = evidence.timeline.term, evidence.timeline.until, evidence.timeline.target
    for item in evidence.exchanges:
        request = item.request
        there = target in (-1, request.broker) and begin <= request.at <= until
        if there and request.api in keys and item.succeeded:
            return item
    return None


def _successes(evidence: WireEvidence, start: int, gate: int) -> Iterator[tuple[int, str]]:
    """Yield (time, what) of operations that started after `start` and succeeded at the target.

    A group's records come from partition leaders. Where its coordinator is the target, only commits must succeed there.
    """
    clock = evidence.clock_us
    ungated = OPERATION if ROLES[evidence.role].member and evidence.play.target is Target.COORDINATOR else ""
    for began, ended, what in successes_of(evidence):
        if began - clock > start and (ended + clock >= gate or what == ungated):
            yield ended, what


Found = Iterator[tuple[int, int, str]]
"""(start, end, what)"""


def _operations(evidence: WireEvidence, begins: AppKind, ends: AppKind) -> Found:
    """Yield operations paired by partition and number. Without a reported start, it started when it ended."""
    begun: dict[tuple[int, int], int] = {}
    for item in evidence.events.apps:
        key = (item.partition, item.sequence)
        if item.kind is begins:
            begun[key] = item.at
        elif item.kind is ends and is_affected(evidence, item):
            yield begun.get(key, item.at), item.at, OPERATION


def _received(evidence: WireEvidence) -> Found:
    """Yield records by the time at which they were appended (on our clock), else by the time of their arrival."""
    for item in evidence.events.apps:
        if item.kind is AppKind.RECEIVED and item.partition == evidence.subject.affected and item.sequence != OLD:
            began = item.origin_at + evidence.clock_us if item.origin_at else item.at
            yield began, item.at, OPERATION


def _grouped(evidence: WireEvidence) -> Found:
    """Yield records, and commits of the assignment under which they were sent."""
    spans = _without_partition(evidence)
    for began, ended, what in (*_received(evidence), *_commits(evidence)):
        since = began if what == COMMIT else ended
        if not any(lost <= ended and since <= regained for lost, regained in spans):
            yield began, ended, what


def _without_partition(evidence: WireEvidence) -> list[tuple[int, int]]:
    """Return the spans in which a group's member had lost the affected partition: (revoked, assigned again)."""
    spans, lost = [], None
    for item in evidence.events.apps:
        if evidence.subject.affected not in item.partitions:
            continue
        if item.kind is AppKind.REVOKED:
            lost = item.at if lost is None else lost
        elif item.kind is AppKind.ASSIGNED and lost is not None:
            spans.append((lost, item.at))
            lost = None
    return spans if lost is None else [*spans, (lost, max(lost, evidence.events.last))]


def _commits(evidence: WireEvidence) -> Found:
    """Yield commits: as reported by the library, or as observed on the wire where it reports none."""
    for item in evidence.events.apps:
        if item.kind is AppKind.COMMITTED:
            yield item.at, item.at, COMMIT
    anywhere = evidence.play.target is not Target.COORDINATOR
    for exchange in evidence.exchanges:
        answer = exchange.answer
        if exchange.request.api == apis.OFFSET_COMMIT and answer is not None:
            there = anywhere or evidence.timeline.target in (-1, answer.broker)
            if there and not answer.code and not any(row.code for row in answer.rows):
                yield exchange.request.at, answer.at, COMMIT


def successes_of(evidence: WireEvidence) -> Found:
    """Yield what succeeded in the client's role, as a whole where it has several parts."""
    info = ROLES[evidence.role]
    if info.member:
        return _grouped(evidence)
    return _received(evidence) if info.reads else _operations(evidence, info.begins, info.whole)


def after_heal(evidence: WireEvidence, recovered: bool) -> AfterHeal:
    """Return whether a client that had not recovered did after the revert (one burst is enough). NONE: not observed."""
    healed = evidence.timeline.healed
    if recovered or healed is None or evidence.timeline.stopping is None:
        return AfterHeal.NONE
    stopping = evidence.timeline.stopping
    done = [ended for began, ended, what in successes_of(evidence) if began - evidence.clock_us > healed]
    if len([at for at in done if at <= stopping]) >= SERVING:
        return AfterHeal.RECOVERED
    return AfterHeal.STUCK if stopping - healed >= 2 * QUIET_US else AfterHeal.NONE
