"""The promise of a share group's members (KIP-932, docs/verdicts.md#share-groups). Pure.

A record is delivered at least once until it is accepted, rejected or archived, and not again once it was accepted and
that was confirmed to the application without an error. A refused acceptance promises nothing: the record comes again.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from probe.model import App, AppKind, Row
from probe.model.counts import counted
from probe.verdict import apis
from probe.verdict.absence import delivered
from probe.verdict.wire_evidence import Exchange, WireEvidence
from probe.verdict.writer_promises import Promises

SHARES = frozenset({apis.SHARE_FETCH, apis.SHARE_ACKNOWLEDGE})
"""APIs by which a member is given records, and accepts them."""
Record = tuple[int, int]
"""Partition and offset."""


@dataclass(frozen=True, slots=True)
class Acceptance:
    """A record that a client asked a broker to accept."""

    record: Record
    at: int
    """Time of the request."""
    confirmed: bool
    """The broker answered without an error."""


def shared(evidence: WireEvidence) -> Promises:
    """Judge the records that a group's members were given, over the whole trial: a promise has no window."""
    apps = delivered(evidence)
    again, twice = _after_confirmation(apps)
    acceptances = sorted(_acceptances(evidence), key=lambda one: one.at)
    hidden = _undelivered(evidence, apps, acceptances)
    lost = {one.record for one in hidden if one.confirmed} - _records(apps, AppKind.RECEIVED)
    broken = (
        (again, "delivered again after a confirmed acceptance"),
        (twice, "accepted twice"),
        (len(lost), "accepted and never delivered"),
        (len(hidden) - len(lost), "accepted again without the delivery before it"),
    )
    return Promises(
        lost=len(lost),
        duplicated=again + twice + len(hidden) - len(lost),
        broken=tuple(f"{counted(count, 'record')} {what}" for count, what in broken if count),
    )


def _after_confirmation(apps: Sequence[App]) -> tuple[int, int]:
    """Count what happened to records whose acceptance was confirmed: deliveries, and further confirmations."""
    accepted: set[Record] = set()
    seen = Counter[AppKind]()
    for item in apps:
        if (item.partition, item.offset) in accepted:
            seen[item.kind] += 1
        elif item.kind is AppKind.COMMITTED:
            accepted.add((item.partition, item.offset))
    return seen[AppKind.RECEIVED], seen[AppKind.COMMITTED]


def _undelivered(
    evidence: WireEvidence, apps: Iterable[App], acceptances: Iterable[Acceptance]
) -> tuple[Acceptance, ...]:
    """Return the first acceptance after each time that a broker gave a record which the application was not given.

    Frames that were folded show no records, so that what they gave and accepted is not judged.
    """
    given = _times(_given(evidence))
    received = _times(((item.partition, item.offset), item.at) for item in apps if item.kind is AppKind.RECEIVED)
    found: dict[tuple[Record, int], Acceptance] = {}
    for one in acceptances:
        times = given.get(one.record, [])
        place = bisect_left(times, one.at)
        since = times[place - 1] - evidence.clock_us if place else None
        if since is not None and not any(since <= at <= one.at + evidence.clock_us for at in received[one.record]):
            found.setdefault((one.record, since), one)
    return tuple(found.values())


def _times(found: Iterable[tuple[Record, int]]) -> Mapping[Record, list[int]]:
    times: defaultdict[Record, list[int]] = defaultdict(list)
    for record, at in sorted(found, key=lambda one: one[1]):
        times[record].append(at)
    return times


def _records(apps: Iterable[App], kind: AppKind) -> set[Record]:
    return {(item.partition, item.offset) for item in apps if item.kind is kind}


def _given(evidence: WireEvidence) -> Iterator[tuple[Record, int]]:
    """Yield the records that brokers gave to the group's members, and when."""
    for item in _exchanges(evidence):
        if item.answer is not None:
            for record in _of_rows(evidence, item.answer.rows):
                yield record, item.answer.at


def _acceptances(evidence: WireEvidence) -> Iterator[Acceptance]:
    for item in _exchanges(evidence):
        answer = item.answer
        answered = answer is not None and not answer.code and not answer.error
        refused = set() if answer is None else {row.partition for row in answer.rows if row.code}
        for record in _of_rows(evidence, item.request.rows):
            yield Acceptance(record, item.request.at, answered and record[0] not in refused)


def _exchanges(evidence: WireEvidence) -> Iterator[Exchange]:
    every = (*evidence.exchanges, *evidence.successor_exchanges)
    return (item for item in every if item.request.api in SHARES)


def _of_rows(evidence: WireEvidence, rows: Iterable[Row]) -> Iterator[Record]:
    for row in rows:
        if row.topic == evidence.subject.topic and row.offset is not None:
            yield from ((row.partition, row.offset + number) for number in range(row.records or 0))
