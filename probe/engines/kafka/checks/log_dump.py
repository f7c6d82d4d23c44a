"""Parser of dumps of a topic's segments and indexes by Kafka's own tool. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

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
INDEXES = (".index", ".timeindex")
NO_PRODUCER = -1


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
