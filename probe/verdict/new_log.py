"""Promises about a topic that came back with another log (docs/verdicts.md#promise). Pure."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from probe.model import App, AppKind
from probe.model.counts import counted
from probe.verdict.service import ERRORS
from probe.verdict.wire_evidence import WireEvidence

RESET = "offset_reset"
"""Name of the setting with a reader's reset policy (proto/driver.proto)."""
OF_READERS = frozenset({AppKind.RECEIVED, AppKind.ASSIGNED, AppKind.REVOKED})


@dataclass(frozen=True, slots=True)
class Skipped:
    """Stored records before the first one that a reader was given, which it was not given later either."""

    most: int
    """The most in one partition."""
    silently: int
    """The most in one partition of which the application had met no error by the first record."""


def reader_events(evidence: WireEvidence) -> list[App]:
    """Return a reader's assignments, and its records of the new log; old records may have the same offsets."""
    stored = {(item.partition, item.offset, item.sequence) for item in evidence.header.stored}
    return [
        item
        for item in evidence.events.apps
        if item.kind in OF_READERS
        and (item.kind is not AppKind.RECEIVED or (item.partition, item.offset, item.sequence) in stored)
    ]


def committed(evidence: WireEvidence, read: Sequence[App]) -> dict[int, int]:
    """Return the committed offsets that were read back, without those of the old log; `read` is of the new one.

    A member may commit its old position while the topic is gone or just after it came back: up to the end of what it
    was given of the old log, an offset says nothing about the new one.
    """
    ours = set(map(id, read))
    ends: dict[int, int] = {}
    for item in evidence.events.apps:
        if item.kind is AppKind.RECEIVED and id(item) not in ours:
            ends[item.partition] = max(item.offset + 1, ends.get(item.partition, 0))
    found = evidence.header.committed
    return {partition: offset for partition, offset in found.items() if offset > ends.get(partition, 0)}


def acknowledged(evidence: WireEvidence) -> set[tuple[int, int]]:
    """Return the operations (partition, number) that began once the new topic could serve, and were acknowledged.

    An acknowledgement that the wire alone proves has no such beginning if its record is missing; then its time decides.
    """
    back, apps = evidence.timeline.available, evidence.events.apps
    if back is None:
        return set()
    later = [item for item in apps if item.at - evidence.clock_us > back]
    begun = {(item.partition, item.sequence) for item in later if item.kind is AppKind.SENT}
    unknown = {(item.partition, item.sequence) for item in later if item.sequence < 0}
    done = {(item.partition, item.sequence) for item in apps if item.kind is AppKind.ACKED}
    return done & (begun | unknown)


def skipped(evidence: WireEvidence, read: list[App], offsets: Mapping[int, list[int]]) -> Skipped:
    """Count what a reader skipped at the beginning of the new log; `offsets` are those stored, sorted, by partition."""
    given: dict[int, list[App]] = {}
    for item in read:
        if item.kind is AppKind.RECEIVED:
            given.setdefault(item.partition, []).append(item)
    most = silently = 0
    for partition, records in given.items():
        stored, first = offsets.get(partition, []), records[0]
        before = stored[: bisect_left(stored, first.offset)]
        lacking = len(set(before).difference(item.offset for item in records))
        most = max(most, lacking)
        if not _warned(evidence, first):
            silently = max(silently, lacking)
    return Skipped(most, silently)


def _warned(evidence: WireEvidence, first: App) -> bool:
    """Return whether an error reached the application between the fault and a partition's first record."""
    since = evidence.timeline.earliest
    return any(
        item.kind in ERRORS and since <= item.at <= first.at and item.partition in (first.partition, -1)
        for item in evidence.events.apps
    )


def skipped_text(evidence: WireEvidence, count: int) -> str:
    """Return the broken promise in words, with the reset policy if the client reported it."""
    policy = evidence.header.settings.get(RESET, "")
    given = f" (auto.offset.reset={policy})" if policy else ""
    return f"{counted(count, 'record')} of the new topic before its first position, skipped without a word{given}"
