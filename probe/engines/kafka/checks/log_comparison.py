"""Comparison of the dumps of a topic's logs with each other and with what was read. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath

from probe.engines.kafka.checks.log_dump import NO_PRODUCER, Dumped, Record
from probe.model import Stored

PLURAL_FROM = re.compile(r"Index offset: (?P<index>\d+), log offset: (?P<log>\d+)")
"""A finding that is no error after an append of several batches at once, as followers make it.

The broker then indexes the last offset of all batches at the position of the first. Reads from there find it, but the
tool compares with the first batch only.
"""
SUMMARY_LINES = 5
"""Number of findings of one kind that are reported; the others are counted."""

Partition = tuple[int, int]
"""Broker and partition: one replica."""


@dataclass(frozen=True, slots=True)
class Found:
    """Records that the brokers gave to a reader."""

    stored: Sequence[Stored]
    """The committed records."""
    starts: Mapping[int, int] = field(default_factory=dict)
    """Log start offset by partition; 0 where there is none. Records below it are deleted: they cannot be read, but a
    segment that has newer records as well keeps them."""


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a comparison."""

    summary: str
    findings: tuple[str, ...]
    """Inconsistencies; empty if all files agree."""


def compare(
    dumped: Mapping[str, Dumped],
    replicas: Mapping[Partition, Sequence[str]],
    read: Found,
    deleted: Mapping[int, int] | None = None,
) -> Report:
    """Compare files with each other and with the read-back; `replicas` has the files of each replica, in order.

    `deleted` is the log start offset by partition after the last request to delete records; 0 where there is none.
    """
    logs = {
        key: [record for path in files if path in dumped for record in dumped[path].records]
        for key, files in replicas.items()
    }
    findings = [
        *_missing(dumped, replicas),
        *(
            text
            for one in dumped.values()
            for text in _report_lines("/".join(PurePath(one.path).parts[-4:]), _wrong_file(one, _offsets(dumped, one)))
        ),
        *(text for key, records in logs.items() for text in _report_lines(_name(key), _wrong_log(records))),
    ]
    for partition in sorted({partition for _, partition in logs}):
        where, start = f"partition {partition}", read.starts.get(partition, 0)
        mine = {broker: records for (broker, number), records in logs.items() if number == partition}
        stored = [(one.offset, one.instance, one.sequence) for one in read.stored if one.partition == partition]
        findings += _report_lines(where, _wrong_start(start, (deleted or {}).get(partition, 0)))
        findings += _report_lines(where, _differing(mine, start))
        findings += _report_lines(where, _unlike_read(mine[_longest(mine, start)], start, stored))
    return Report(_summary(dumped, logs, read.starts), tuple(findings))


def _summary(
    dumped: Mapping[str, Dumped], logs: Mapping[Partition, Sequence[Record]], starts: Mapping[int, int]
) -> str:
    records = [record for one in logs.values() for record in one]
    entries = sum(one.entries for one in dumped.values())
    producers = {record.producer for record in records} - {NO_PRODUCER}
    twice = sum(_twice(one) for one in logs.values())
    epochs = sorted({record.epoch for record in records})
    begun = f", logs from {', '.join(str(starts[one]) for one in sorted(starts))}" if any(starts.values()) else ""
    return (
        f"dumped {len(dumped)} files of {len(logs)} replicas: {len(records)} records, {entries} index entries, "
        f"{len(producers)} producer ids, leader epochs {epochs}, {twice} records twice{begun}"
    )


def _twice(records: Sequence[Record]) -> int:
    """Return the number of duplicates; a producer that is not idempotent may write a record again."""
    counts = Counter((one.instance, one.sequence) for one in map(_stored, committed(records)))
    return sum(counts.values()) - len(counts)


def _missing(dumped: Mapping[str, Dumped], replicas: Mapping[Partition, Sequence[str]]) -> Iterator[str]:
    for key, files in replicas.items():
        for path in files:
            if path not in dumped:
                yield f"{_name(key)}: {PurePath(path).name} was not dumped"


def _offsets(dumped: Mapping[str, Dumped], one: Dumped) -> set[int]:
    """Return the offsets of the segment that a file belongs to."""
    log = dumped.get(str(PurePath(one.path).with_suffix(".log")))
    return {record.offset for record in log.records} if log else set()


def _wrong_file(one: Dumped, offsets: set[int]) -> Iterator[str]:
    """Yield the errors within one file."""
    for complaint in one.complaints:
        found = PLURAL_FROM.search(complaint)
        if not found or int(found["index"]) < int(found["log"]) or int(found["index"]) not in offsets:
            yield complaint
    for offset in one.invalid:
        yield f"the batch at offset {offset} is not valid"


