"""Promises of a client whose application was absent, or of a group of two (docs/verdicts.md#absence). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from probe.model import App, AppKind, Symptom
from probe.model.cluster_history import OLD
from probe.model.counts import counted
from probe.model.roles import ROLES
from probe.protocol.apis import HEARTBEATS_BY_BROKER, OFFSET_COMMIT, SYNC_GROUP
from probe.protocol.names import error_code
from probe.verdict.service import ERRORS
from probe.verdict.wire_evidence import Exchange, WireEvidence

FENCED = frozenset(
    map(
        error_code,
        (
            "INVALID_PRODUCER_EPOCH",
            "INVALID_PRODUCER_ID_MAPPING",
            "INVALID_TXN_STATE",
            "PRODUCER_FENCED",
            "TRANSACTION_ABORTABLE",
        ),
    )
)
"""Answers that say that a producer's transaction was ended for it."""
ASSIGNING = HEARTBEATS_BY_BROKER | {SYNC_GROUP}
"""APIs by whose answers a coordinator gives partitions to a member: SyncGroup, and heartbeats since KIP-848."""
WORDS = ERRORS | {AppKind.TXN_ABORTED, AppKind.FATAL}
"""Events by which an application learns that something was lost."""


@dataclass(frozen=True, slots=True)
class _Commit:
    at: int
    """Time of the request."""
    done_at: int
    partition: int
    offset: int


def unkept(evidence: WireEvidence) -> tuple[str, ...]:
    """Return what a client owes that was absent, or lost partitions to a second member, and did not do; else empty."""
    if evidence.play.kind not in {Symptom.ABSENCE, Symptom.MEMBERSHIP}:
        return ()
    if ROLES[evidence.role].transactional:
        return _fenced_silently(evidence)
    taken = taken_over(evidence)
    return (*_commits_of_lost(evidence, taken), *_lost_silently(evidence, taken))


def taken_over(evidence: WireEvidence) -> dict[int, int]:
    """Return when the second member was first given a record of each partition that it took over, after the fault."""
    taken: dict[int, int] = {}
    for item in evidence.successor_apps:
        if item.kind is AppKind.RECEIVED and item.sequence != OLD and item.at >= evidence.timeline.begin:
            taken.setdefault(item.partition, item.at)
    if evidence.play.kind is Symptom.MEMBERSHIP:  # the second member had some before, which it did not take over
        mine = _owned_at(evidence, evidence.timeline.begin)
        taken = {partition: at for partition, at in taken.items() if partition in mine}
    return taken


def _owned_at(evidence: WireEvidence, at: int) -> set[int]:
    """Return the partitions that the client had at a time."""
    owned: set[int] = set()
    for item in evidence.events.apps:
        if item.at > at:
            break
        if item.kind is AppKind.ASSIGNED:
            owned |= set(item.partitions)
        elif item.kind is AppKind.REVOKED:
            owned -= set(item.partitions)
    return owned


def delivered(evidence: WireEvidence) -> list[App]:
    """Return the client's events, with those of the second member of its group, by time."""
    apps = evidence.events.apps
    if not evidence.successor_apps:
        return apps
    return sorted([*apps, *evidence.successor_apps], key=lambda item: item.at)


def _commits_of_lost(evidence: WireEvidence, taken: Mapping[int, int]) -> tuple[str, ...]:
    """Return accepted commits of partitions that the second member had, or of offsets before its own commits."""
    theirs = list(_accepted(evidence, evidence.successor_exchanges))
    count = 0
    for commit in _accepted(evidence, evidence.exchanges):
        since = taken.get(commit.partition)
        if since is None or commit.at <= since:
            continue
        same = (one for one in theirs if one.partition == commit.partition and one.done_at <= commit.at)
        behind = any(one.offset > commit.offset for one in same)
        count += behind or not _regained(evidence, commit, since)
    return (f"{counted(count, 'commit')} of partitions that another member had",) if count else ()


def _accepted(evidence: WireEvidence, exchanges: Iterable[Exchange]) -> Iterator[_Commit]:
    for item in exchanges:
        answer = item.answer
        if item.request.api != OFFSET_COMMIT or answer is None or answer.code or answer.error:
            continue
        topic = evidence.subject.topic
        refused = {row.partition for row in answer.rows if row.code}
        for row in item.request.rows:
            if row.topic == topic and row.partition not in refused and row.offset is not None:
                yield _Commit(item.request.at, answer.at, row.partition, row.offset)


def _regained(evidence: WireEvidence, commit: _Commit, since: int) -> bool:
    """Return whether the client was given a partition again before it sent a commit.

    Its driver names the partitions. That there was an assignment at all is proved by its coordinator's answer.
    """
    claimed = [
        item.at
        for item in evidence.events.apps
        if item.kind is AppKind.ASSIGNED
        and commit.partition in item.partitions
        and since < item.at <= commit.at + evidence.clock_us
    ]
    until = max(claimed, default=since) + evidence.clock_us
    return bool(claimed) and any(
        answer.api in ASSIGNING and not answer.code and not answer.error and since < answer.at <= until
        for answer in evidence.events.responses
    )


def _lost_silently(evidence: WireEvidence, taken: Mapping[int, int]) -> tuple[str, ...]:
    """Return what was lost without a word to the application, once the absence is over."""
    if not taken or evidence.timeline.healed is None or _said(evidence):
        return ()
    revoked = {
        partition
        for item in evidence.events.apps
        if item.kind is AppKind.REVOKED and item.at >= evidence.timeline.begin
        for partition in item.partitions
    }
    lost = len(taken.keys() - revoked)
    return (f"{counted(lost, 'partition')} lost without a word",) if lost else ()


def _fenced_silently(evidence: WireEvidence) -> tuple[str, ...]:
    fenced = any(
        answer.at >= evidence.timeline.begin and (FENCED & {answer.code, *(row.code for row in answer.rows)})
        for answer in evidence.events.responses
    )
    return ("a transaction ended by the brokers, without a word",) if fenced and not _said(evidence) else ()


def _said(evidence: WireEvidence) -> bool:
    """Return whether an error reached the application since the fault."""
    return any(item.kind in WORDS and item.at >= evidence.timeline.begin for item in evidence.events.apps)
