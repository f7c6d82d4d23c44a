"""Derive acknowledgements from the wire and the read-back, for applications that report no delivery.

A library acknowledges each record to the program around it; a whole application (a shipper, a command) does not. Only
the relay and the read-back judge such a client. An operation counts as acknowledged when a successful Produce answer
reached the client whose request can have contained it, and the read-back finds its record where that answer says
(docs/verdicts.md#applications-judged-by-the-wire).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from probe.model import App, AppKind, Event, Header, Response
from probe.model.cluster_history import OLD
from probe.protocol.apis import SYNC_GROUP
from probe.verdict import apis

WIRE = "wire"
"""`judged_by` of a family whose applications report no delivery."""
FEED = "feed"
"""Writer of the records that readers receive."""


@dataclass(frozen=True, slots=True)
class _Answer:
    """A successful answer to a Produce request, for one partition."""

    at: int
    asked_at: int
    """Time at which the relay had received its whole request. Later operations were not in it."""
    base: int
    """Offset of the first record that the request appended."""


def with_wire_proof(header: Header, events: list[Event]) -> list[Event]:
    """Return the events. Where the application reports no delivery, an `acked` for every proved operation is added.

    Records without an offset get it by their number, and unreported assignments are added.
    """
    if header.judged_by != WIRE:
        return events
    return [*_placed(header, events), *_acknowledged(header, events)]


def _placed(header: Header, events: Iterable[Event]) -> Iterator[Event]:
    """Add offsets to records: from the read-back, or without one in the order in which they were written.

    A record that is delivered again after the member joined again belongs to a new assignment.
    """
    places = {(item.partition, item.sequence): item.offset for item in header.stored if item.instance == FEED}
    last: dict[int, int] = {}
    rejoined: set[int] = set()
    for item in events:
        if isinstance(item, Response) and item.api == SYNC_GROUP and not item.code:
            rejoined = set(last)
        received = isinstance(item, App) and item.kind is AppKind.RECEIVED and item.sequence != OLD
        if not isinstance(item, App) or not received or item.offset >= 0:
            yield item
            continue
        partition, offset = item.partition, places.get((item.partition, item.sequence), item.sequence)
        if offset <= last.get(partition, -1) and partition in rejoined:
            rejoined.discard(partition)
            yield replace(item, kind=AppKind.ASSIGNED, partitions=(partition,))
        last[partition] = offset
        yield replace(item, offset=offset)


def _acknowledged(header: Header, events: list[Event]) -> Iterator[App]:
    begun = _begun(header, events)
    for partition, answers in _answers(header, events).items():
        numbers = begun.get(partition, {})
        prove = _by_read_back if header.stored else _by_order
        for answer, number, offset in prove(header, partition, answers, numbers):
            yield App(
                at=answer.at,
                kind=AppKind.ACKED,
                instance=header.subject.instance,
                partition=partition,
                sequence=number,
                offset=offset,
            )


def _begun(header: Header, events: Iterable[Event]) -> dict[int, dict[int, int]]:
    """Return when each operation began, by partition and number."""
    found: dict[int, dict[int, int]] = {}
    for item in events:
        if isinstance(item, App) and item.kind is AppKind.SENT and item.instance == header.subject.instance:
            found.setdefault(item.partition, {}).setdefault(item.sequence, item.at)
    return found


def _answers(header: Header, events: Iterable[Event]) -> dict[int, list[_Answer]]:
    """Return successful answers about the topic, by partition, in order of time."""
    found: dict[int, list[_Answer]] = {}
    for item in events:
        if not isinstance(item, Response) or item.api != apis.PRODUCE or item.code or item.error:
            continue
        for row in item.rows:
            if row.topic == header.subject.topic and not row.code and row.offset is not None and row.offset >= 0:
                found.setdefault(row.partition, []).append(_Answer(item.at, item.sent_at, row.offset))
    return {partition: sorted(answers, key=lambda answer: answer.at) for partition, answers in found.items()}


ProvedRecords = Iterator[tuple[_Answer, int, int]]
"""(answer, number of the operation, offset of its record)"""


def _by_read_back(header: Header, partition: int, answers: list[_Answer], begun: Mapping[int, int]) -> ProvedRecords:
    """Yield each operation with the first answer that proves it: its record lies from the answer's offset on.

    The next answer's records begin at that answer's offset. An operation that began after the relay received the
    request belongs to a request whose answer was lost. An answer whose own offset holds no record stands for a missing
    record: it gets an unknown operation number, below zero, and `promises` counts it as lost.
    """
    there = {item.offset for item in header.stored if item.partition == partition}
    ours = sorted(
        (item.offset, item.sequence)
        for item in header.stored
        if item.partition == partition and item.instance == header.subject.instance
    )
    bases = sorted({answer.base for answer in answers})
    proved: set[int] = set()
    for answer in answers:
        if answer.base not in there:
            yield answer, -1 - answer.base, answer.base
        following = bisect_right(bases, answer.base)
        end = bisect_left(ours, (bases[following], -1)) if following < len(bases) else len(ours)
        for offset, number in ours[bisect_left(ours, (answer.base, -1)) : end]:
            if number in proved or begun.get(number, answer.asked_at + 1) - header.clock_error_us > answer.asked_at:
                continue
            proved.add(number)
            yield answer, number, offset


def _by_order(header: Header, _: int, answers: list[_Answer], begun: Mapping[int, int]) -> ProvedRecords:
    """Yield one operation per answer of a running trial: the last one that began before its request was sent.

    That is enough to decide when a client works again. The verdict uses the read-back.
    """
    numbers = sorted(begun, key=lambda number: begun[number])
    times = [begun[number] for number in numbers]
    proved: set[int] = set()
    for answer in answers:
        place = bisect_right(times, answer.asked_at + header.clock_error_us)
        if place and numbers[place - 1] not in proved:
            proved.add(numbers[place - 1])
            yield answer, numbers[place - 1], answer.base