def _wrong_log(records: Sequence[Record]) -> Iterator[str]:
    """Yield the errors within one replica's log: offsets, leader epochs, sequences, duplicates."""
    last: dict[tuple[int, int], int] = {}
    for before, after in pairwise(records):
        if after.offset != before.offset + 1:
            yield f"offset {before.offset} is followed by {after.offset}"
        if after.epoch < before.epoch:
            yield f"leader epoch {after.epoch} at offset {after.offset} comes after {before.epoch}"
    for record in records:
        if record.producer == NO_PRODUCER or record.marker:
            continue
        key = (record.producer, record.producer_epoch)
        expected = last[key] + 1 if key in last else None
        if expected is not None and record.sequence < expected:
            yield f"offset {record.offset} repeats sequence {record.sequence} of producer {record.producer}"
        elif expected is not None and record.sequence != expected:
            yield f"offset {record.offset}: producer {record.producer} goes from {expected - 1} to {record.sequence}"
        last[key] = record.sequence


def _wrong_start(start: int, deleted: int) -> Iterator[str]:
    """Yield the error of a log that starts elsewhere than where the last deletion left it."""
    if start < deleted:
        yield f"the log starts at {start} again, after its records below {deleted} were deleted"
    elif start > deleted:
        yield f"the log starts at {start}, and nobody deleted its records from {deleted} on"


def _kept(records: Sequence[Record], start: int) -> dict[int, Record]:
    """Return the records that are not deleted, by offset."""
    return {one.offset: one for one in records if one.offset >= start}


def _longest(logs: Mapping[int, Sequence[Record]], start: int) -> int:
    """Return the broker whose replica has most of the records that are not deleted."""
    return max(logs, key=lambda broker: len(_kept(logs[broker], start)))


def _differing(logs: Mapping[int, Sequence[Record]], start: int) -> Iterator[str]:
    """Yield the differences of replicas from the longest one.

    A replica that was made after a deletion need not have the deleted records; those that two have are equal.
    """
    best = _longest(logs, start)
    whole = {one.offset: one for one in logs[best]}
    due = len(_kept(logs[best], start))
    for broker, records in sorted(logs.items()):
        if broker == best:
            continue
        for one in records:
            if one.offset in whole and one != whole[one.offset]:
                yield f"offset {one.offset} is not the same on brokers {best} and {broker}"
        kept = _kept(records, start)
        if len(kept) < due:
            yield f"broker {broker} has {len(kept)} records, broker {best} {due}"
        elif kept.keys() != _kept(logs[best], start).keys():
            yield f"brokers {best} and {broker} have not the same offsets"


def _unlike_read(records: Sequence[Record], start: int, read: Sequence[tuple[int, str, int]]) -> Iterator[str]:
    """Yield the differences between the log and the read-back; duplicates must be in both as often."""
    kept = (_stored(one) for one in committed(records) if one.offset >= start)
    expected = Counter((one.offset, one.instance, one.sequence) for one in kept)
    found = Counter(read)
    for offset, instance, sequence in sorted(expected - found):
        yield f"offset {offset} ({instance} {sequence}) is in the log and was not read"
    for offset, instance, sequence in sorted(found - expected):
        yield f"offset {offset} ({instance} {sequence}) was read and is not in the log"


def committed(records: Sequence[Record]) -> list[Record]:
    """Return the records of a read_committed consumer.

    These are all records before the first open transaction, without markers and aborted records.
    """
    open_since: dict[int, int] = {}
    aborted: set[int] = set()
    pending: dict[int, list[int]] = {}
    for record in records:
        if record.marker:
            offsets = pending.pop(record.producer, [])
            open_since.pop(record.producer, None)
            if record.marker == "ABORT":
                aborted.update(offsets)
        elif record.transactional:
            open_since.setdefault(record.producer, record.offset)
            pending.setdefault(record.producer, []).append(record.offset)
    end = min(open_since.values(), default=None)
    return [
        record
        for record in records
        if not record.marker and record.offset not in aborted and (end is None or record.offset < end)
    ]


def _stored(record: Record) -> Stored:
    return Stored.of(0, record.offset, record.value)


def _name(key: Partition) -> str:
    broker, partition = key
    return f"partition {partition} on broker {broker}"


def _report_lines(where: str, findings: Iterator[str]) -> list[str]:
    """Return the first findings of a place, and the number of further ones."""
    found = list(findings)
    more = [f"{where}: and {len(found) - SUMMARY_LINES} more"] if len(found) > SUMMARY_LINES else []
    return [*(f"{where}: {text}" for text in found[:SUMMARY_LINES]), *more]
