"""The application's view: successes, errors, gaps, and how its instance ended (docs/verdicts.md#error)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from probe.model import App, AppKind, MarkKind, Reaction
from probe.model.cluster_history import OLD
from probe.model.engines import ENGINES
from probe.model.roles import ROLES
from probe.verdict.questions import is_affected, is_aside
from probe.verdict.record_keys import beat
from probe.verdict.wire_evidence import WireEvidence, within

ERRORS = frozenset(
    {AppKind.SEND_ERROR, AppKind.RECEIVE_ERROR, AppKind.COMMIT_ERROR, AppKind.TXN_ERROR, AppKind.LIST_ERROR}
)
OPERATIONS = ERRORS - {AppKind.RECEIVE_ERROR}
"""Errors that end an operation for good. A reader's error ends none."""
SERVING = 3
"""Successes that show that a client serves."""
FRESH_US = 2_000_000
"""A client serves as long as its last success is not older than this."""


@dataclass(frozen=True, slots=True)
class Errors:
    """Errors that reached the application inside the window."""

    affected: tuple[App, ...]
    """Errors of the affected object, or without an object."""
    bystander: tuple[App, ...]

    @property
    def failed_operations(self) -> int:
        """Count operations that failed for good."""
        return len({(item.kind, item.partition, item.sequence, item.sequence < 0 and item.at) for item in self._ended})

    @property
    def _ended(self) -> list[App]:
        return [item for item in self.affected if item.kind in OPERATIONS]


def reported(errors: tuple[App, ...]) -> int:
    """Count errors, with those that were folded."""
    return sum(1 + item.left_out for item in errors)


STAMP_US = 1000
"""The timestamp of an answer may be slightly later than its forwarding, within the same turn of the event loop."""


def find_errors(evidence: WireEvidence, first_hit: int | None) -> Errors:
    """Return the errors since the fault, or since the first hit where that was stamped earlier.

    The scenario's own cuts and moves may reach the application before the first hit. Where an error has to surface, it
    must be the report of a hit, so it counts from the first hit on.
    """
    begin, until = evidence.timeline.begin, evidence.timeline.until
    met = begin if first_hit is None else first_hit
    since = met if evidence.play.expects is Reaction.SURFACE else min(met, begin)
    since -= evidence.clock_us + STAMP_US
    found = [item for item in evidence.judged_apps if item.kind in ERRORS and since <= item.at <= until]
    found = [item for item in found if not is_aside(evidence, item)]
    aside = [item for item in found if _is_bystander(evidence, item)]
    second = [item for item in evidence.bystander_apps if item.kind in ERRORS and since <= item.at <= until]
    affected = (item for item in found if not _is_bystander(evidence, item))
    return Errors(tuple(affected), (*aside, *second))


def _is_bystander(evidence: WireEvidence, item: App) -> bool:
    """Return whether an event is about the bystander partition. Without one, all events are the client's own."""
    if evidence.affected.controller:
        return not is_affected(evidence, item)
    return item.partition == evidence.subject.bystander and evidence.has_bystander_partition


def bystander_served_at(evidence: WireEvidence) -> list[int]:
    """Return when the bystander's operations succeeded: those of the second instance, or of the other partition."""
    if evidence.subject.bystander_instance:
        kind = ROLES[evidence.role].whole
        return [item.at for item in evidence.bystander_apps if item.kind is kind and item.sequence != OLD]
    return served_at(evidence, evidence.subject.bystander) if evidence.has_bystander_partition else []


def served_at(evidence: WireEvidence, partition: int) -> list[int]:
    """Return when operations on a partition succeeded, over the whole trial.

    For transactions, when they were committed. The delivery of a record of the cluster's history is no operation.
    """
    kind = ROLES[evidence.role].success
    if evidence.affected.controller and partition == evidence.subject.affected:
        return [item.at for item in evidence.events.apps if item.kind is kind and is_affected(evidence, item)]
    if ROLES[evidence.role].transactional and partition == evidence.subject.affected:
        return [item.at for item in evidence.events.apps if item.kind is AppKind.TXN_COMMITTED]
    return [
        item.at
        for item in evidence.judged_apps
        if item.kind is kind and item.partition == partition and item.sequence != OLD
    ]


def here_since(evidence: WireEvidence) -> int:
    """Return the start of the window, or the client's first event where it starts under the fault."""
    signs = [events[0].at for events in (evidence.events.opened, evidence.events.apps) if events]
    return max(evidence.timeline.begin, min(signs, default=0))


def longest_gap_ms(evidence: WireEvidence, served: list[int], begin: int) -> float | None:
    """Return the longest time without a success from `begin` to the window's end. None without any success."""
    found = gaps(evidence, served, begin)
    return max(later - sooner for sooner, later in found) / 1000 if found else None


def gaps(evidence: WireEvidence, served: list[int], begin: int) -> list[tuple[int, int]]:
    """Return the times without a success from `begin` to the window's end, as (from, until); empty without any."""
    until = max(begin, evidence.timeline.until)
    return list(pairwise([begin, *within(served, begin, until), until])) if served else []


def serves(evidence: WireEvidence, served: list[int]) -> bool:
    """Return whether a client works at the end of the window: three successes inside it, the last one recent.

    Operations that begin together are one success.
    """
    inside = within(served, evidence.timeline.begin, evidence.timeline.until)
    enough = SERVING * beat(evidence.header, evidence.events.apps)
    return len(inside) >= enough and evidence.timeline.until - inside[-1] <= FRESH_US


def started_at(evidence: WireEvidence) -> list[int]:
    """Return when operations on the affected partition began. For readers, when records were written."""
    if ROLES[evidence.role].reads:
        return list(_fed_at(evidence))
    return [item.at for item in evidence.events.apps if item.kind is AppKind.SENT and is_affected(evidence, item)]


def _fed_at(evidence: WireEvidence) -> Iterator[int]:
    """Yield when records were written inside the window, by the intervals in the history."""
    for since, until, interval_us in paces(evidence):
        yield from range(since, until, interval_us)


def paces(evidence: WireEvidence) -> Iterator[tuple[int, int, int]]:
    """Yield the spans of the window with one interval between operations: (since, until, interval in microseconds)."""
    header, since, end = evidence.header, evidence.timeline.begin, evidence.timeline.until
    interval_us = (header.beat_ms or ENGINES[header.cell.engine].beat_ms) * 1000
    for mark in evidence.events.marks:
        pace_ms = int(mark.text) if mark.kind is MarkKind.PACED and mark.text.isdecimal() else 0
        if pace_ms:
            until = min(mark.at, end)
            if since < until:
                yield since, until, interval_us
            since, interval_us = max(since, mark.at), pace_ms * 1000
    if since < end:
        yield since, end, interval_us


def ended_unasked(evidence: WireEvidence) -> App | None:
    """Return the event with which the instance ended without being asked to."""
    asked, killed = evidence.timeline.stopping, evidence.events.marked(MarkKind.KILLED)
    for item in evidence.judged_apps:
        if killed is not None and item.instance == evidence.subject.successor:
            continue
        if item.kind is AppKind.FATAL and (asked is None or item.at < asked):
            return item
        if item.kind is AppKind.CLOSED and (asked is None or item.at + evidence.clock_us < asked):
            return item
    return None


def declared_impossible(evidence: WireEvidence) -> str:
    """Return why driver or engine declared the cell impossible. Empty if neither did."""
    reasons = (item.text or "the driver says so" for item in evidence.events.apps if item.kind is AppKind.UNSUPPORTED)
    return evidence.header.impossible or next(reasons, "")
