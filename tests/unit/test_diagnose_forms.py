"""Forms of a capture that the benchmark of the diagnosis reads."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from probe.model import Request
from probe.protocol import apis
from tests.support.inputs import WholeInput, read
from tests.support.packets import START, Talk, ordinary, pcapng

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))

from diagnose_forms import at_port, between, with_log_ins

PLAIN = pcapng([*ordinary(4).packets, *ordinary(2, client=("10.0.0.8", 41_000), broker=("10.0.0.2", 9093)).packets])


@pytest.fixture
def found(tmp_path: Path) -> WholeInput:
    path = tmp_path / "with.pcapng"
    path.write_bytes(with_log_ins(PLAIN))
    return read(path)


def again(tmp_path: Path, data: bytes) -> WholeInput:
    path = tmp_path / "one.pcapng"
    path.write_bytes(data)
    return read(path)


def test_every_connection_begins_with_a_log_in(found: WholeInput, tmp_path: Path) -> None:
    without_log_in = again(tmp_path, PLAIN)
    for conn in without_log_in.connections:
        sent = [event.api for event in found.requests if event.conn == conn]
        before = [event.api for event in without_log_in.requests if event.conn == conn]
        assert sent == [apis.SASL_HANDSHAKE, apis.SASL_AUTHENTICATE, *before]
    assert found.left == without_log_in.left == {}
    assert set(found.errors) == {""}


def test_a_log_in_has_the_client_id_of_its_connection(found: WholeInput) -> None:
    assert {event.client_id for event in found.requests} == {"shop"}


def test_one_broker_is_one_port(tmp_path: Path) -> None:
    one = again(tmp_path, at_port(PLAIN, 9093))
    assert [item.broker_address for item in one.connections.values()] == ["10.0.0.2:9093"]
    assert len(one.requests) == 2


def test_a_part_is_what_was_recorded_between_two_times(tmp_path: Path) -> None:
    one = again(tmp_path, between(pcapng(ordinary(4).packets), START + 5000, START + 8000))
    assert [event.at for event in one.events if isinstance(event, Request)] == [START + 5000, START + 7000]


def test_a_capture_without_connections_stays(tmp_path: Path) -> None:
    assert again(tmp_path, with_log_ins(pcapng(Talk().packets))).events == []
