"""The comparison of Kafka's log dump with the records that were read back. Every planted disagreement is found.

`dumped_logs.txt` is the output of the tool of Kafka 3.4.1 for two replicas of a partition, up to offset 19. A
transactional Java producer wrote the records. The messages about damaged files come from files damaged on purpose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from probe.engines.kafka.checks.log_comparison import Found, Partition, Report, committed, compare
from probe.engines.kafka.checks.log_dump import parse
from probe.model import Stored

TEXT = (Path(__file__).parents[1] / "data" / "dumped_logs.txt").read_text()
FOLDER = "/logs/broker-{}/d0/probe-java-transactional-b03183-0/00000000000000000000"
KINDS = (".index", ".log", ".timeindex")
REPLICAS: dict[Partition, Sequence[str]] = {
    (node, 0): [FOLDER.format(node) + kind for kind in KINDS] for node in (1, 2)
}
ME = "java-transactional-b03183"
READ = tuple(Stored(0, 2 * number, ME, number) for number in range(10))
"""Every second offset is the end marker of a transaction."""


DELETED = {0: 7}
"""Records below this offset are deleted, by partition. The segment has newer records, too, and keeps them."""
KEPT = tuple(one for one in READ if one.offset >= DELETED[0])


def report(
    text: str = TEXT,
    read: Sequence[Stored] = READ,
    starts: Mapping[int, int] | None = None,
    deleted: Mapping[int, int] | None = None,
) -> Report:
    return compare(parse(text), REPLICAS, Found(read, starts or {}), deleted)


def test_the_output_of_the_tool_is_parsed() -> None:
    found = parse(TEXT)
    assert list(found) == [path for paths in REPLICAS.values() for path in paths]
    first, marker = found[REPLICAS[1, 0][1]].records[:2]
    assert (first.offset, first.producer, first.sequence, first.epoch, first.marker) == (0, 2, 0, 0, "")
    assert first.value.startswith(f"{ME} 0 0 ")
    assert (marker.offset, marker.sequence, marker.marker, marker.value) == (1, -1, "COMMIT", "")
    assert [one.entries for one in found.values()] == [1, 0, 1, 1, 0, 1]


def test_equal_logs_give_no_finding() -> None:
    found = report()
    assert found.findings == ()
    assert found.summary == (
        "dumped 6 files of 2 replicas: 40 records, 4 index entries, 1 producer ids, leader epochs [0], 0 records twice"
    )


def record(offset: int) -> str:
    """Return the lines of the dump for a batch of one record."""
    lines = TEXT.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith(f"| offset: {offset} "))
    return "\n".join(lines[place - 1 : place + 1]) + "\n"


def on_one(edit: Callable[[str], str]) -> Callable[[str], str]:
    """Edit only the second replica's part."""

    def changed(text: str) -> str:
        place = text.index("Dumping /logs/broker-2")
        return text[:place] + edit(text[place:])

    return changed


def swap(old: str, new: str) -> Callable[[str], str]:
    def changed(text: str) -> str:
        assert old in text
        return text.replace(old, new)

    return changed


