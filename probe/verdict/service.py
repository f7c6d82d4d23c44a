"""What the application saw: successes, errors, gaps, and how its instance ended (SEMANTICS 2, error)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from probe.model import App, AppKind, Engine, MarkKind, Role
from probe.verdict.wire_evidence import WireEvidence, within

ERRORS = frozenset(
    {AppKind.SEND_ERROR, AppKind.RECEIVE_ERROR, AppKind.COMMIT_ERROR, AppKind.TXN_ERROR, AppKind.LIST_ERROR}
)
OPERATIONS = ERRORS - {AppKind.RECEIVE_ERROR}
"""Errors that end an operation for good; a reader's error ends none."""
SERVED: dict[Role, AppKind] = {
    Role.PRODUCER: AppKind.ACKED,
    Role.CONSUMER: AppKind.RECEIVED,
    Role.GROUP: AppKind.RECEIVED,
    Role.TRANSACTIONAL: AppKind.ACKED,
    Role.ADMIN: AppKind.LISTED,
}
UNNOTED_BEAT_MS = {Engine.EMBEDDED: 100, Engine.KAFKA: 250}
"""The beat of histories that were stored before it was noted (`Header.beat_ms`)."""
FRESH_US = 2_000_000
"""A client serves as long as its last success is not older."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors that reached the application inside the window."""

    affected: tuple[App, ...]
    """Of the affected object, or of none that was named."""
    bystander: tuple[App, ...]

    @property
    def failed_operations(self) -> int:
        """Count operations that failed for good."""
        return len({(item.kind, item.partition, item.sequence, item.sequence < 0 and item.at) for item in self._ended})

    @property
    def _ended(self) -> list[App]:
        return [item for item in self.affected if item.kind in OPERATIONS]


STAMP_US = 1000
"""An answer is stamped in the same turn of the loop as it is passed on, not at the same instant: 0.4 ms was seen."""


def find_errors(evidence: WireEvidence, first_hit: int | None) -> Errors:
    """Return errors for operations open at or started after the first hit (the window's begin where nothing hit)."""
    since = (evidence.timeline.begin if first_hit is None else first_hit) - evidence.clock_us - STAMP_US
    until = evidence.timeline.until
    found = [item for item in evidence.events.apps if item.kind in ERRORS and since <= item.at <= until]
    aside = [item for item in found if _is_bystander(evidence, item)]
    beside = [item for item in evidence.beside if item.kind in ERRORS and since <= item.at <= until]
    affected = (item for item in found if not _is_bystander(evidence, item))
    return Errors(tuple(affected), (*aside, *beside))


def _is_bystander(evidence: WireEvidence, item: App) -> bool:
    """Say whether an event is the bystander partition's; where there is no such bystander it is the client's own."""
    return item.partition == evidence.subject.bystander and evidence.has_bystander_partition


def bystander_served_at(evidence: WireEvidence) -> list[int]:
    """Return when the bystander's operations succeeded: the second instance's, or the other partition's."""
    if evidence.subject.bystander_instance:
        kind = AppKind.TXN_COMMITTED if evidence.role is Role.TRANSACTIONAL else SERVED[evidence.role]
        return [item.at for item in evidence.beside if item.kind is kind]
    return served_at(evidence, evidence.subject.bystander) if evidence.has_bystander_partition else []


def served_at(evidence: WireEvidence, partition: int) -> list[int]:
    """Return when operations on a partition succeeded, over the whole trial; of transactions, when they ended well."""
    kind = SERVED[evidence.role]
    if evidence.role is Role.TRANSACTIONAL and partition == evidence.subject.affected:
        return [item.at for item in evidence.events.apps if item.kind is AppKind.TXN_COMMITTED]
    return [item.at for item in evidence.events.apps if item.kind is kind and item.partition == partition]


def here_since(evidence: WireEvidence) -> int:
    """Return when the window opened, or the client's first sign of life: one that starts under the fault comes late."""
    signs = [events[0].at for events in (evidence.events.opened, evidence.events.apps) if events]
    return max(evidence.timeline.begin, min(signs, default=0))


def bystander_gap_ms(evidence: WireEvidence) -> float | None:
    """Return for how long the bystander stood still; who starts under the fault does so only once it has served."""
    served, begin = bystander_served_at(evidence), evidence.timeline.begin
    late = here_since(evidence) > begin
    return longest_gap_ms(evidence, served, min((at for at in served if at >= begin), default=begin) if late else begin)


def longest_gap_ms(evidence: WireEvidence, served: list[int], begin: int) -> float | None:
    """Return the longest time without a success from `begin` to the window's end; None if there never was one."""
    if not served:
        return None
    until = max(begin, evidence.timeline.until)
    points = [begin, *within(served, begin, until), until]
    return max(later - sooner for sooner, later in pairwise(points)) / 1000


def serves(evidence: WireEvidence, served: list[int]) -> bool:
    """Say whether a client works at the end of the window: three successes inside it, the last one fresh."""
    inside = within(served, evidence.timeline.begin, evidence.timeline.until)
    return len(inside) >= 3 and evidence.timeline.until - inside[-1] <= FRESH_US


def started_at(evidence: WireEvidence) -> list[int]:
    """Return when operations on the affected partition began; for readers, a record is fed each beat."""
    if evidence.role.reads:
        return list(_fed_at(evidence))
    affected = evidence.subject.affected
    return [item.at for item in evidence.events.apps if item.kind is AppKind.SENT and item.partition in (affected, -1)]


def _fed_at(evidence: WireEvidence) -> Iterator[int]:
    """Yield when records were fed inside the window, at the paces that the history noted."""
    header, at = evidence.header, evidence.timeline.begin
    beat_us = (header.beat_ms or UNNOTED_BEAT_MS[header.cell.engine]) * 1000
    for mark in evidence.events.marks:
        pace_ms = int(mark.text) if mark.kind is MarkKind.PACED and mark.text.isdecimal() else 0
        if pace_ms:
            yield from range(at, min(mark.at, evidence.timeline.until), beat_us)
            at, beat_us = max(at, mark.at), pace_ms * 1000
    yield from range(at, evidence.timeline.until, beat_us)


def ended_unasked(evidence: WireEvidence) -> App | None:
    """Return the event with which the instance ended although nobody had told it to."""
    asked = evidence.timeline.stopping
    for item in evidence.events.apps:
        if item.kind is AppKind.FATAL and (asked is None or item.at < asked):
            return item
        if item.kind is AppKind.CLOSED and (asked is None or item.at + evidence.clock_us < asked):
            return item
    return None


def declared_impossible(evidence: WireEvidence) -> str:
    """Return why driver or engine declared the cell impossible; empty if neither did."""
    told = (item.text or "the driver says so" for item in evidence.events.apps if item.kind is AppKind.UNSUPPORTED)
    return evidence.header.impossible or next(told, "")
