"""Parser and consistency check of dumps of a topic's segments and indexes by Kafka's own tool. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath

from probe.model import Stored

FILE = re.compile(r"^Dumping (?P<path>\S+)$")
BATCH = re.compile(r"^baseOffset: \d+ lastOffset: ")
RECORD = re.compile(r"^\| offset: (?P<offset>\d+) .*?\bsequence: (?P<sequence>-?\d+)\b")
MARKER = re.compile(r"endTxnMarker: (?P<marker>COMMIT|ABORT)")
PAYLOAD = " payload: "
FIELD = re.compile(r"(?P<key>\w+): (?P<value>\S+)")
ENTRY = re.compile(r"^(?:timestamp: \d+ )?offset: \d+")
COMPLAINT = re.compile(
    r"^(?P<what>Mismatches in|Non-consecutive offsets in|Found timestamp mismatch in|Found out of order timestamp in)"
    r" :?(?P<path>\S+)$"
)
"""Heading of the tool's own findings about a file, which follow as indented lines."""
PLURAL_FROM = re.compile(r"Index offset: (?P<index>\d+), log offset: (?P<log>\d+)")
"""A finding that is no error after an append of several batches at once, as followers make it.

The broker then indexes the last offset of all batches at the position of the first. Reads from there find it, but the
tool compares with the first batch only.
"""
INDEXES = (".index", ".timeindex")
NO_PRODUCER = -1
SUMMARY_LINES = 5
"""Number of findings of one kind that are reported; the others are counted."""

Partition = tuple[int, int]
"""Broker and partition: one replica."""


@dataclass(frozen=True, slots=True)
class Record:
    """One record of a log."""

    offset: int
    epoch: int
    """The leader epoch of its batch."""
    producer: int
    producer_epoch: int
    sequence: int
    transactional: bool
    marker: str
    """COMMIT or ABORT if the record ends a transaction; otherwise empty."""
    value: str


@dataclass(slots=True)
class Dumped:
    """The dump of one file."""

    path: str
    records: list[Record] = field(default_factory=list)
    entries: int = 0
    """Number of entries of an index."""
    invalid: list[int] = field(default_factory=list)
    """Base offsets of batches whose checksum is wrong."""
    complaints: list[str] = field(default_factory=list)
    """Findings of the tool itself."""


def parse(text: str) -> dict[str, Dumped]:
    """Parse the tool's output; return the dumps by path."""
    found: dict[str, Dumped] = {}
    now = Dumped("")
    batch: Mapping[str, str] = {}
    complaint = ""
    for line in text.splitlines():
        if file := FILE.match(line):
            now = found.setdefault(file["path"], Dumped(file["path"]))
        elif heading := COMPLAINT.match(line):
            complaint, now = heading["what"], found.setdefault(heading["path"], Dumped(heading["path"]))
        elif complaint and line.startswith("  "):
            now.complaints.append(f"{complaint}: {line.strip()}")
        elif BATCH.match(line):
            batch = {one["key"]: one["value"] for one in FIELD.finditer(line)}
            if batch["isvalid"] != "true":
                now.invalid.append(int(batch["baseOffset"]))
        elif record := RECORD.match(line):
            now.records.append(_record(record, line, batch))
        elif ENTRY.match(line):
            now.entries += 1
    return found


def _record(found: re.Match[str], line: str, batch: Mapping[str, str]) -> Record:
    marker = MARKER.search(line)
    return Record(
        offset=int(found["offset"]),
        epoch=int(batch["partitionLeaderEpoch"]),
        producer=int(batch["producerId"]),
        producer_epoch=int(batch["producerEpoch"]),
        sequence=int(found["sequence"]),
        transactional=batch["isTransactional"] == "true",
        marker=marker["marker"] if marker else "",
        value=line.partition(PAYLOAD)[2],
    )


@dataclass(frozen=True, slots=True)
class Report:
    """Result of a comparison."""

    summary: str
    findings: tuple[str, ...]
    """Inconsistencies; empty if all files agree."""


def compare(
    dumped: Mapping[str, Dumped], replicas: Mapping[Partition, Sequence[str]], stored: Sequence[Stored]
) -> Report:
    """Compare files with each other and with the read-back; `replicas` has the files of each replica, in order."""
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
        mine = {broker: records for (broker, number), records in logs.items() if number == partition}
        read = [(one.offset, one.instance, one.sequence) for one in stored if one.partition == partition]
        findings += _report_lines(f"partition {partition}", _differing(mine))
        longest = max(mine.values(), key=len)
        findings += _report_lines(f"partition {partition}", _unlike_read(longest, read))
    return Report(_summary(dumped, logs), tuple(findings))


def _summary(dumped: Mapping[str, Dumped], logs: Mapping[Partition, Sequence[Record]]) -> str:
    records = [record for one in logs.values() for record in one]
    entries = sum(one.entries for one in dumped.values())
    producers = {record.producer for record in records} - {NO_PRODUCER}
    twice = sum(_twice(one) for one in logs.values())
    epochs = sorted({record.epoch for record in records})
    return (
        f"dumped {len(dumped)} files of {len(logs)} replicas: {len(records)} records, {entries} index entries, "
        f"{len(producers)} producer ids, leader epochs {epochs}, {twice} records twice"
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


def _differing(logs: Mapping[int, Sequence[Record]]) -> Iterator[str]:
    """Yield the differences of replicas from the longest one."""
    best = max(logs, key=lambda broker: len(logs[broker]))
    for broker, records in sorted(logs.items()):
        if broker == best:
            continue
        for one, other in zip(logs[best], records, strict=False):
            if one != other:
                yield f"offset {one.offset} is not the same on brokers {best} and {broker}"
        if len(records) < len(logs[best]):
            yield f"broker {broker} has {len(records)} records, broker {best} {len(logs[best])}"


def _unlike_read(records: Sequence[Record], read: Sequence[tuple[int, str, int]]) -> Iterator[str]:
    """Yield the differences between the log and the read-back; duplicates must be in both as often."""
    expected = Counter((one.offset, one.instance, one.sequence) for one in map(_stored, committed(records)))
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
