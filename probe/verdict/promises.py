"""Compare a client's promises, given by its effective settings, with the read-back (docs/verdicts.md#promise)."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from probe.model import App, AppKind, MarkKind, Symptom
from probe.model.cluster_history import ABORTED, OLD
from probe.model.counts import counted
from probe.model.roles import ROLES
from probe.verdict import absence, members, new_log
from probe.verdict.beginnings import skipped_at_start
from probe.verdict.other_cluster import served_elsewhere
from probe.verdict.share_promises import shared
from probe.verdict.wire_evidence import WireEvidence
from probe.verdict.writer_promises import Promises, written

READ_COMMITTED = "read_committed"
"""The isolation level of readers that are given committed records only (proto/driver.proto)."""


def find_promises(evidence: WireEvidence) -> Promises:
    """Judge the whole trial, including warm-up and the time after the revert: a promise has no window."""
    if count := len(served_elsewhere(evidence)):
        found = Promises() if ROLES[evidence.role].reads else _of_role(evidence)
        return replace(found, broken=(*found.broken, f"{count} operations in another cluster"))
    found = _of_role(evidence)
    return replace(found, broken=(*found.broken, *absence.unkept(evidence)))


def _of_role(evidence: WireEvidence) -> Promises:
    if ROLES[evidence.role].writes:
        return written(evidence)
    if ROLES[evidence.role].shares:
        return shared(evidence)
    if ROLES[evidence.role].reads:
        return _reader(evidence)
    return Promises()


def _reader(evidence: WireEvidence) -> Promises:
    if not evidence.header.stored:
        return Promises()
    offsets: dict[int, list[int]] = {}
    for record in evidence.header.stored:
        offsets.setdefault(record.partition, []).append(record.offset)
    for found in offsets.values():
        found.sort()
    if evidence.play.new_log:
        return _reader_of_new_log(evidence, offsets)
    jump, again = _jumps(evidence.events.apps, offsets)
    skipped, of_two = members.unkept(evidence, offsets)
    begun = skipped_at_start(evidence, offsets)
    if evidence.play.kind is Symptom.MEMBERSHIP:
        theirs, theirs_again = _jumps(evidence.successor_apps, offsets)
        jump, again = max(jump, theirs), max(again, theirs_again)
    if ROLES[evidence.role].member:
        beyond, before = _lost_position(evidence, offsets)
        jump, again = max(jump, beyond, before), max(again, before)
    kept, every = evidence.header.committed, absence.delivered(evidence)
    ahead = _committed_ahead(kept, every, offsets) if ROLES[evidence.role].member else None
    passed = (f"{counted(begun, 'record')} before its first position, passed over",) if begun else ()
    broken = (*_unkept(jump, again, ahead), *passed, *_aborted(evidence), *of_two)
    return Promises(lost=ahead, duplicated=again, position_jump=max(jump, again, skipped, begun), broken=broken)


def _aborted(evidence: WireEvidence) -> tuple[str, ...]:
    """Return how many records of an aborted transaction a reader of committed records was given."""
    if evidence.header.settings.get("isolation") != READ_COMMITTED:
        return ()
    given = [item for item in evidence.events.apps if item.kind is AppKind.RECEIVED and item.sequence == ABORTED]
    return (f"{counted(len(given), 'record')} of an aborted transaction delivered",) if given else ()


def _reader_of_new_log(evidence: WireEvidence, offsets: Mapping[int, list[int]]) -> Promises:
    """Judge a reader by the records of the topic that came back. The committed offsets of the old one are void."""
    read = new_log.reader_events(evidence)
    jump, again = _jumps(read, offsets)
    kept = new_log.committed(evidence, read)
    ahead = _committed_ahead(kept, read, offsets) if ROLES[evidence.role].member else None
    skipped = new_log.skipped(evidence, read, offsets)
    broken = _unkept(jump, again, ahead)
    if skipped.silently:
        broken = (new_log.skipped_text(evidence, skipped.silently), *broken)
    most = max(jump, again, skipped.most)
    return Promises(lost=ahead, duplicated=again, position_jump=most, broken=broken)


def _unkept(jump: int, again: int, ahead: int | None) -> tuple[str, ...]:
    broken = []
    if jump:
        broken.append(f"a position jump over {jump} records" if jump > again else f"{jump} records delivered again")
    if ahead:
        broken.append(f"{ahead} committed and never delivered")
    return tuple(broken)


def _jumps(apps: Sequence[App], offsets: Mapping[int, list[int]]) -> tuple[int, int]:
    """Return the largest jump of a position within one assignment, over or back to stored records: (any, back)."""
    last: dict[int, int] = {}
    forward = back = 0
    for item in apps:
        if item.kind in {AppKind.ASSIGNED, AppKind.REVOKED}:
            for partition in item.partitions or tuple(last):
                last.pop(partition, None)
        elif item.kind is AppKind.RECEIVED:
            stored = offsets.get(item.partition, [])
            previous = last.get(item.partition)
            if previous is not None and item.offset > previous + 1:
                forward = max(forward, _count(stored, previous + 1, item.offset))
            elif previous is not None and item.offset <= previous:
                back = max(back, _count(stored, item.offset, previous + 1))
            last[item.partition] = item.offset
    return max(forward, back), back


def _lost_position(evidence: WireEvidence, offsets: Mapping[int, list[int]]) -> tuple[int, int]:
    """Return by how many records a member began elsewhere than at its group's committed offset: (beyond it, before it).

    The committed offset is that of the cluster's history, so a record before it was never to be delivered. It is judged
    in every assignment, since commits only advance. Another member of the group may have gone on, so only the first
    record of the first member must not lie beyond it. Old records without an offset, as whole applications report
    them, are counted instead.
    """
    committed, ends = evidence.subject.history.committed, evidence.subject.history.ends
    beyond = before = 0
    begun: set[int] = set()
    unplaced: Counter[int] = Counter()
    if not _is_first_instance(evidence):
        begun.update(committed)
    for item in evidence.events.apps:
        offset = committed.get(item.partition)
        if item.kind is not AppKind.RECEIVED or offset is None:
            continue
        if item.offset < 0:
            unplaced[item.partition] += item.sequence == OLD
            continue
        before = max(before, offset - item.offset)
        if item.partition not in begun:
            begun.add(item.partition)
            end = max(offset, ends.get(item.partition, offset))
            old = max(0, min(end, item.offset) - offset - unplaced[item.partition])
            before = max(before, unplaced[item.partition] - (end - offset))
            beyond = max(beyond, old + _count(offsets.get(item.partition, []), end, item.offset))
    return beyond, before


def _is_first_instance(evidence: WireEvidence) -> bool:
    """Return whether no other instance of the client worked before, as in scenarios that start a second one."""
    warm, apps = evidence.events.marked(MarkKind.WARM), evidence.events.apps
    return warm is None or not apps or apps[0].at <= warm


def _committed_ahead(kept: Mapping[int, int], apps: Sequence[App], offsets: Mapping[int, list[int]]) -> int:
    """Count stored records below a commit, also one that was read back, and after all records delivered until then."""
    delivered: dict[int, int] = {}
    ahead = 0
    for item in apps:
        if item.kind is AppKind.RECEIVED:
            delivered[item.partition] = max(delivered.get(item.partition, -1), item.offset)
        elif item.kind is AppKind.COMMITTED:
            ahead = max(ahead, _beyond(item.partition, item.offset, delivered, offsets))
    for partition, offset in kept.items():
        ahead = max(ahead, _beyond(partition, offset, delivered, offsets))
    return ahead


def _beyond(partition: int, offset: int, delivered: Mapping[int, int], offsets: Mapping[int, list[int]]) -> int:
    last = delivered.get(partition)
    return 0 if last is None else _count(offsets.get(partition, []), last + 1, offset)


def _count(stored: list[int], since: int, until: int) -> int:
    """Count stored offsets in [since, until)."""
    return max(0, bisect_left(stored, until) - bisect_left(stored, since))
