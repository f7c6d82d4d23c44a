"""Captures are read as independent witnesses read them: tshark, and the relay that forwarded the bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from kafka.record.memory_records import MemoryRecordsBuilder

from probe.model import Closed, Opened, Request, Response
from tests.support.fetched_tools import debian_program
from tests.support.inputs import read
from tests.support.packets import START, Talk, pcap, pcapng, produce, produced
from tests.support.real_cells import capturing, planned, play

KNOWN = 7
"""A version of Produce that tshark 4.0 reads."""


def batch() -> bytes:
    made = MemoryRecordsBuilder(2, 0, 10_000)
    made.append(timestamp=1000, key=b"k", value=b"a record")
    made.close()
    return bytes(made.buffer())


def tshark(path: Path, *arguments: str) -> list[list[str]]:
    """Return the fields that tshark prints, line by line."""
    argv = [str(debian_program("tshark", "tshark")), "-r", str(path), "-d", "tcp.port==9092,kafka", *arguments]
    done = subprocess.run(argv, capture_output=True, text=True, check=True)
    return [line.split("\t") for line in done.stdout.splitlines()]


@pytest.mark.parametrize("size", [40, 1448])
def test_tshark_reads_the_same_requests_and_answers(size: int, tmp_path: Path) -> None:
    talks = [Talk(client=("10.0.0.7", 40_000 + number), at=START + number * 77).open() for number in range(5)]
    for corr in range(8):
        for number, talk in enumerate(talks):
            talk.ask(produce(corr, batch(), KNOWN), size)
            talk.answer(produced(corr, (0, 3, 6)[(corr + number) % 3], KNOWN), size)
    packets = sorted((one for talk in talks for one in talk.close().packets), key=lambda one: one.at)
    path = tmp_path / "a.pcapng"
    path.write_bytes(pcapng(packets))
    found = read(path)
    fields = ("-T", "fields", "-e", "tcp.stream", "-e", "kafka.correlation_id")
    asked = tshark(path, "-Y", "kafka.client_id", *fields, "-e", "kafka.api_key", "-e", "kafka.api_version")
    numbers = {conn: str(number) for number, conn in enumerate(sorted(found.connections))}
    assert sorted(asked) == sorted(
        [numbers[event.conn], str(event.corr), str(event.api), str(event.version)] for event in found.requests
    )
    answered = tshark(path, "-Y", "kafka && !kafka.client_id", *fields)
    assert sorted(answered) == sorted([numbers[event.conn], str(event.corr)] for event in found.responses)


def test_tshark_reads_our_packets_without_a_complaint(tmp_path: Path) -> None:
    path = tmp_path / "a.pcap"
    talk = Talk().open().ask(produce(1, batch(), KNOWN)).answer(produced(1, 6, KNOWN)).close()
    path.write_bytes(pcap(talk.packets))
    assert tshark(path, "-Y", "tcp.analysis.flags || _ws.malformed") == []


@pytest.mark.real
@pytest.mark.parametrize("client", ["sarama@1.43.2", "franz-go@1.22.3"])
def test_a_capture_gives_the_events_that_the_relay_gave(client: str, tmp_path: Path) -> None:
    files: list[bytes] = []
    ((seen, _),) = play([planned(client, "disk/storage-error")], change=capturing(files))
    path = tmp_path / "trial.pcapng"
    path.write_bytes(files[-1])
    found = read(path)
    first = next(event.at for event in found.events if isinstance(event, Opened))
    for kind in (Request, Response, Opened, Closed):
        count = sum(isinstance(event, kind) for event in seen.events)
        assert 1 < count <= sum(isinstance(event, kind) for event in found.events)
    start = min(event.at for event in seen.events if isinstance(event, Opened))
    theirs = sorted(
        (event.at - start, event.api, event.version, event.corr) for event in seen.events if isinstance(event, Request)
    )
    ours = {(event.at - first, event.api, event.version, event.corr): event for event in found.requests}
    assert [key for key in theirs if key not in ours] == []
    assert set(found.errors) == {""}
    assert found.left == {}