PLANTED = {
    "an offset that is not there": (swap(record(6), ""), "offset 5 is followed by 7"),
    "an offset that is there twice": (swap(record(6), record(6) * 2), "offset 6 is followed by 6"),
    "a sequence that is repeated": (
        swap(" sequence: 3 ", " sequence: 2 "),
        "offset 6 repeats sequence 2 of producer 2",
    ),
    "a sequence that is left out": (swap(" sequence: 9 ", " sequence: 11 "), "producer 2 goes from 8 to 11"),
    "a leader epoch that goes back": (
        swap(record(4), record(4).replace("partitionLeaderEpoch: 0", "partitionLeaderEpoch: 3")),
        "leader epoch 0 at offset 5 comes after 3",
    ),
    "another leader epoch on one replica": (
        on_one(swap("partitionLeaderEpoch: 0", "partitionLeaderEpoch: 1")),
        "offset 0 is not the same on brokers 1 and 2",
    ),
    "another producer on one replica": (
        on_one(swap("producerId: 2 ", "producerId: 7 ")),
        "offset 0 is not the same on brokers 1 and 2",
    ),
    "a replica that is shorter": (on_one(swap(record(19), "")), "broker 2 has 19 records, broker 1 20"),
    "a batch whose checksum is wrong": (
        swap("crc: 2932346187 isvalid: true", "crc: 2932346187 isvalid: false"),
        "the batch at offset 0 is not valid",
    ),
    "an aborted transaction that was read": (
        swap(record(5), record(5).replace("COMMIT", "ABORT")),
        f"offset 4 ({ME} 2) was read and is not in the log",
    ),
    "a file that the tool left out": (
        swap(f"Dumping {FOLDER.format(2)}.timeindex", "Dumping elsewhere"),
        "00000000000000000000.timeindex was not dumped",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_disagreement_is_found(name: str) -> None:
    edit, finding = PLANTED[name]
    assert any(finding in text for text in report(edit(TEXT)).findings), report(edit(TEXT)).findings


@pytest.mark.parametrize(
    ("read", "finding"),
    [
        (READ[1:], f"partition 0: offset 0 ({ME} 0) is in the log and was not read"),
        ((*READ, Stored(0, 20, ME, 10)), f"partition 0: offset 20 ({ME} 10) was read and is not in the log"),
        ((*READ, READ[3]), f"partition 0: offset 6 ({ME} 3) was read and is not in the log"),
        (
            (*READ[:-1], replace(READ[-1], sequence=8)),
            f"partition 0: offset 18 ({ME} 8) was read and is not in the log",
        ),
    ],
)
def test_the_read_back_must_equal_the_log(read: Sequence[Stored], finding: str) -> None:
    assert finding in report(read=read).findings


@pytest.mark.parametrize(
    ("printed", "finding"),
    [
        (
            f"Mismatches in :{FOLDER.format(1)}.index\n  Index offset: 43, log offset: 44\n",
            "Mismatches in: Index offset: 43, log offset: 44",
        ),
        (
            f"Mismatches in :{FOLDER.format(1)}.index\n  Index offset: 99, log offset: 4\n",
            "Mismatches in: Index offset: 99, log offset: 4",
        ),
        (
            f"Found timestamp mismatch in :{FOLDER.format(1)}.timeindex\n"
            "  Index timestamp: 1795324828094, log timestamp: 1795324828139\n",
            "Found timestamp mismatch in: Index timestamp: 1795324828094, log timestamp: 1795324828139",
        ),
        (
            f"Non-consecutive offsets in {FOLDER.format(1)}.log\n  0 is followed by 2\n",
            "Non-consecutive offsets in: 0 is followed by 2",
        ),
    ],
)
def test_an_error_reported_by_the_tool_is_a_finding(printed: str, finding: str) -> None:
    (found,) = report(TEXT + printed).findings
    assert found.startswith("broker-1/d0/probe-java-transactional-b03183-0/")
    assert found.endswith(finding)


def test_batches_that_share_an_index_entry_are_no_mismatch() -> None:
    """Followers append several batches together. The tool reports a mismatch, but every offset can be read."""
    printed = f"Mismatches in :{FOLDER.format(1)}.index\n  Index offset: 17, log offset: 13\n"
    assert report(TEXT + printed).findings == ()


class TestDeletedRecords:
    """A cluster's history deletes the oldest records of a topic. Nobody can read them, and segments keep them."""

    def test_they_need_not_be_read(self) -> None:
        found = report(read=KEPT, starts=DELETED, deleted=DELETED)
        assert found.findings == ()
        assert found.summary.endswith("0 records twice, logs from 7")

    def test_later_ones_must_be_read(self) -> None:
        (found,) = report(read=KEPT[1:], starts=DELETED, deleted=DELETED).findings
        assert found == f"partition 0: offset 8 ({ME} 4) is in the log and was not read"

    def test_they_must_not_be_read(self) -> None:
        found = report(read=READ, starts=DELETED, deleted=DELETED).findings
        assert f"partition 0: offset 6 ({ME} 3) was read and is not in the log" in found

    @pytest.mark.parametrize("begins", [1, 6, 7])
    def test_a_replica_that_was_made_later_need_not_have_them(self, begins: int) -> None:
        text = without(range(begins))(TEXT)
        assert report(text, KEPT, DELETED, DELETED).findings == ()

    @pytest.mark.parametrize("missing", [8, 19])
    def test_a_replica_that_was_made_later_must_have_the_others(self, missing: int) -> None:
        text = without([*range(7), missing])(TEXT)
        found = report(text, KEPT, DELETED, DELETED).findings
        assert "partition 0: broker 2 has 12 records, broker 1 13" in found

    def test_two_replicas_that_have_one_have_the_same(self) -> None:
        text = on_one(swap(record(3), record(3).replace("producerId: 2 ", "producerId: 7 ")))(TEXT)
        found = report(text, KEPT, DELETED, DELETED).findings
        assert "partition 0: offset 3 is not the same on brokers 1 and 2" in found

    def test_those_of_one_partition_are_not_those_of_another(self) -> None:
        assert (
            f"partition 0: offset 0 ({ME} 0) is in the log and was not read"
            in report(read=KEPT, starts={1: 7}, deleted={1: 7}).findings
        )

    @pytest.mark.parametrize(
        ("start", "deleted", "finding"),
        [
            (0, 7, "partition 0: the log starts at 0 again, after its records below 7 were deleted"),
            (9, 7, "partition 0: the log starts at 9, and nobody deleted its records from 7 on"),
            (9, 0, "partition 0: the log starts at 9, and nobody deleted its records from 0 on"),
        ],
    )
    def test_the_log_starts_where_the_deletion_left_it(self, start: int, deleted: int, finding: str) -> None:
        read = [one for one in READ if one.offset >= start]
        assert report(read=read, starts={0: start}, deleted={0: deleted}).findings == (finding,)


def without(offsets: Iterable[int]) -> Callable[[str], str]:
    """Leave these offsets out of the second replica."""

    def edit(text: str) -> str:
        for offset in offsets:
            text = swap(record(offset), "")(text)
        return text

    return on_one(edit)


def test_further_findings_of_one_kind_are_counted() -> None:
    findings = report(read=()).findings
    assert len(findings) == 6
    assert findings[-1] == "partition 0: and 5 more"


def test_records_after_an_open_transaction_are_not_committed() -> None:
    records = parse(TEXT.replace(record(5), ""))[REPLICAS[1, 0][1]].records
    still_open = [one for one in records if one.offset < 6]
    assert [one.offset for one in committed(still_open)] == [0, 2]
