"""The beginning of a reader without a group (docs/verdicts.md#promise). Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping

from probe.model import App, AppKind
from probe.model.cluster_history import OLD
from probe.model.roles import ROLES
from probe.verdict.wire_evidence import WireEvidence


def skipped_at_start(evidence: WireEvidence, offsets: Mapping[int, list[int]]) -> int:
    """Return how many records lie before the first one that a reader was given, the most of one partition.

    A consumer is assigned its partitions from the beginning (proto/driver.proto). It is judged if it did begin one of
    them at its log's start, and where its first record of another was written after the cluster's history: then it
    passed over all of that. `offsets` are those stored, sorted, by partition. Firsts that are not stored are of a log
    that is gone.
    """
    role = ROLES[evidence.role]
    if not role.reads or role.member:
        return 0
    history, first = evidence.subject.history, _first_records(evidence)
    begun = (item.sequence == OLD and item.offset == history.starts.get(place) for place, item in first.items())
    if not any(begun):
        return 0
    stored = {(item.partition, item.offset, item.sequence) for item in evidence.header.stored}
    found = [0]
    for place, item in first.items():
        if (place, item.offset, item.sequence) in stored and place in history.starts:
            since, until = history.starts[place], history.ends.get(place, history.starts[place])
            found.append(until - since + bisect_left(offsets.get(place, []), item.offset))
    return max(found)


def _first_records(evidence: WireEvidence) -> dict[int, App]:
    first: dict[int, App] = {}
    for item in evidence.events.apps:
        if item.kind is AppKind.RECEIVED and item.offset >= 0:
            first.setdefault(item.partition, item)
    return first
