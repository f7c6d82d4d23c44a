"""Records of which the application learns nothing, and records that nobody sent (docs/verdicts.md#promise). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from probe.model import App, AppKind, Header, Stored
from probe.model.counts import counted
from probe.model.roles import ROLES, WRITERS
from probe.verdict.closing import OUTCOMES, without_outcome
from probe.verdict.record_keys import series_of
from probe.verdict.service import ended_unasked
from probe.verdict.wire_evidence import WireEvidence
from probe.verdict.wire_proof import WIRE
from probe.verdict.writer_promises import TXN_ENDS

DELIVERY = "delivery_timeout_ms"
"""Name of the setting by which a library promises an outcome of every record (proto/driver.proto)."""
REQUEST = ("request_timeout_ms", "socket_timeout_ms")
"""Settings after which a library gives up the request that is under way when the delivery limit passes."""
SLACK, LEAST_SLACK_US = 1.2, 2_000_000
"""A library is given this multiple of its limit, and at least this time more, since it looks for old records seldom."""

Operation = tuple[int, int]
"""(partition, sequence)"""


@dataclass(frozen=True, slots=True)
class Records:
    """Counts. None = does not apply."""

    unresolved: int | None = None
    phantom: int | None = None
    broken: tuple[str, ...] = field(default=())
    """The promises that were given and not kept, with their numbers."""


def find_records(evidence: WireEvidence) -> Records:
    """Count both, over the whole trial: a promise has no window."""
    if evidence.role not in WRITERS:
        return Records()
    late, overtaken, phantom = _past_limit(evidence), _overtaken(evidence), _phantom(evidence)
    words = (
        (len(late or ()), "without an outcome after the delivery limit"),
        (len((overtaken or set()) - (late or set())), "without an outcome, though later ones have one"),
        (phantom or 0, "in the log that nobody sent"),
    )
    unresolved = None if late is None and overtaken is None else len((late or set()) | (overtaken or set()))
    return Records(unresolved, phantom, tuple(f"{counted(count, 'record')} {text}" for count, text in words if count))


def _past_limit(evidence: WireEvidence) -> set[Operation] | None:
    """Return records whose delivery limit passed while the client could still report. None without a limit.

    The limit begins once the library has taken the record: when the next one of the partition was handed over.
    """
    limit_us = evidence.setting_us(DELIVERY)
    if not limit_us or evidence.header.judged_by == WIRE:
        return None
    waiting = without_outcome(evidence.events.apps) - _in_ended_transactions(evidence.events.apps)
    allowed_us = limit_us + max((evidence.setting_us(name) or 0) for name in REQUEST)
    allowed_us = max(int(allowed_us * SLACK), allowed_us + LEAST_SLACK_US) + evidence.clock_us
    end = _last_report(evidence)
    return {item for item, taken in _taken(evidence.events.apps) if item in waiting and taken + allowed_us <= end}


def _overtaken(evidence: WireEvidence) -> set[Operation] | None:
    """Return records without an outcome of a producer that closed well, if later ones in the same order have one.

    It is judged where many records or keys are under way; None elsewhere. Records at the end may be dropped by the
    close itself; closes under a fault are judged by `probe.verdict.closing`.
    """
    header = evidence.header
    many = header.batch > 1 or header.keys > 0
    if not ROLES[evidence.role].chooses_acks or not many or evidence.play.closes or not _closed_well(evidence):
        return None
    last: dict[int, int] = {}
    for item in evidence.events.apps:
        if item.kind in OUTCOMES and item.sequence >= 0:
            series = series_of(header, item.partition, item.sequence)
            last[series] = max(item.sequence, last.get(series, -1))
    waiting = without_outcome(evidence.events.apps)
    return {
        (place, number) for place, number in waiting if 0 <= number < last.get(series_of(header, place, number), -1)
    }


def _closed_well(evidence: WireEvidence) -> bool:
    ending = next((item for item in evidence.events.apps if item.kind is AppKind.CLOSED), None)
    return ending is not None and not ending.text


def _taken(apps: Iterable[App]) -> Iterator[tuple[Operation, int]]:
    """Yield each record but the last of a partition, with the time at which the next one was handed over."""
    last: dict[int, Operation] = {}
    for item in apps:
        if item.kind is AppKind.SENT:
            if item.partition in last:
                yield last[item.partition], item.at
            last[item.partition] = (item.partition, item.sequence)


def _last_report(evidence: WireEvidence) -> int:
    """Return until when the client was asked to work, and could report."""
    ends = (evidence.timeline.stopping, *(item.at for item in (ended_unasked(evidence),) if item is not None))
    return min((at for at in ends if at is not None), default=evidence.timeline.until)


def _in_ended_transactions(apps: Iterable[App]) -> set[Operation]:
    ended: set[Operation] = set()
    open_: set[Operation] = set()
    for item in apps:
        if item.kind is AppKind.SENT:
            open_.add((item.partition, item.sequence))
        elif item.kind in TXN_ENDS:
            ended |= open_
            open_ = set()
    return ended


def _phantom(evidence: WireEvidence) -> int | None:
    """Count stored records of the client that it was never given, and those of no form of ours.

    Other writers of the topic are the feeder and other instances of the trial. The cluster's history is left out of
    the read-back. A process that ends unasked may not have reported the last records that it was given.
    """
    subject, header = evidence.subject, evidence.header
    if not header.stored:
        return None
    given = {
        subject.instance: _given(header, evidence.events.apps),
        subject.bystander_instance: _given(header, evidence.bystander_apps),
    }
    unreported = ended_unasked(evidence) is not None
    return sum(item.sequence < 0 or _nobody_sent(header, item, given, unreported) for item in header.stored)


def _given(header: Header, apps: Iterable[App]) -> dict[int, set[int]]:
    """Return the numbers of the records handed over, by partition, or by key where records have keys."""
    found: dict[int, set[int]] = {}
    for item in apps:
        if item.kind is AppKind.SENT:
            found.setdefault(series_of(header, item.partition, item.sequence), set()).add(item.sequence)
    return found


def _nobody_sent(header: Header, item: Stored, given: Mapping[str, Mapping[int, set[int]]], unreported: bool) -> bool:
    """Return whether a record has a writer of the trial that was not given it; the last ones may be `unreported`."""
    known = given.get(item.instance)
    if not known:  # another writer, or a driver that reported nothing
        return False
    numbers = known.get(series_of(header, item.partition, item.sequence), set())
    return item.sequence not in numbers and not (unreported and item.sequence > max(numbers, default=-1))
