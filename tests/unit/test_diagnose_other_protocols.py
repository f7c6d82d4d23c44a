"""Captures of other protocols, recorded by tcpdump of real programs: nothing is invented, and one line says what it is.

curl with Python's HTTP server, curl with `openssl s_server`, redis-cli with redis-server, psql with PostgreSQL 15.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from probe.cli.app import app
from probe.errors import NothingJudgedError
from tests.support.inputs import read
from tests.support.packets import Packet, pcapng

RECORDED = Path(__file__).parents[1] / "data" / "other_protocols"
REASONS = {
    "http": "9 connections of {}: not Kafka",
    "tls": "3 connections of {}: encrypted (TLS)",
    "redis": "9 connections of {}: not Kafka",
    "postgres": "2 connections of {}: not Kafka",
}


@pytest.mark.parametrize("name", REASONS)
def test_a_capture_of_another_protocol_ends_in_one_line(name: str) -> None:
    path = RECORDED / f"{name}.pcap.gz"
    done = CliRunner().invoke(app, ["diagnose", str(path)])
    assert isinstance(done.exception, NothingJudgedError)
    way_out = (
        "name its keys (--keylog), or record request logs" if name == "tls" else "docs/diagnose.md says what to record"
    )
    assert way_out in str(done.exception)
    head, said = done.stdout.splitlines()
    assert head == "no message of a client of Kafka"
    assert " ".join(said.split()) == f"not read {REASONS[name].format(path)}"


@pytest.mark.parametrize("skipped", [1, 4, 5, 6, 9])
@pytest.mark.parametrize("name", REASONS)
def test_nothing_is_invented_of_connections_that_began_before(name: str, skipped: int, tmp_path: Path) -> None:
    packets = [*recorded(name)]
    path = tmp_path / "later.pcapng"
    path.write_bytes(pcapng(packets[skipped:]))
    found = read(path)
    assert (found.events, found.connections) == ([], {})


@pytest.mark.parametrize("name", REASONS)
def test_nothing_is_invented_of_cut_packets(name: str, tmp_path: Path) -> None:
    path = tmp_path / "short.pcapng"
    path.write_bytes(pcapng([Packet(one.at, one.data, max(0, len(one.data) - 60)) for one in recorded(name)]))
    assert read(path).events == []


def recorded(name: str) -> Iterator[Packet]:
    """Yield the packets from their IP headers on."""
    data = gzip.decompress((RECORDED / f"{name}.pcap.gz").read_bytes())
    p = 24
    while p < len(data):
        seconds, part, kept, _ = struct.unpack_from("<IIII", data, p)
        yield Packet(seconds * 1_000_000 + part, data[p + 30 : p + 16 + kept])
        p += 16 + kept
